import { type AppAdapter, type AppReceipt, type ForGroup, hasApp, type Withdrawn } from "gangway-messenger/apps";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelId, CustomerId } from "gangway-messenger/ids";
import type { ChannelAdapter, Forwarded, ServerOptions } from "gangway-messenger/port";
import type { Channel } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import { createUnknownTypes, type Forward, type UnknownTypes } from "../../relay/accept/inbound.ts";
import type { Store } from "../../store/store.ts";
import { type AppRequests, createAppRequests } from "./app-requests.ts";

/** The vendor's own apps at messengers. */
export interface Apps {
  /** Undefined unless the kind has an app and the operator has set it up. */
  of(kind: string): App | undefined;
  /** Requests counted since the start. */
  figures: AppRequests["figures"];
}

interface App {
  /** In bytes. */
  bodyLimit: number;
  /** Authenticates and splits a request; stores nothing. */
  read(request: Request): Promise<AppReceipt>;
  /** Counts a request whose body was read completely. */
  heard(receipt: AppReceipt): void;
  /** Resolves with the reply once everything in the request is stored. Throws Overload. */
  take(receipt: AppReceipt): Promise<Response>;
}

export interface AppsParts {
  adapters: ChannelAdapter[];
  serverOptions(kind: string): ServerOptions;
  store: Pick<Store, "channels">;
  forward: Forward;
  /** Stores a person's erasure request and resolves with its code. */
  erase(kind: string, customer: CustomerId, proof?: string): Promise<string>;
  /** Called after a channel was stopped. */
  changed(id: ChannelId): void;
  publicUrl: string;
  clock: Pick<Clock, "monotonic">;
  log: Log;
}

export function createApps(parts: AppsParts): Apps {
  const unknownTypes = createUnknownTypes(parts.log);
  const adapters = parts.adapters.filter(hasApp).filter(({ kind, app }) => app.isSetUp(parts.serverOptions(kind)));
  const requests = createAppRequests(
    adapters.map(({ kind }) => kind),
    parts,
  );
  const apps = new Map(adapters.map((adapter) => [adapter.kind, appOf(parts, { unknownTypes, requests }, adapter)]));
  return { of: (kind) => apps.get(kind), figures: requests.figures };
}

interface Heard {
  unknownTypes: UnknownTypes;
  requests: AppRequests;
}

function appOf(parts: AppsParts, { unknownTypes, requests }: Heard, { kind, app }: AppAdapter): App {
  const { forward, publicUrl } = parts;
  const server = parts.serverOptions(kind);
  return {
    bodyLimit: app.bodyLimit,
    read: (request) => app.receive(request, server),
    heard({ authenticity }) {
      if (authenticity) requests.heard(kind, authenticity);
    },
    async take({ parts: forwarded, shared = [], withdrawn, erase, unknown, reply }) {
      if (unknown) unknownTypes(kind, unknown);
      await forward([...forwarded, ...(await ofEachLogin(parts, shared))]);
      if (withdrawn) await stopAll(parts, withdrawn);
      if (!erase) return reply;
      const code = await parts.erase(kind, erase.customer, erase.proof);
      return erase.reply(`${publicUrl}/erased/${code}`, code);
    },
  };
}

async function ofEachLogin({ store }: AppsParts, shared: ForGroup[]): Promise<Forwarded[]> {
  const all: Forwarded[] = [];
  for (const { group, request } of shared)
    for (const { identity } of await store.channels.inGroup(group))
      if (identity) all.push({ login: identity, request });
  return all;
}

async function stopAll(parts: AppsParts, { logins, groups = [], trouble, forget }: Withdrawn): Promise<void> {
  const { channels } = parts.store;
  const named = await Promise.all(logins.map((login) => channels.byIdentity(login)));
  const members = (await Promise.all(groups.map((group) => channels.inGroup(group)))).flat();
  for (const channel of [...named, ...members]) {
    if (!channel) continue;
    await stop(parts, channel, trouble);
    if (forget) await forgetLogin(parts, channel);
  }
}

/** Clears only the login: the channel, its other settings and customers' messages belong to the account and stay. */
async function forgetLogin({ adapters, store: { channels }, changed }: AppsParts, channel: Channel): Promise<void> {
  const { id, name, unsure } = channel;
  const adapter = adapters.find(({ kind }) => kind === channel.kind);
  if (!adapter || !hasApp(adapter)) return;
  await channels.setGroups(id, []);
  const known = adapter.settings.parse(channel.settings);
  const settings = adapter.app.forget(known);
  if (JSON.stringify(settings) === JSON.stringify(known)) return;
  await channels.change(id, { name, settings, unsure });
  changed(id);
}

/** Outbound messages wait until somebody reconnects the channel; its users are notified as of any trouble. */
async function stop({ store, changed, log }: AppsParts, channel: Channel, trouble: string): Promise<void> {
  if (channel.state === "stopped" && channel.trouble === trouble) return;
  await store.channels.setState(channel.id, "stopped", trouble, { epoch: channel.epoch });
  log.warn("channel.withdrawn", { account: channel.accountId, channel: channel.id });
  changed(channel.id);
}
