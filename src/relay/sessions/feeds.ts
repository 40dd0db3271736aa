import { setMaxListeners } from "node:events";
import { type Clock, pause } from "gangway-messenger/clock";
import { eachOf, serialByKey } from "gangway-messenger/concurrency";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { Streams } from "gangway-messenger/hosted";
import type { ChannelId } from "gangway-messenger/ids";
import type { Feed, Receipt } from "gangway-messenger/port";
import { type Account, works } from "../../domain/account.ts";
import { type Channel, sameTrouble } from "../../domain/channel.ts";
import { Overload, retryDelayMs, STORE_REST_MS, untilRecorded } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Holdings } from "../scheduler/holdings.ts";
import type { Sessions } from "./sessions.ts";

/** Polls the messengers that do not call us: one feed per channel, restarted when the channel changes. */
export interface Feeds {
  start(): Promise<void>;
  /** The channel was created, changed, stopped or removed: followed in the background. */
  changed(id: ChannelId): void;
  /** Of the channels that have one. */
  running(): ChannelId[];
  /** Ends the feeds of an account that another process takes over, or all feeds. Resolves when they have ended. */
  leave(account?: AccountId): Promise<void>;
  /** Resolves when all feeds have ended. */
  stop(): Promise<void>;
}

type Arrival = Omit<Receipt, "reply">;

interface Parts {
  store: Pick<Store, "accounts" | "channels">;
  sessions: Sessions;
  /** Resolves once the arrival is on disk. Throws Overload. */
  acceptInbound(channel: Channel, arrival: Arrival): Promise<void>;
  clock: Clock;
  log: Log;
  random(): number;
  /** Whether this process works for the account; absent: always. */
  isOurs?(account: AccountId): boolean;
}
interface Running {
  account: AccountId;
  epoch: number;
  abort: AbortController;
  ended: Promise<void>;
}

/** Failures after which the delay stops growing. */
const MAX_DOUBLINGS = 7;
/** Minimum time between two starts of a feed that ended without an error, ms. */
const MIN_RUN_MS = 1_000;

