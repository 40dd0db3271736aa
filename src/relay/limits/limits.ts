import { type Clock, deadline, pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Pace } from "gangway-messenger/port";
import { type Account, type Lease, works } from "../../domain/account.ts";
import { type Postponed, REST_MS } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Gateway } from "../../gateway/client.ts";
import { type CallEnd, MAX_HELD_MS, noPermit, type Permits, WINDOW_MS } from "../../gateway/limiter.ts";
import type { Log } from "../../log.ts";
import type { SharedPermit, SharedPermits } from "../../store/accounts.ts";
import type { Store } from "../../store/store.ts";

/**
 * A circuit breaker: while a destination does not answer, its jobs are postponed without an attempt, except for a probe
 * now and then. It drops nothing; deadlines still apply. Not a library: it runs on our clock, and must return jobs
 * instead of queueing them in memory.
 */
export interface Breakers {
  /** Runs `act`, unless the destination's circuit is open. */
  through<T extends object>(to: Destination, act: () => Promise<T>): Promise<T | Postponed>;
  /** Call when the account is taken: failures of calls cut off with the last lease do not count. */
  taken(account: AccountId): void;
}
interface Destination {
  account: AccountId;
  /** Gateway URL of an account, or a channel. */
  name: string;
  /** Whether a "too many requests" applies to all calls rather than to one chat. */
  pausesWhole: boolean;
}

/** Failures in a row that open the circuit, and the time between probes, ms (reliability figures). */
const MAX_FAILURES = 10;
const PROBE_MS = 15_000;
/** Time between postponed jobs, ms: spread to the gateway's own pace of 30 a second. */
const SPACING_MS = 34;

interface Circuit {
  failures: number;
  open: boolean;
  /** No call before this time, ms. */
  blockedUntil: number;
  /** When the last postponed job is due again, ms. */
  lastDueAt: number;
  account: AccountId;
}

export function createBreakers(clock: Clock, log: Log): Breakers {
  const circuits = new Map<string, Circuit>();
  const circuitOf = ({ name, account }: Destination): Circuit => {
    const circuit = circuits.get(name) ?? { failures: 0, open: false, blockedUntil: 0, lastDueAt: 0, account };
    circuits.set(name, circuit);
    return circuit;
  };
  const answered = (name: string) => {
    if (circuits.get(name)?.open) log.info("breaker.closed", { destination: name });
    circuits.delete(name);
  };
  const failed = (to: Destination) => {
    const { name } = to;
    const circuit = circuitOf(to);
    circuit.failures += 1;
    if (circuit.failures < MAX_FAILURES) return;
    if (!circuit.open) log.warn("breaker.opened", { destination: name, failures: circuit.failures });
    circuit.open = true;
    circuit.blockedUntil = Math.max(circuit.blockedUntil, clock.monotonic() + PROBE_MS);
  };
  const judge = (to: Destination, error: unknown) => {
    if (!(error instanceof DeliveryError) || error.fromOtherSide) return;
    const { verdict } = error;
    const afterMs = verdict.type === "retry" ? verdict.afterMs : undefined;
    if (verdict.type === "unsure" || (verdict.type === "retry" && afterMs === undefined)) return failed(to);
    // A refusal is an answer too.
    answered(to.name);
    if (afterMs !== undefined && to.pausesWhole) circuitOf(to).blockedUntil = clock.monotonic() + afterMs;
  };
  return {
    async through(to, act) {
      const circuit = circuits.get(to.name);
      const now = clock.monotonic();
      if (circuit && circuit.blockedUntil > now) {
        circuit.lastDueAt = Math.max(circuit.blockedUntil, circuit.lastDueAt + SPACING_MS);
        return { postponedMs: circuit.lastDueAt - now };
      }
      // This job is the probe; the others wait for the next.
      if (circuit?.open) circuit.blockedUntil = now + PROBE_MS;
      try {
        const result = await act();
        if (!("postponedMs" in result)) answered(to.name);
        return result;
      } catch (error) {
        judge(to, error);
        throw error;
      }
    },
    taken(account) {
      for (const [name, circuit] of circuits) if (circuit.account === account) circuits.delete(name);
    },
  };
}

