import { type Clock, deadline, pause } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelAdapter } from "gangway-messenger/port";
import { type Account, works } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Creating } from "../../relay/accept/templates.ts";
import {
  keepTemplates,
  readTemplates,
  rowsOf,
  type Sessions,
  type TemplateList,
} from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { initialFeatures } from "../channels/abilities.ts";
import { syncTemplates } from "./sync.ts";

/** Keeps the gateway's templates in sync with the messengers'. */
export interface TemplateSync {
  start(): void;
  stop(): Promise<void>;
  /** Schedules a run in the background; requests within GATHER_MS share one run. */
  ask(id: ChannelId): void;
  /** Runs for an account's user and waits up to PAGE_MS. Undefined if there is no such channel with templates. */
  now(account: Account, id: ChannelId): Promise<SyncResult | undefined>;
  /** The CRM's callback: syncs all of the account's channels. It is unsigned, so runs are rate limited. */
  manual(form: URLSearchParams): Promise<{ success: boolean }>;
}
export type SyncResult = "done" | "failed" | "running";

export interface TemplateSyncParts {
  store: Pick<Store, "accounts" | "channels" | "notes">;
  sessions: Pick<Sessions, "peek" | "featuresOf">;
  creating: Creating;
  gatewayOf(account: Account): Gateway;
  clock: Clock;
  log: Log;
}

const HOUR_MS = 3_600_000;
/** Delay that gathers changes into one run, ms: changes often come in groups. */
const GATHER_MS = 1_000;
/** Minimum rest between runs that unauthenticated requests cause, ms. */
const MANUAL_MS = 10_000;
/** Deadline for a run, ms. */
const RUN_MS = 10 * 60_000;
/** How long a page waits for a run, ms. */
const PAGE_MS = 10_000;
/** First wait after a failed run, ms; it doubles up to an hour. */
const AGAIN_MS = 60_000;
/** How long a created template is new, ms: the gateway may lack its code, the messenger's list the template. */
const FRESH_MS = 120_000;
/** Channels synced concurrently. */
const AT_ONCE = 2;

/** Whether a new channel of this kind has templates. */
export const hasTemplates = (adapter: ChannelAdapter): boolean => initialFeatures(adapter).templates !== undefined;

