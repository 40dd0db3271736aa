import type { ChannelAdapter } from "../channels/port.ts";
import type { Config } from "../config.ts";
import { type Account, works } from "../domain/account.ts";
import type { Channel, UnsurePolicy } from "../domain/channel.ts";
import type { AccountId, ChannelId, JobId } from "../domain/ids.ts";
import type { Counts, EndedJob } from "../store/ended.ts";
import type { Store } from "../store/store.ts";
import { type Preview, preview, type Sketch } from "./preview.ts";

/** A person's visits to the account page. */
export interface Visits {
  /** The CRM opens the page with the account's client id; the token is for the cookie. */
  enter(clientId: string): Promise<string | undefined>;
  enterAs(accountId: AccountId): Promise<string>;
  byToken(token: string): Promise<Visit | undefined>;
  leave(token: string): Promise<void>;
  view(account: Account): Promise<AccountView>;
  sendAgain(account: Account, job: JobId): Promise<boolean>;
  /** What would become of a message in this channel; undefined when the account has no such channel. */
  preview(account: Account, id: ChannelId, sketch: Sketch): Promise<Previewed | undefined>;
}
export interface Previewed {
  channel: Pick<Channel, "id" | "name">;
  preview: Preview;
}

export interface Visit {
  account: Account;
  formToken: string;
}

/** What the account page shows; no secret is in it but the last characters of the key. */
export interface AccountView {
  crmUrl: string;
  keyEnd: string;
  state: "working" | "off" | "frozen";
  trouble?: string;
  channels: ChannelView[];
  kinds: { kind: string; title: string; schema: ChannelAdapter["settings"]; unsure?: UnsurePolicy }[];
  ended: (EndedJob & { channelName: string })[];
}
export interface ChannelView {
  channel: Pick<Channel, "id" | "kind" | "name" | "state" | "trouble" | "settings">;
  title: string;
  /** Absent where the messenger knows a repeated message again. */
  unsure?: UnsurePolicy;
  counts: Counts;
  snippet?: string;
  schema: ChannelAdapter["settings"];
}

export interface VisitParts {
  store: Pick<Store, "accounts" | "channels" | "outbox" | "webSessions">;
  adapters: ChannelAdapter[];
  config: Pick<Config, "publicUrl" | "limits">;
  wake(account: Account): void;
}

const MOST_LETTERS = 50;
const NOTHING: Counts = { waiting: 0, done: 0, dead: 0, held: 0 };

export function visiting(parts: VisitParts): Visits {
  const { store } = parts;
  return {
    async enter(clientId) {
      const account = await store.accounts.byClientId(clientId);
      return account && store.webSessions.start(account.id);
    },
    enterAs: (accountId) => store.webSessions.start(accountId),
    async byToken(token) {
      const session = await store.webSessions.byToken(token);
      const account = session && (await store.accounts.byId(session.accountId));
      return account && session && { account, formToken: session.formToken };
    },
    leave: (token) => store.webSessions.end(token),
    view: (account) => view(parts, account),
    async sendAgain(account, job) {
      const done = await store.outbox.sendAgain(account.id, job, parts.config.limits.outboundPatienceMs, {
        actor: "account user",
        action: "message sent again",
      });
      if (done) parts.wake(account);
      return done;
    },
    async preview(account, id, sketch) {
      const channel = await store.channels.byId(account.id, id);
      const adapter = channel && parts.adapters.find(({ kind }) => kind === channel.kind);
      return channel && adapter && { channel, preview: preview(adapter, channel, sketch) };
    },
  };
}

const canBeUnsure = (adapter: ChannelAdapter) => adapter.sendIdempotency !== "native";

async function view({ store, adapters, config }: VisitParts, account: Account): Promise<AccountView> {
  const [channels, counts, ended] = await Promise.all([
    store.channels.list(account.id),
    store.outbox.counts(account.id),
    store.outbox.ended(account.id, MOST_LETTERS),
  ]);
  const names = new Map<ChannelId, string>(channels.map((channel) => [channel.id, channel.name]));
  const toView = (channel: Channel): ChannelView[] => {
    const adapter = adapters.find(({ kind }) => kind === channel.kind);
    if (!adapter) return [];
    const snippet = adapter.snippet?.(config.publicUrl, channel.door);
    const { id, kind, name, state, trouble, settings } = channel;
    return [
      {
        channel: { id, kind, name, state, trouble, settings },
        title: adapter.title,
        unsure: canBeUnsure(adapter) ? channel.unsure : undefined,
        counts: counts.get(channel.id) ?? NOTHING,
        snippet,
        schema: adapter.settings,
      },
    ];
  };
  return {
    crmUrl: account.crmUrl,
    keyEnd: account.apiKey.slice(-4),
    state: works(account) ? "working" : account.frozen ? "frozen" : "off",
    trouble: account.trouble,
    channels: channels.flatMap(toView),
    kinds: adapters.map((adapter) => ({
      kind: adapter.kind,
      title: adapter.title,
      schema: adapter.settings,
      unsure: canBeUnsure(adapter) ? ("resend" as const) : undefined,
    })),
    ended: ended.map((job) => ({ ...job, channelName: names.get(job.channelId) ?? "" })),
  };
}