/** Rests work that needs an account's gateway token while it is refused; resumes once a harmless call passes. */
export interface Resting {
  /** The gateway refuses the token, for this reason. */
  rest(accountId: AccountId, why: string): Promise<void>;
  /** The account may have been resting before a restart, or before it was switched off or frozen. */
  resume(accountId: AccountId): void;
  stop(): void;
}

interface RestingParts {
  store: Pick<Store, "accounts">;
  gatewayOf(account: Account): Pick<Gateway, "check">;
  clock: Clock;
  log: Log;
  wake(accountId: AccountId): void;
}

/** First and longest gap between probes, which doubles each time, and the deadline of one probe; ms. */
const FIRST_GAP_MS = 1_000;
const MAX_GAP_MS = 60_000;
const REST_PROBE_MS = 30_000;
/** A rest outlasts the next probe, ms; without probes, as after a crash, it ends on its own. */
const MARGIN_MS = MAX_GAP_MS + REST_PROBE_MS;

export function createResting({ store, gatewayOf, clock, log, wake }: RestingParts): Resting {
  const abort = new AbortController();
  const probed = new Set<AccountId>();
  const trouble = (text: string) => ({ text, restUntil: clock.now() + REST_MS + MARGIN_MS });

  /** `refused` includes unknown; `idle`: the account does nothing that needs a token. */
  const probeOnce = async (id: AccountId): Promise<"good" | "refused" | "idle"> => {
    const account = await store.accounts.byId(id);
    if (!account || !works(account)) return "idle";
    const { signal, end } = deadline(clock, REST_PROBE_MS, abort.signal);
    try {
      await gatewayOf(account).check(signal);
      return "good";
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const why = error.verdict.type === "reconnect" ? error.message : account.trouble;
      // A success or a reconnect during the probe may have ended the trouble.
      if (why !== undefined) await store.accounts.prolongTrouble(id, trouble(why));
      return "refused";
    } finally {
      end();
    }
  };
  /** True once a probe passes; false if the server stops or the account is switched off first. */
  const untilGood = async (id: AccountId): Promise<boolean> => {
    for (let gap = FIRST_GAP_MS; ; gap = Math.min(MAX_GAP_MS, gap * 2)) {
      await pause(clock, gap, abort.signal);
      if (abort.signal.aborted) return false;
      const found = await probeOnce(id).catch((error) => {
        log.warn("gateway.not-probed", { account: id, error: String(error) });
        return "refused" as const;
      });
      if (found !== "refused") return found === "good";
    }
  };
  const probe = async (id: AccountId) => {
    const good = await untilGood(id);
    // Before the write: a rest that begins during it needs its own probes.
    probed.delete(id);
    if (!good) return;
    await store.accounts.setTrouble(id);
    log.info("gateway.token-good", { account: id });
    wake(id);
  };
  const begin = (id: AccountId) => {
    if (probed.has(id)) return;
    probed.add(id);
    void probe(id).catch((error) => log.warn("gateway.not-probed", { account: id, error: String(error) }));
  };
  return {
    async rest(id, why) {
      if (!probed.has(id)) log.warn("gateway.token-refused", { account: id, why });
      await store.accounts.setTrouble(id, trouble(why));
      begin(id);
    },
    resume: begin,
    stop: () => abort.abort(),
  };
}

/** Keeps every channel within its messenger's rate limits. In memory; restored when another process did the work before. */
export interface Paces {
  /** Call when the account is taken. `calls`: roughly the last holder's calls within the last second. */
  taken(account: AccountId, calls: number): void;
  /** Loads, once per chat after each take, earlier calls (ended, wall clock) that still count. */
  countEarlier(at: PaceAt, endedSince: (since: number) => Promise<number[]>): Promise<void>;
  /** Time until a call to this chat may leave, ms; 0: now. */
  wait(at: PaceAt): number;
  /**
   * Counts the call from its start until its window after the answer, so that no window exceeds the limit. Postpones it
   * if others took the permit since `wait`.
   */
  run<T extends object>(at: PaceAt, call: () => Promise<T>): Promise<T | Postponed>;
  /** "Too many requests": pauses the chat. If a second chat is paused within that time, pauses the channel. */
  pause(at: PaceAt, ms: number): void;
}
export interface PaceAt {
  accountId: AccountId;
  channelId: ChannelId;
  pace: Pace;
  chat: ChatId;
  /** The call sends files. */
  hasFiles?: boolean;
}

