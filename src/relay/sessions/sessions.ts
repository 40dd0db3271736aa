import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { beforeSending, DeliveryError } from "gangway-messenger/errors";
import type { Features } from "gangway-messenger/features";
import { FileTooLarge, isHosted, type Journal, type JournalEntry, type Streams } from "gangway-messenger/hosted";
import type { ChannelId, ChatId, GatewayFileId } from "gangway-messenger/ids";
import type { GatewayFile } from "gangway-messenger/message";
import type { Capabilities } from "gangway-messenger/plan";
import type { ChannelAdapter, ChannelSession, Note, RawWebhook, ServerOptions } from "gangway-messenger/port";
import { QUALITIES, REJECTIONS, STATUSES, type Template } from "gangway-messenger/template";
import * as z from "zod";
import type { Account } from "../../domain/account.ts";
import { type Channel, notInstalled } from "../../domain/channel.ts";
import type { Job } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { FORMATS, type Markup, type Writing } from "../../domain/markdown.ts";
import { createGateway, type Gateway } from "../../gateway/client.ts";
import type { Permits } from "../../gateway/limiter.ts";
import type { EmptyAnswers } from "../../gateway/sending.ts";
import type { JournalChat } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";

/** Journals of channels, and listeners for news in their chats. */
export interface Journals {
  of(channelId: ChannelId): Journal;
  /** Call after other code has committed entries. */
  announce(channelId: ChannelId, entries: JournalEntry[]): void;
}

export function createJournals(store: Pick<Store, "journal">): Journals {
  const watchers = new Map<string, { of: JournalChat; waiting: Set<() => void> }>();
  const keyOf = (channelId: ChannelId, chat: string) => `${channelId}/${chat}`;

  const wakeAll = (channelId: ChannelId, chat: string) => {
    for (const wake of watchers.get(keyOf(channelId, chat))?.waiting ?? []) wake();
  };
  const announce = (channelId: ChannelId, entries: JournalEntry[]) => {
    for (const chat of new Set(entries.map((entry) => entry.chat))) wakeAll(channelId, chat);
  };
  store.journal.follow(
    () => [...watchers.values()].map(({ of }) => of),
    (chat) => wakeAll(...chat),
  );

  const watch = (channelId: ChannelId, chat: ChatId, wake: () => void) => {
    const key = keyOf(channelId, chat);
    const watched = watchers.get(key) ?? { of: [channelId, chat], waiting: new Set() };
    watchers.set(key, watched);
    watched.waiting.add(wake);
    return () => {
      watched.waiting.delete(wake);
      if (watched.waiting.size === 0 && watchers.get(key) === watched) watchers.delete(key);
    };
  };

  return {
    announce,
    of: (channelId) => ({
      append: async (entries) => {
        await store.journal.append(channelId, entries);
        announce(channelId, entries);
      },
      after: (chat, position, most) => store.journal.after(channelId, chat, position, most),
      latest: (chat, most, before) => store.journal.latest(channelId, chat, most, before),
      under: (chat, key, of) => store.journal.under(channelId, chat, key, of),
      watch: (chat, wake) => watch(channelId, chat, wake),
    }),
  };
}

