import type { Clock } from "gangway-messenger/clock";
import type { Lease } from "../../domain/account.ts";
import type { Job } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import {
  type DueJobs,
  GATEWAY,
  type Hosts,
  type NextDue,
  type ReadySlots,
  type Room,
  type Target,
} from "../../store/outbox.ts";

/**
 * `full`: the process has no slot. `none`: the account has none until a call of its own ends or the host grants one.
 */
export type Reserve = (account: AccountId, target: Target) => "reserved" | "none" | "full";

/** Round robin over accounts with due work. */
export interface Turns {
  /** The account may have work at this time, ms; now if absent. */
  look(account: AccountId, at?: number): void;
  /** Up to `most` accounts that may have work now. */
  toLookAt(most: number): AccountId[];
  /** What a look has found. */
  found(account: AccountId, next: NextDue): void;
  /** A slot was reserved for the account out of turn. */
  granted(account: AccountId): void;
  /** Deals slots to due accounts, one per turn, until each has one per job or no slot is left. Returns the accounts served. */
  deal(reserve: Reserve): AccountId[];
  /** Whether somebody waits for a slot. */
  isAnyoneWaiting(): boolean;
  /** Earliest time to look at an account, ms. */
  earliest(): number | undefined;
  accounts(): AccountId[];
}

interface Time {
  account: AccountId;
  at: number;
}

type Turn = [AccountId, DueJobs[]];

/** Binary search: the number of items before a point in a sorted list. */
function countBefore<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts in order of time, without duplicates: an account may report the same time repeatedly. */
function insert(times: Time[], time: Time): void {
  const next = countBefore(times, ({ at }) => at <= time.at);
  for (let n = next - 1; times[n]?.at === time.at; n--) if (times[n]?.account === time.account) return;
  times.splice(next, 0, time);
}

/** The account's turn: a slot for the next of its targets that has one. */
function turn(account: AccountId, due: DueJobs[], reserve: Reserve): ReturnType<Reserve> {
  for (let next = due.shift(); next; next = due.shift()) {
    const answer = reserve(account, next.target);
    if (answer === "full") due.unshift(next);
    if (answer === "reserved" && next.jobs > 1) {
      next.jobs -= 1;
      due.push(next);
    }
    if (answer !== "none") return answer;
  }
  return "none";
}

export function createTurns(clock: Pick<Clock, "now">): Turns {
  const unseen = new Set<AccountId>();
  // A Map keeps insertion order: an account that had its turn goes to the end.
  const now = new Map<AccountId, DueJobs[]>();
  const later = new Map<AccountId, number>();
  /** `later` sorted by time; includes times since replaced by an earlier one. */
  const times: Time[] = [];
  const given = new Set<AccountId>();
  const known = new Set<AccountId>();
  const isOld = ({ account, at }: Time) => later.get(account) !== at;
  const arrive = () => {
    for (let [first] = times; first && (isOld(first) || first.at <= clock.now()); [first] = times) {
      times.shift();
      if (isOld(first)) continue;
      later.delete(first.account);
      unseen.add(first.account);
    }
  };
  const look = (account: AccountId, at = clock.now()) => {
    known.add(account);
    if (at <= clock.now()) return void unseen.add(account);
    if (at >= (later.get(account) ?? Number.POSITIVE_INFINITY)) return;
    later.set(account, at);
    insert(times, { account, at });
  };
  return {
    look,
    toLookAt(most) {
      arrive();
      const accounts: AccountId[] = [];
      for (const account of unseen) {
        if (accounts.length === most) break;
        accounts.push(account);
        unseen.delete(account);
      }
      return accounts;
    },
    found(account, next) {
      if (next.due.length > 0) now.set(account, next.due);
      else now.delete(account);
      if (next.later !== undefined) look(account, next.later);
    },
    granted: (account) => void given.add(account),
    deal(reserve) {
      const served = new Set(given);
      given.clear();
      let full = false;
      let round: Iterable<Turn> = now;
      let next: Turn[];
      do {
        next = [];
        for (const [account, due] of round) {
          const answer = turn(account, due, reserve);
          full = answer === "full";
          if (full) break;
          if (answer === "reserved") served.add(account);
          if (due.length > 0) next.push([account, due]);
          // A served account goes to the end. One without a slot keeps its turn.
          now.delete(account);
        }
        round = next;
      } while (!full && next.length > 0);
      return [...served];
    },
    isAnyoneWaiting: () => now.size > 0 || given.size > 0,
    earliest() {
      while (times[0] && isOld(times[0])) times.shift();
      return times[0]?.at;
    },
    accounts: () => [...known],
  };
}

/** Slots for calls under way: per process, account, side, kind of messenger, and host called. */
export interface Slots {
  /** Reserves one more slot for the account's next claim. */
  reserve: Reserve;
  /** What is reserved for the account. */
  reserved(account: AccountId): Room;
  /** The claim is over: frees its reservation and takes slots for its jobs. */
  enter(account: AccountId, jobs: Job[]): void;
  leave(job: Job): void;
  /** Takes up to `most` slots for jobs that may leave with the commit that stores them. */
  take(account: AccountId, target: Target, most: number): TakenSlots;
}