export function createFeeds({ store, sessions, acceptInbound, clock, log, random, isOurs }: Parts): Feeds {
  const running = new Map<ChannelId, Running>();
  const stop = new AbortController();
  // Each channel that waits for the store adds a listener; Node warns at the eleventh.
  setMaxListeners(0, stop.signal);

  /** On overload the feed waits with its arrival: it polls no further, and its cursor stays. */
  const save = async (channel: Channel, arrival: Arrival, signal: AbortSignal) => {
    for (let logged = false; ; logged = true) {
      try {
        return await acceptInbound(channel, arrival);
      } catch (error) {
        if (!(error instanceof Overload) || signal.aborted) throw error;
        if (!logged) log.warn("feed.resting", { channel: channel.id, bound: error.bound });
        await pause(clock, error.retryAfter * 1000, signal);
        // The channel may be gone by now.
        if (signal.aborted) throw error;
      }
    }
  };

  /** Stores each change of a channel's trouble once, for the CRM's users. */
  const troubleReporter = (channel: Channel) => {
    let reported: string | undefined = channel.trouble ?? "";
    return async (trouble: string | undefined) => {
      if (sameTrouble(trouble, reported)) return;
      await store.channels.setTrouble(channel.id, trouble);
      reported = trouble;
    };
  };

  const run = async (channel: Channel, feed: Feed, signal: AbortSignal) => {
    let failures = 0;
    const reportTrouble = troubleReporter(channel);
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      try {
        await feed.run(async (arrival) => {
          await save(channel, arrival, signal);
          failures = 0;
          await reportTrouble(arrival.trouble);
        }, signal);
        await pause(clock, MIN_RUN_MS - (clock.monotonic() - startedAt), signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const text = errorText(error);
        log.warn("feed.failed", { channel: channel.id, failures, error: text });
        try {
          if (error instanceof DeliveryError && error.verdict.type === "reconnect")
            return await store.channels.setState(channel.id, "stopped", text, { epoch: channel.epoch });
          // One failure is a network hiccup; report only what lasts.
          if (failures > 1) await reportTrouble(text);
        } catch (fault) {
          // A full disk: the next failure reports it again.
          log.warn("feed.not-told", { channel: channel.id, error: String(fault) });
        }
        await pause(clock, retryDelayMs(Math.min(failures, MAX_DOUBLINGS), random()), signal);
      }
    }
  };

  const begin = (channel: Channel) => {
    if (stop.signal.aborted || channel.state === "stopped" || channel.state === "removed") return;
    if (isOurs && !isOurs(channel.accountId)) return;
    const feed = sessions.peek(channel).feed && sessions.of(channel).feed;
    if (!feed) return;
    const abort = new AbortController();
    const { accountId: account, epoch } = channel;
    running.set(channel.id, { account, epoch, abort, ended: run(channel, feed, abort.signal) });
  };
  const start = (channel: Channel) => {
    try {
      begin(channel);
    } catch (error) {
      logNotStarted({ channel: channel.id })(error);
    }
  };
  const end = async (id: ChannelId) => {
    const feed = running.get(id);
    running.delete(id);
    feed?.abort.abort();
    await feed?.ended;
  };
  const restart = async (id: ChannelId) => {
    const channel = await store.channels.ofJob(id);
    const feed = running.get(id);
    // The feed already follows this change; other processes announce it as well.
    if (channel && feed?.epoch === channel.epoch && !feed.abort.signal.aborted) return;
    await end(id);
    if (channel) start(channel);
  };
  // Serialized: two feeds of one login would take each other's messages.
  const serial = serialByKey<ChannelId>();
  const logNotStarted = (subject: object) => (error: unknown) => {
    log.warn("feed.not-started", { ...subject, error: String(error) });
    return [];
  };

  return {
    async start() {
      for (const { id } of await store.accounts.list())
        for (const channel of await store.channels.list(id).catch(logNotStarted({ account: id })))
          if (!running.has(channel.id)) start(channel);
    },
    changed(id) {
      if (stop.signal.aborted) return;
      const followed = () => serial(id, () => restart(id));
      untilRecorded(clock, stop.signal, followed, logNotStarted({ channel: id })).catch(() => undefined);
    },
    running: () => [...running.keys()],
    async leave(account) {
      const left = [...running].filter(([, feed]) => account === undefined || feed.account === account);
      for (const [, feed] of left) feed.abort.abort();
      // Serialized: if the account returns meanwhile, its next feed waits for this one's end.
      await Promise.all(left.map(([id, feed]) => serial(id, () => (running.get(id) === feed ? end(id) : feed.ended))));
    },
    async stop() {
      stop.abort();
      await Promise.all([...running.keys()].map(end));
    },
  };
}

/** Shares of the server's streams that one owner, a channel or an account's pages, and one address (an office), may hold. */
const [OWNER, ADDRESS] = [1 / 2, 1 / 20];

/** Limits open streams: in total, per owner and per address. */
export function createStreams(maxStreams: number): (owner: string) => Streams {
  const open = new Map<string, number>();
  const add = (names: string[], by: 1 | -1) => {
    for (const name of names) {
      const count = (open.get(name) ?? 0) + by;
      if (count > 0) open.set(name, count);
      else open.delete(name);
    }
  };
  const limitsOf = (owner: string, address: string): [name: string, most: number][] => [
    ["all", maxStreams],
    [`owner ${owner}`, Math.ceil(maxStreams * OWNER)],
    [`address ${address}`, Math.ceil(maxStreams * ADDRESS)],
  ];
  const fits = ([name, most]: [string, number]) => (open.get(name) ?? 0) < most;
  return (owner) => ({
    hasRoom: (address) => limitsOf(owner, address).every(fits),
    take(address) {
      const limits = limitsOf(owner, address);
      if (!limits.every(fits)) return undefined;
      const taken = limits.map(([name]) => name);
      add(taken, 1);
      // A second release has no effect.
      return () => add(taken.splice(0), -1);
    },
  });
}