/** Open sessions of channels: created on demand, and recreated when the channel changes. */
export interface Sessions {
  /** Without a session where its messenger is not installed. */
  byDoor(door: string): Promise<OpenChannel | { channel: Channel; session?: undefined } | undefined>;
  /** Throws if the kind is unknown, or if the stored settings no longer fit its schema. */
  of(channel: Channel): ChannelSession;
  /** The open session, or a temporary one that is not kept: ten thousand waiting channels cost no memory. */
  peek(channel: Channel): ChannelSession;
  /** Sessions that stand in for these with another way outside; `context.openedAt` stays that of these. */
  standIns(outside: Pick<Parts, "call" | "gatewayOf">): Sessions;
  /** With the messenger's capabilities under the channel's settings. Throws as `of`. */
  open(channel: Channel): Pick<Open, "session" | "adapter" | "capabilities">;
  adapter(kind: string): ChannelAdapter | undefined;
  /** The features to announce to the gateway. Throws as `of`. */
  featuresOf(channel: Channel): Features;
  /** How texts are written at the gateway: in the server's notation if the messenger has formatting. Throws as `of`. */
  writingOf(channel: Channel): Writing;
  /** A stored request as it came to the channel's door; `proven`: with what authenticates it anew. Throws as `of`. */
  requestFor(channel: Channel, raw: RawWebhook, proven: boolean): Request;
  /** A file of the channel's account. Its failures are not the messenger's: nothing was sent there yet. */
  gatewayFile(channel: Channel, id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  evict(id: ChannelId): void;
  /** Accounts with open sessions. */
  accounts(): Set<AccountId>;
  /** Ends the account's sessions except those of these channels at their current epoch. */
  keepOnly(account: AccountId, channels: Channel[]): void;
}

export interface OpenChannel {
  channel: Channel;
  adapter: ChannelAdapter;
  session: ChannelSession;
}

interface Parts {
  adapters: ChannelAdapter[];
  store: Pick<Store, "channels" | "accounts" | "keptFiles" | "notes">;
  journals: Journals;
  call: Call;
  clock: Clock;
  publicUrl: string;
  markup: Markup;
  streamsOf(channel: ChannelId): Streams;
  serverOptions(kind: string): ServerOptions;
  gatewayOf(account: Account): Gateway;
}

interface Open {
  account: AccountId;
  epoch: number;
  openedAt: number;
  session: ChannelSession;
  adapter: ChannelAdapter;
  settings: unknown;
  capabilities: Capabilities;
  /** Made when first asked for, then kept: features cost time to make, and memory to keep. */
  writing?: Writing;
  closing: AbortController;
}

export function createSessions(parts: Parts, openedAtOf?: (channel: Channel) => number): Sessions {
  const adapters = new Map(parts.adapters.map((adapter) => [adapter.kind, adapter]));
  const open = new Map<ChannelId, Open>();

  const adapterOf = ({ kind }: Channel) => {
    const adapter = adapters.get(kind);
    // Until its package is back.
    if (!adapter) throw new DeliveryError({ type: "retry" }, notInstalled(kind));
    return adapter;
  };
  const openNew = (channel: Channel): Open => {
    const adapter = adapterOf(channel);
    const closing = new AbortController();
    // Every stream adds a listener; Node warns at the eleventh.
    setMaxListeners(0, closing.signal);
    const settings = adapter.settings.parse(channel.settings);
    const openedAt = openedAtOf?.(channel) ?? parts.clock.now();
    return {
      ...{ account: channel.accountId, epoch: channel.epoch, openedAt, adapter, settings, closing },
      capabilities: adapter.capabilities(settings),
      session: openSession(parts, adapter, channel, { settings, openedAt, closed: closing.signal }),
    };
  };
  const currentOf = ({ id, epoch }: Channel) => {
    const known = open.get(id);
    return known?.epoch === epoch ? known : undefined;
  };
  const openOf = (channel: Channel) => {
    const same = currentOf(channel);
    if (same) return same;
    const opened = openNew(channel);
    // A caller with a stale channel must not bring its old credentials back.
    const known = open.get(channel.id);
    if (known && known.epoch >= channel.epoch) {
      // Temporary session: end its streams here.
      opened.closing.abort();
      return opened;
    }
    open.set(channel.id, opened);
    known?.closing.abort();
    return opened;
  };
  const of = (channel: Channel) => openOf(channel).session;
  const evict = (id: ChannelId) => {
    open.get(id)?.closing.abort();
    open.delete(id);
  };

  return {
    of,
    peek: (channel) => (currentOf(channel) ?? openNew(channel)).session,
    standIns: (outside) => createSessions({ ...parts, ...outside }, (channel) => openOf(channel).openedAt),
    open: openOf,
    adapter: (kind) => adapters.get(kind),
    featuresOf(channel) {
      // Opens no session: at the start this runs for every channel.
      const adapter = adapterOf(channel);
      const settings = adapter.settings.parse(channel.settings);
      const features = adapter.features(settings);
      const formats = formatsFor(adapter.capabilities(settings), parts.markup);
      return { ...features, text: { ...features.text, formats } };
    },
    writingOf(channel) {
      const opened = openOf(channel);
      opened.writing ??= writingOf(opened, parts.markup);
      return opened.writing;
    },
    requestFor(channel, raw, proven) {
      const { adapter, settings } = openOf(channel);
      const server = parts.serverOptions(channel.kind);
      const proof = proven ? adapter.proof?.(settings, raw.body, server) : {};
      const path = raw.path && !raw.path.startsWith("?") ? `/${raw.path}` : raw.path;
      return new Request(`${parts.publicUrl}/m/${channel.door}${path}`, {
        ...{ method: "POST", headers: { ...raw.headers, ...proof }, body: raw.body },
      });
    },
    gatewayFile: (...asked) => gatewayFile(parts, ...asked),
    evict,
    accounts: () => new Set([...open.values()].map(({ account }) => account)),
    keepOnly(account, channels) {
      const epochs = new Map(channels.map(({ id, epoch }) => [id, epoch]));
      for (const [id, opened] of open)
        if (opened.account === account && opened.epoch < (epochs.get(id) ?? Number.POSITIVE_INFINITY)) evict(id);
    },
    async byDoor(door) {
      const channel = await parts.store.channels.byDoor(door);
      const adapter = channel && adapters.get(channel.kind);
      return adapter ? { channel, adapter, session: of(channel) } : channel && { channel };
    },
  };
}

const formatsFor = ({ marks, formats = FORMATS }: Capabilities, markup: Markup) =>
  marks && markup !== "none" ? formats : undefined;

function writingOf({ adapter, settings, capabilities }: Open, markup: Markup): Writing {
  const { text, image } = adapter.features(settings);
  return {
    markup: formatsFor(capabilities, markup) ? markup : "none",
    text: text.maxLength,
    note: image?.maxNote ?? text.maxLength,
  };
}

/** The chat of the agent's act being carried out: notes a session writes meanwhile are about that chat. */
export const chatOfAct = new AsyncLocalStorage<ChatId>();

function openSession(
  parts: Parts,
  adapter: ChannelAdapter,
  channel: Channel,
  own: { settings: unknown; openedAt: number; closed: AbortSignal },
): ChannelSession {
  const { store } = parts;
  const context = {
    channelId: channel.id,
    name: channel.name,
    doorUrl: `${parts.publicUrl}/m/${channel.door}`,
    server: parts.serverOptions(channel.kind),
    call: parts.call,
    clock: parts.clock,
    notes: {
      get: (key: string) => store.notes.get(channel.id, key),
      set: (notes: Note[]) => store.notes.set(channel.id, notes, chatOfAct.getStore()),
    },
    ...own,
    gatewayFile: (id: GatewayFileId, signal: AbortSignal) => gatewayFile(parts, channel, id, signal),
  };
  if (!isHosted(adapter)) return adapter.open(context);
  return adapter.open({
    ...context,
    journal: parts.journals.of(channel.id),
    keptFiles: {
      keep: (file, maxBytes, of) =>
        store.keptFiles.keep(channel.id, file, maxBytes, () => new FileTooLarge(maxBytes), of),
      open: (id) => store.keptFiles.open(channel.id, id),
    },
    streams: parts.streamsOf(channel.id),
  });
}

async function gatewayFile(
  { store, gatewayOf }: Parts,
  { accountId }: Channel,
  id: GatewayFileId,
  signal: AbortSignal,
): Promise<GatewayFile> {
  const asked = beforeSending(async () => {
    const account = await store.accounts.byId(accountId);
    if (!account) throw new DeliveryError({ type: "reject", code: "general" }, "the account is gone");
    return gatewayOf(account).file(id, signal);
  });
  const file = await asked.catch(blameGateway);
  return { ...file, open: (within) => file.open(within).catch(blameGateway) };
}

/** A fetch may be repeated; the gateway's refusal of our token is not the messenger's. */
function blameGateway(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const blamed = error.verdict.type === "reject" ? error : new DeliveryError({ type: "retry" }, error.message);
  blamed.fromOtherSide = true;
  throw blamed;
}

/** What depends on other parties: calls, permits, and the token. */
export interface Outside {
  call: Call;
  permits: Permits;
  /** Fetches the account's token from the CRM again; undefined if it is still `dead`. */
  renewToken(accountId: AccountId, dead: string): Promise<string | undefined>;
}

interface GatewaysParts extends Outside {
  clock: Clock;
  /** Shared knowledge about gateways' empty answers. */
  isDone: EmptyAnswers;
}

/** One gateway client per account, so that token renewals are shared; it follows the account's URL and token. */
export function createGateways({ renewToken, ...parts }: GatewaysParts): (account: Account) => Gateway {
  const known = new Map<AccountId, { binding: { url: string; token: string }; gateway: Gateway }>();
  return (account) => {
    const binding = { url: account.gatewayUrl, token: account.gatewayToken };
    const found = known.get(account.id);
    if (found) {
      Object.assign(found.binding, binding);
      return found.gateway;
    }
    const gateway = createGateway({
      ...parts,
      account: account.id,
      access: {
        url: () => binding.url,
        token: () => binding.token,
        renew: async (dead) => {
          const token = await renewToken(account.id, dead);
          if (token) binding.token = token;
          return token;
        },
      },
    });
    known.set(account.id, { binding, gateway });
    return gateway;
  };
}

/** A channel's templates as the messenger last listed them, for its page. One note. */
const note = z.object({
  /** Time of the last successful sync of the messenger's and the gateway's lists, ms since 1970. */
  at: z.number().optional(),
  /** The failure since then. */
  failed: z.object({ at: z.number(), error: z.string() }).optional(),
  templates: z.array(
    z.object({
      ...{ code: z.string(), name: z.string(), language: z.string(), category: z.string() },
      status: z.enum(STATUSES),
      quality: z.enum(QUALITIES).optional(),
      rejection: z.enum(REJECTIONS).optional(),
      unusable: z.string().optional(),
    }),
  ),
  /** How many more there are. */
  more: z.number(),
  /** Digests of both sides of templates as last written: a lasting difference is not written again. */
  written: z.record(z.string(), z.string()).default({}),
});
export type TemplateList = z.infer<typeof note>;
type Row = TemplateList["templates"][number];

const KEY = "templates";
const MAX_ROWS = 1_000;
const EMPTY: TemplateList = { templates: [], more: 0, written: {} };

export async function readTemplates(notes: Store["notes"], id: ChannelId): Promise<TemplateList> {
  const stored = await notes.get(id, KEY);
  return (stored && note.safeParse(parsed(stored)).data) || EMPTY;
}

export const keepTemplates = (notes: Store["notes"], id: ChannelId, list: TemplateList): Promise<void> =>
  notes.set(id, [{ key: KEY, value: JSON.stringify(list) }]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The rows to keep. */
export function rowsOf(templates: Template[]): Pick<TemplateList, "templates" | "more"> {
  const rows = templates.slice(0, MAX_ROWS).map(
    ({ code, name, language, category, status, quality, rejection, unusable }): Row => ({
      ...{ code, name, language, category, status, unusable },
      ...{ quality, rejection: status === "rejected" ? rejection : undefined },
    }),
  );
  return { templates: rows, more: templates.length - rows.length };
}

/**
 * Tells outages from refusals among answers outside the contract: if one message keeps getting such an answer while
 * others of its account pass, the answer is about that message. Example: a proxy's own "too large".
 */
export interface ForeignAnswers {
  /** Runs `act`, a part of the job. Throws what it throws, or a refusal instead of such an answer that keeps coming back. */
  watch<T>(job: Pick<Job, "key" | "accountId">, part: string, act: () => Promise<T>): Promise<T>;
}

/** The whole job: its success counts as a passed message, and its end clears the parts. */
export const WHOLE = "whole";

/** Such answers before a refusal, and over how long, ms: longer than most outages, far shorter than the deadline. */
const MAX_FOREIGN_ANSWERS = 5;
const MIN_SPAN_MS = 600_000;
/** Maximum jobs remembered; the oldest go first. */
const MAX_JOBS = 10_000;

interface Seen {
  count: number;
  since: number;
  refusal?: DeliveryError;
}

export function createForeignAnswers(clock: Clock): ForeignAnswers {
  const jobs = new Map<string, Map<string, Seen>>();
  const passedAt = new Map<AccountId, number>();
  // Count an answer for the innermost part only.
  const counted = new WeakSet<DeliveryError>();
  const partsOf = (key: string) => {
    const parts = jobs.get(key) ?? new Map<string, Seen>();
    jobs.set(key, parts);
    if (jobs.size > MAX_JOBS) jobs.delete(jobs.keys().next().value as string);
    return parts;
  };
  const judge = ({ key, accountId }: Pick<Job, "key" | "accountId">, part: string, error: DeliveryError) => {
    counted.add(error);
    const now = clock.monotonic();
    const parts = partsOf(key);
    const seen: Seen = parts.get(part) ?? { count: 0, since: now };
    parts.set(part, seen);
    seen.count += 1;
    const othersPass = (passedAt.get(accountId) ?? Number.NEGATIVE_INFINITY) > seen.since;
    if (seen.count < MAX_FOREIGN_ANSWERS || now - seen.since < MIN_SPAN_MS || !othersPass) return error;
    const verdict = { type: "reject", code: "general", externalCode: String(error.foreignStatus) } as const;
    seen.refusal = new DeliveryError(verdict, error.message);
    if (part === WHOLE) jobs.delete(key);
    return seen.refusal;
  };
  return {
    async watch(job, part, act) {
      const { refusal } = jobs.get(job.key)?.get(part) ?? {};
      // A refusal stands while the job is retried for another reason.
      if (refusal) throw refusal;
      try {
        const result = await act();
        if (part === WHOLE) {
          jobs.delete(job.key);
          passedAt.set(job.accountId, clock.monotonic());
        } else jobs.get(job.key)?.delete(part);
        return result;
      } catch (error) {
        const isForeign = error instanceof DeliveryError && error.foreignStatus !== undefined && !counted.has(error);
        throw isForeign ? judge(job, part, error) : error;
      }
    },
  };
}