/** `most` calls within `everyMs`. */
interface Limit {
  name: string;
  most: number;
  everyMs: number;
}
/** State of one limit. */
interface Window {
  inFlight: number;
  /** When ended calls leave the window, ms, in order. */
  freeAt: number[];
  pausedUntil: number;
  /** Time of the take whose previous calls are counted here. */
  countedAt?: number;
  /** Channels only: the chat paused last, and until when. */
  lastPaused?: { chat: ChatId; until: number };
}

const SECOND_MS = 1_000;
/** Delay when all permits are taken by calls under way, ms. */
const BUSY_MS = 50;
/** How often idle windows are forgotten, ms. */
const SWEEP_MS = 5_000;

export function createPaces(clock: Clock): Paces {
  const windows = new Map<string, Window>();
  const takes = new Map<AccountId, { at: number; calls: number }>();
  const sweep = () => {
    const now = clock.monotonic();
    for (const [name, { inFlight, pausedUntil, freeAt }] of windows)
      if (inFlight === 0 && pausedUntil <= now && !freeAt.some((at) => at > now)) windows.delete(name);
    if (windows.size > 0) clock.after(SWEEP_MS, sweep);
  };
  const windowOf = (name: string): Window => {
    const known = windows.get(name);
    if (known) return known;
    if (windows.size === 0) clock.after(SWEEP_MS, sweep);
    const made = { inFlight: 0, freeAt: [], pausedUntil: 0 };
    windows.set(name, made);
    return made;
  };
  const ofChat = ({ channelId, pace, chat }: PaceAt): Limit => {
    const { most, everyMs } = pace.perChat(chat);
    return { name: `${channelId}/${chat}`, most, everyMs };
  };
  const limitsOf = (at: PaceAt): Limit[] => {
    const { channelId, pace, hasFiles } = at;
    const limits = [{ name: channelId, most: pace.perSecond, everyMs: SECOND_MS }, ofChat(at)];
    if (hasFiles && pace.filesPerSecond)
      limits.push({ name: `${channelId}#files`, most: pace.filesPerSecond, everyMs: SECOND_MS });
    return limits;
  };
  const waitFor = ({ name, most }: Limit): number => {
    const window = windows.get(name);
    if (!window) return 0;
    const now = clock.monotonic();
    while (window.freeAt[0] !== undefined && window.freeAt[0] <= now) window.freeAt.shift();
    const paused = Math.max(0, window.pausedUntil - now);
    const taken = window.inFlight + window.freeAt.length;
    if (taken < most) return paused;
    return Math.max(paused, (window.freeAt[taken - most] ?? now + BUSY_MS) - now);
  };
  const count = ({ name, everyMs }: Limit, endedAt: number[]) => {
    const window = windowOf(name);
    window.freeAt = [...window.freeAt, ...endedAt.map((time) => time + everyMs)].sort((a, b) => a - b);
  };
  const isNew = ({ name, everyMs }: Limit, takenAt: number) =>
    clock.monotonic() < takenAt + everyMs && windows.get(name)?.countedAt !== takenAt;
  const longest = (limits: Limit[]) => Math.max(...limits.map(waitFor));
  return {
    taken: (account, calls) => void takes.set(account, { at: clock.monotonic(), calls }),
    async countEarlier(at, endedSince) {
      const take = takes.get(at.accountId);
      const own = ofChat(at);
      if (!take || !isNew(own, take.at)) return;
      const [wall, now] = [clock.now(), clock.monotonic()];
      const past = await endedSince(wall - own.everyMs);
      for (const limit of limitsOf({ ...at, hasFiles: true }).filter((each) => isNew(each, take.at))) {
        windowOf(limit.name).countedAt = take.at;
        if (limit.name !== own.name) count(limit, new Array(Math.min(take.calls, limit.most)).fill(take.at));
      }
      // Skip calls of this process itself. A future time means that the clock was put back: count it as now.
      const known = (windowOf(own.name).freeAt.at(-1) ?? Number.NEGATIVE_INFINITY) - own.everyMs;
      const others = past.map((time) => now - Math.max(0, wall - time)).filter((time) => time > known);
      // Add one call that may have been under way when the last holder ended.
      count(own, [...others, take.at]);
    },
    wait: (at) => longest(limitsOf(at)),
    async run(at, call) {
      const limits = limitsOf(at);
      const postponedMs = longest(limits);
      if (postponedMs > 0) return { postponedMs };
      const taken = limits.map(({ name }) => windowOf(name));
      for (const window of taken) window.inFlight += 1;
      try {
        return await call();
      } finally {
        const now = clock.monotonic();
        for (const [n, window] of taken.entries()) {
          window.inFlight -= 1;
          window.freeAt.push(now + (limits[n] as Limit).everyMs);
        }
      }
    },
    pause({ channelId, chat }, ms) {
      const now = clock.monotonic();
      const until = now + ms;
      const own = windowOf(`${channelId}/${chat}`);
      own.pausedUntil = Math.max(own.pausedUntil, until);
      const all = windowOf(channelId);
      const others = all.lastPaused && all.lastPaused.chat !== chat && all.lastPaused.until > now;
      if (others) all.pausedUntil = Math.max(all.pausedUntil, until);
      all.lastPaused = { chat, until };
    },
  };
}