interface ChangesParts {
  store: Pick<Store, "accounts" | "channels">;
  sessions: Pick<Sessions, "accounts" | "keepOnly">;
  holdings: Pick<Holdings, "accounts" | "leaseOf">;
  clock: Pick<Clock, "after">;
  /** A channel of an account that this process works for was added, changed, paused or removed. */
  changed(id: ChannelId): void;
  /** An account of this process was reconnected or switched on. */
  resumed(account: Account): void;
  log: Log;
}

/** State that this process has already acted on. */
interface Known {
  binding: string;
  epochs: Map<ChannelId, number>;
}

/** Accounts checked concurrently. */
const AT_ONCE = 8;

const bindingOf = (account: Account) =>
  [works(account), account.gatewayUrl, account.crmUrl, account.trouble !== undefined].join(" ");

/** Follows changes by other processes: any process serves forms, but feeds and sessions are this one's. */
export function followChanges({ store, sessions, holdings, clock, changed, resumed, log }: ChangesParts): void {
  const known = new Map<AccountId, Known>();
  const untold = new Set<AccountId>();
  /** Looked at again shortly. */
  const failing = new Set<AccountId>();
  let busy = false;

  const look = async (id: AccountId) => {
    const [account, channels] = await Promise.all([store.accounts.byId(id), store.channels.list(id)]);
    sessions.keepOnly(id, channels);
    const before = known.get(id);
    known.delete(id);
    if (!account || !holdings.leaseOf(id)) return;
    const now = { binding: bindingOf(account), epochs: new Map(channels.map((each) => [each.id, each.epoch])) };
    known.set(id, now);
    const all = new Set([...now.epochs.keys(), ...(before?.epochs.keys() ?? [])]);
    for (const each of all) if (before?.epochs.get(each) !== now.epochs.get(each)) changed(each);
    if (works(account) && before?.binding !== now.binding) resumed(account);
  };
  const lookAtAll = async () => {
    busy = true;
    while (untold.size > 0) {
      const ids = [...untold];
      untold.clear();
      await eachOf(ids, AT_ONCE, (id) =>
        look(id).then(
          () => void failing.delete(id),
          (error) => {
            if (!failing.has(id)) log.warn("account.not-followed", { account: id, error: errorText(error) });
            failing.add(id);
            clock.after(STORE_REST_MS, () => follow([id]));
          },
        ),
      );
    }
    busy = false;
  };
  const follow = (accountIds?: string[]): void => {
    const own = new Set<string>([...holdings.accounts(), ...sessions.accounts()]);
    for (const id of accountIds ?? own) if (own.has(id)) untold.add(id as AccountId);
    if (!busy) void lookAtAll();
  };
  store.channels.onChanged(follow);
}

interface ErasuresParts {
  store: Pick<Store, "erasure">;
  worker: { revoke(): Promise<void> };
  sessions: Pick<Sessions, "evict">;
  feeds: Pick<Feeds, "running" | "changed">;
}

/** Aborts calls for erased customers, whichever process erased them. The store would record no result of them. */
export function followErasures({ store, worker, sessions, feeds }: ErasuresParts): void {
  const endGone = async () => {
    const gone = await store.erasure.goneChannels();
    const fed = new Set(feeds.running());
    for (const id of gone) {
      sessions.evict(id);
      if (fed.has(id)) feeds.changed(id);
    }
  };
  store.erasure.onErased(() => {
    // A failure is harmless: the store records no result of such a job.
    void worker.revoke().catch(() => undefined);
    void endGone().catch(() => undefined);
  });
}