interface TakenSlots {
  /** Slots not yet given. */
  left(): number;
  give(job: Job): void;
  /** Frees the slots not given. */
  release(): void;
}

interface Parts {
  calls: number;
  /** Default for accounts without a limit of their own. */
  callsPerAccount: number;
  hostsOf(account: AccountId): Hosts;
  /** A slot was reserved for an account that waited for its host. */
  granted(account: AccountId): void;
}

interface Limit {
  most: number;
  taken: number;
  /** Hosts only: accounts whose due work waits for a slot. */
  waiting?: Map<AccountId, Target>;
}
/** Limits of one account, and its reservation. */
interface Own extends Record<"all" | "gateway" | "messengers", Limit> {
  kinds: Map<string, Limit>;
  kindMost: number;
  hosts: Hosts;
  reserved: Reserved;
}
interface Reserved {
  jobs: Map<Target, number>;
  limits: Limit[];
}

/** Maximum share of calls to one host, across accounts: a host that hangs leaves the rest to others. */
const HOST_SHARE = 0.75;
const UNKNOWN: Hosts = { kindOf: new Map() };

export function createSlots({ calls, callsPerAccount, hostsOf, granted }: Parts): Slots {
  const all: Limit = { most: calls, taken: 0 };
  const { ownOf, limitsOf, setMost } = limiting(all, calls, callsPerAccount);
  const entered = new Map<Job, Limit[]>();
  const refresh = (account: AccountId, own: Own) => {
    try {
      own.hosts = hostsOf(account);
      setMost(own, own.hosts.calls);
    } catch {
      // An account whose hosts cannot be read must not block itself or others; its claim reports the fault.
    }
  };
  const reserve: Reserve = (account, target) => {
    if (!hasRoom(all)) return "full";
    const own = ownOf(account);
    refresh(account, own);
    const limits = limitsOf(own, target);
    const full = limits.find((limit) => !hasRoom(limit));
    // The account's own limits come first: it queues at the host only if it could use a slot.
    if (full?.waiting && !full.waiting.has(account)) full.waiting.set(account, target);
    if (full) return "none";
    take(limits);
    own.reserved.limits.push(...limits);
    own.reserved.jobs.set(target, (own.reserved.jobs.get(target) ?? 0) + 1);
    return "reserved";
  };
  /** Passes a host's free slots to the accounts that wait for them, in order. */
  const pass = (host: Limit) => {
    for (const [account, target] of host.waiting ?? []) {
      // An account may have moved to another host since.
      const answer = hasRoom(host) ? reserve(account, target) : "full";
      // The account stays queued and gets the next free slot.
      if (answer === "full") return;
      host.waiting?.delete(account);
      if (answer === "reserved") granted(account);
    }
  };
  const free = (limits: Limit[]) => {
    for (const limit of limits) limit.taken -= 1;
  };
  const passAll = (limits: Limit[]) => {
    for (const limit of limits) pass(limit);
  };
  const release = (limits: Limit[]) => {
    free(limits);
    passAll(limits);
  };
  return {
    reserve,
    reserved: (account) => roomOf(ownOf(account)),
    enter(account, jobs) {
      const own = ownOf(account);
      const { limits } = own.reserved;
      own.reserved = { jobs: new Map(), limits: [] };
      free(limits);
      for (const job of jobs) {
        const target = job.direction === "outbound" ? (own.hosts.kindOf.get(job.channelId) ?? "") : GATEWAY;
        entered.set(job, take(limitsOf(own, target)));
      }
      passAll(limits);
    },
    leave(job) {
      release(entered.get(job) ?? []);
      entered.delete(job);
    },
    take(account, target, most) {
      const own = ownOf(account);
      refresh(account, own);
      const taken: Limit[][] = [];
      const limits = limitsOf(own, target);
      while (taken.length < most && limits.every(hasRoom)) taken.push(take(limits));
      return {
        left: () => taken.length,
        give: (job) => void entered.set(job, taken.pop() ?? []),
        release: () => {
          for (const each of taken.splice(0)) release(each);
        },
      };
    },
  };
}

const hasRoom = ({ taken, most }: Limit): boolean => taken < most;

function take(limits: Limit[]): Limit[] {
  for (const limit of limits) limit.taken += 1;
  return limits;
}

function roomOf({ reserved: { jobs }, hosts: { kindOf } }: Own): Room {
  const left = (target: Target) => jobs.get(target) ?? 0;
  let most = 0;
  for (const count of jobs.values()) most += count;
  return {
    most,
    free(side, channelId) {
      if (side === "gateway") return left(GATEWAY);
      if (channelId) return left(kindOf.get(channelId) ?? "");
      let free = 0;
      for (const [target, count] of jobs) if (target !== GATEWAY) free += count;
      return free;
    },
    take(side, channelId) {
      const target = side === "gateway" ? GATEWAY : (kindOf.get(channelId) ?? "");
      if (left(target) === 0) return false;
      jobs.set(target, left(target) - 1);
      return true;
    },
  };
}