// Any process serves forms and calls the gateway for them, but the rate limit applies to the token over all processes.
// The lease's holder has the permits in memory, except for a few shared ones in the database for everyone else.

/** Permits of a token reserved for processes that do not hold its account. */
export const SHARED_PERMITS = 4;
/** Retry interval when all shared permits are taken, ms. */
const ASK_MS = 200;
/** Longest call, ms; the permit of a dead process is free this long after MAX_HELD_MS. */
const LONGEST_CALL_MS = 120_000;

/** Delay until a permit is free: a window after the answer; without one, once no proxy can still hold the call. */
const FREE_AFTER: Record<CallEnd, number> = {
  ...{ answered: WINDOW_MS, intercepted: WINDOW_MS },
  ...{ unanswered: MAX_HELD_MS, unsent: 0 },
};

interface SharedParts {
  permits: Permits;
  sharedPermits: SharedPermits;
  holdings: { leaseOf(account: AccountId): Lease | undefined; take(account: AccountId): Promise<Lease | undefined> };
  clock: Clock;
}

/** In-memory permits for this process's accounts, shared permits for all others. */
export function withSharedPermits({ permits, sharedPermits, holdings, clock }: SharedParts): Permits {
  const pausedUntil = new Map<string, number>();
  const enter = async (key: string, signal?: AbortSignal): Promise<SharedPermit> => {
    while (!signal?.aborted) {
      const waits = (pausedUntil.get(key) ?? 0) - clock.monotonic();
      if (waits <= 0) pausedUntil.delete(key);
      const sharedPermit =
        waits > 0
          ? undefined
          : await sharedPermits.enter(key as AccountId, SHARED_PERMITS, MAX_HELD_MS + LONGEST_CALL_MS);
      if (sharedPermit && !signal?.aborted) return sharedPermit;
      if (sharedPermit) await sharedPermits.leave(sharedPermit, 0);
      await pause(clock, Math.max(waits, ASK_MS), signal);
    }
    throw noPermit();
  };
  return {
    ...permits,
    async run(key, priority, act, signal) {
      const account = key as AccountId;
      // Take the account if it is unowned.
      if (!holdings.leaseOf(account)) await holdings.take(account);
      if (holdings.leaseOf(account)) return permits.run(key, priority, act, signal);
      const sharedPermit = await enter(key, signal);
      let how: CallEnd = "answered";
      try {
        return await act((end) => {
          how = end;
        });
      } finally {
        // If this fails, the permit expires later.
        await sharedPermits.leave(sharedPermit, FREE_AFTER[how]).catch(() => undefined);
      }
    },
    pauseFor(key, ms) {
      permits.pauseFor(key, ms);
      pausedUntil.set(key, Math.max(pausedUntil.get(key) ?? 0, clock.monotonic() + ms));
    },
  };
}