export function createTemplateSync(parts: TemplateSyncParts): TemplateSync {
  const { store, sessions, clock, log } = parts;
  const stopped = new AbortController();
  const timers = new Map<ChannelId, { at: number; cancel: () => void }>();
  const running = new Map<ChannelId, Promise<boolean>>();
  const queued = new Map<ChannelId, Promise<boolean>>();
  const failures = new Map<ChannelId, number>();
  const endedAt = new Map<ChannelId, number>();

  /** Undefined if there is nothing to sync. */
  const subject = async (id: ChannelId) => {
    const channel = await store.channels.ofJob(id);
    const account = channel && (await store.accounts.byId(channel.accountId));
    if (!account || !works(account) || shownState(channel) !== "active" || !channel.gatewayChannelId) return undefined;
    if (!sessions.featuresOf(channel).templates) return undefined;
    return { account, channel, gatewayId: channel.gatewayChannelId };
  };
  const later = (id: ChannelId, ms: number) => {
    if (timers.has(id) || stopped.signal.aborted) return;
    const begin = () => {
      timers.delete(id);
      void run(id);
    };
    timers.set(id, { at: clock.monotonic() + ms, cancel: clock.after(ms, begin) });
  };
  /** Brings a scheduled run forward, even one that backs off after failures. */
  const sooner = (id: ChannelId, ms: number) => {
    const waiting = timers.get(id);
    if (waiting && waiting.at > clock.monotonic() + ms) {
      waiting.cancel();
      timers.delete(id);
    }
    later(id, ms);
  };
  const attempt = async (id: ChannelId): Promise<boolean> => {
    const found = await subject(id);
    if (!found) return true;
    const ended = await syncChannel(parts, found, stopped.signal);
    if (stopped.signal.aborted) return false;
    const count = ended.isAway ? (failures.get(id) ?? 0) + 1 : 0;
    failures.set(id, count);
    if (ended.isAway) later(id, Math.min(HOUR_MS, AGAIN_MS * 2 ** (count - 1)));
    if (ended.isEarly) later(id, FRESH_MS);
    if (ended.error) log.warn("templates.not-synchronised", { channel: id, error: ended.error });
    return ended.error === undefined;
  };
  /** Starts a run; the caller ensures one per channel at a time. Never rejects; resolves with false on failure. */
  const begin = (id: ChannelId): Promise<boolean> => {
    const failed = (error: unknown) => {
      log.warn("templates.failed", { channel: id, error: String(error) });
      return false;
    };
    const end = () => {
      running.delete(id);
      endedAt.set(id, clock.monotonic());
    };
    const act = attempt(id).catch(failed).finally(end);
    running.set(id, act);
    return act;
  };
  /** The current run may have read an older list: queue one more, shared by all who ask meanwhile. */
  const run = (id: ChannelId): Promise<boolean> => {
    const next = queued.get(id);
    if (next) return next;
    const current = running.get(id);
    if (!current) return begin(id);
    const after = current.then(() => {
      queued.delete(id);
      return begin(id);
    });
    queued.set(id, after);
    return after;
  };
  const channelsOf = async ({ id }: Account) => (await store.channels.list(id)).map((channel) => channel.id);
  const round = async (stop: AbortSignal) => {
    const accounts = (await store.accounts.list()).filter(works);
    const channels = (await Promise.all(accounts.map(channelsOf))).flat();
    await eachOf(channels, AT_ONCE, async (id) => void (await run(id)), stop);
  };
  const loop = createLoop({
    ...{ clock, everyMs: HOUR_MS, round },
    failed: (error) => log.warn("templates.failed", { error: String(error) }),
  });
  return {
    start: () => void loop.start(),
    async stop() {
      stopped.abort();
      for (const { cancel } of timers.values()) cancel();
      await loop.stop();
      await Promise.all([...running.values(), ...queued.values()]);
    },
    ask: (id) => later(id, GATHER_MS),
    async now(account, id) {
      const found = await subject(id);
      if (found?.account.id !== account.id) return undefined;
      const isDone = await Promise.race([run(id), pause(clock, PAGE_MS)]);
      return isDone === undefined ? "running" : isDone ? "done" : "failed";
    },
    async manual(form) {
      const account = await store.accounts.byClientId(form.get("clientId") ?? "");
      if (!account) return { success: false };
      for (const id of await channelsOf(account)) {
        const restMs = (endedAt.get(id) ?? -MANUAL_MS) + MANUAL_MS - clock.monotonic();
        sooner(id, Math.max(GATHER_MS, restMs));
      }
      return { success: true };
    },
  };
}

interface Found {
  account: Account;
  channel: Channel;
  gatewayId: NonNullable<Channel["gatewayChannelId"]>;
}

/** `isAway`: the failure may pass, retry soon. `isEarly`: a template is too new to judge. */
async function syncChannel(
  { store: { notes }, sessions, creating, gatewayOf, clock }: TemplateSyncParts,
  { account, channel, gatewayId }: Found,
  stop: AbortSignal,
): Promise<{ error?: string; isAway?: boolean; isEarly?: boolean }> {
  const { id } = channel;
  const known = await readTemplates(notes, id);
  const { signal, end } = deadline(clock, RUN_MS, stop);
  const failed = async (before: TemplateList, error: string, isAway = false) => {
    await keepTemplates(notes, id, { ...before, failed: { at: clock.now(), error } });
    return { error, isAway };
  };
  try {
    const messenger = sessions.peek(channel).templates;
    if (!messenger) return {};
    const synced = await syncTemplates(
      {
        ...{ channel: gatewayId, messenger, gateway: gatewayOf(account).templates, written: known.written },
        settled: () => creating.settled(id),
        isNew: (code: string) => creating.isNew(id, code, clock, FRESH_MS),
      },
      signal,
    );
    const list = { ...rowsOf(synced.templates), written: synced.written, at: clock.now() };
    const [refused] = synced.refused;
    if (refused) return await failed(list, `The CRM's chats did not take ${refused.code}: ${refused.error}`);
    await keepTemplates(notes, id, list);
    return { isEarly: synced.isEarly };
  } catch (error) {
    if (stop.aborted) return {};
    const isFinal = error instanceof DeliveryError && /^(reject|reconnect)$/.test(error.verdict.type);
    return failed(await readTemplates(notes, id), errorText(error), !isFinal);
  } finally {
    end();
  }
}