/** Limits on calls: an account's own, by side and by kind of messenger, and those of the hosts that all accounts share. */
function limiting(all: Limit, calls: number, callsPerAccount: number) {
  const hostMost = Math.max(1, Math.floor(calls * HOST_SHARE));
  const accounts = new Map<AccountId, Own>();
  const [gateways, messengers] = [new Map<string, Limit>(), new Map<string, Limit>()];
  const limit = (most: number): Limit => ({ most, taken: 0 });
  const hostIn = (hosts: Map<string, Limit>, name: string): Limit => {
    const known = hosts.get(name) ?? { ...limit(hostMost), waiting: new Map() };
    hosts.set(name, known);
    return known;
  };
  const ownOf = (account: AccountId): Own => {
    const known = accounts.get(account);
    if (known) return known;
    const sides = { all: limit(0), gateway: limit(0), messengers: limit(0) };
    const own = { kinds: new Map(), kindMost: 0, hosts: UNKNOWN, reserved: { jobs: new Map(), limits: [] }, ...sides };
    accounts.set(account, own);
    setMost(own);
    return own;
  };
  /** Calls under way beyond a lower limit end as they would; none begins until they are below it. */
  const setMost = (own: Own, most = callsPerAccount) => {
    if (own.all.most === most) return;
    own.all.most = most;
    // A messenger that hangs leaves its account a call for the gateway, and vice versa.
    for (const side of [own.gateway, own.messengers]) side.most = Math.max(1, most - 1);
    // And one call for its other messengers, including any added later.
    own.kindMost = Math.max(1, most - 2);
    for (const kind of own.kinds.values()) kind.most = own.kindMost;
  };
  const limitsOf = (
    { all: ownCalls, gateway, messengers: side, kinds, kindMost, hosts }: Own,
    target: Target,
  ): Limit[] => {
    if (target === GATEWAY)
      return hosts.gateway ? [all, ownCalls, gateway, hostIn(gateways, hosts.gateway)] : [all, ownCalls, gateway];
    const kind = kinds.get(target) ?? limit(kindMost);
    kinds.set(target, kind);
    return [all, ownCalls, side, kind, hostIn(messengers, target)];
  };
  return { ownOf, limitsOf, setMost };
}

/**
 * Runs a write with slots for up to `wanted` jobs that it stores; without any when other jobs wait, or no slot is free.
 * Resolves with its result, and how many jobs have begun.
 */
export type WithSlots = <T>(
  account: AccountId,
  target: Target,
  wanted: number,
  write: (slots?: ReadySlots) => Promise<T>,
) => Promise<{ result: T; begun: number }>;

/** For callers that start no calls. */
export const withoutSlots: WithSlots = async (_account, _target, _wanted, write) => ({
  result: await write(),
  begun: 0,
});

interface Promising {
  turns: Turns;
  slots: Slots;
  /** Whether the account has due jobs. */
  isDue(account: AccountId): boolean;
  /** Undefined until the account's lease is taken, and while the worker claims nothing. */
  leaseOf(account: AccountId): Lease | undefined;
  run(job: Job): void;
  /** Called when promised slots are freed: the account may have found none meanwhile. */
  wake(account: AccountId): void;
}

/** Writes that may start calls. They count as under way: the account's lease is kept until they have ended. */
interface Promised {
  withSlots: WithSlots;
  /** Resolves, per write of the account (or of all), once the write has ended and its jobs run. */
  ends(account?: AccountId): Promise<void>[];
  /** Jobs stored from now on under an old lease are not started here: another process sends them. */
  abandon(): void;
}

export function createWithSlots({ turns, slots, isDue, leaseOf, run, wake }: Promising): Promised {
  const promises = new Set<{ account: AccountId; ended: Promise<void>; abandoned: boolean }>();
  return {
    async withSlots(account, target, wanted, write) {
      const lease = leaseOf(account);
      const isFree = wanted > 0 && lease && !turns.isAnyoneWaiting() && !isDue(account);
      const taken = isFree && slots.take(account, target, wanted);
      if (!taken || taken.left() === 0) return withoutSlots(account, target, wanted, write);
      const { promise: ended, resolve: kept } = Promise.withResolvers<void>();
      const promised = { account, ended, abandoned: false };
      promises.add(promised);
      let begun = 0;
      const begin = (jobs: Job[]) => {
        begun += jobs.length;
        if (promised.abandoned) return;
        for (const job of jobs) {
          taken.give(job);
          run(job);
        }
      };
      try {
        const result = await write({ lease, most: taken.left(), begin });
        return { result, begun };
      } finally {
        const isLeft = taken.left() > 0;
        taken.release();
        promises.delete(promised);
        kept();
        if (isLeft) wake(account);
      }
    },
    ends: (of) => [...promises].flatMap(({ account, ended }) => (of && account !== of ? [] : [ended])),
    abandon() {
      for (const promised of promises) promised.abandoned = true;
    },
  };
}
