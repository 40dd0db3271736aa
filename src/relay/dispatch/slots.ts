import type { Job } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Room, Side } from "../../store/outbox.ts";
import { createCounters, type NamedLimit } from "./counters.ts";
import type { Hosts } from "./hosts.ts";

export const SIDES: Side[] = ["gateway", "messenger"];

/** Slots for calls under way: per process, account, side, kind of messenger, and host called. */
export interface Slots {
  /** Reserves one more slot for the account's next claim; false if there is none. */
  keep(account: AccountId): boolean;
  /** What is reserved for the account. */
  kept(account: AccountId): Room;
  /** The claim is over: frees its reservation and takes slots for its jobs. */
  enter(account: AccountId, jobs: Job[]): void;
  leave(job: Job): void;
  /** The account's kinds of messengers without a free slot. */
  full(account: AccountId): string[];
  /**
   * False if due work of this side, or toward this kind of messenger, must wait until a call of the account ends, or
   * until `wake` reports a free slot at the host.
   */
  open(account: AccountId, side: Side, kind?: string): boolean;
}

interface Parts {
  calls: number;
  callsPerAccount: number;
  /** Undefined until known; the account has no slot until then. */
  hostsOf(account: AccountId): Hosts | undefined;
  wake(account: AccountId): void;
}

/** Maximum share of calls to one host, across accounts: a host that hangs leaves the rest to others. */
const HOST_SHARE = 0.75;
const ALL = "all";

export function createSlots({ calls, callsPerAccount, hostsOf, wake }: Parts): Slots {
  const { take, free, below } = createCounters();
  const { sideOf, kindOf, kindsOf } = limiting({ calls, callsPerAccount, hostsOf });
  const limitsOf = (account: AccountId, side: Side, kind?: string) =>
    kind === undefined ? sideOf(account, side) : [...sideOf(account, side), ...kindOf(account, kind)];
  const haveRoom = (limits: Limit[]) => limits.every(({ name, most }) => below(name, most));
  const waiting = createWaiting(wake);
  // Count first: an account woken for nothing loses its turn.
  const wakeFor = (freed: Limit[]) => {
    for (const { name, most, shared } of freed) if (shared && below(name, most)) waiting.next(name);
  };
  const kept = new Map<AccountId, Kept>();
  const entered = new Map<Job, Limit[]>();
  const isOpen = (account: AccountId, side: Side, kind?: string) =>
    (kind === undefined || kindsOf(account).includes(kind)) && haveRoom(limitsOf(account, side, kind));
  const own = (account: AccountId): Limit[] => [
    { name: ALL, most: calls },
    { name: account, most: callsPerAccount },
  ];
  const may = (account: AccountId) =>
    below(ALL, calls) &&
    below(account, callsPerAccount) &&
    hostsOf(account) !== undefined &&
    SIDES.some((side) => isOpen(account, side));
  const limitsOfJob = ({ accountId, channelId, direction }: Job) => {
    const kind = hostsOf(accountId)?.messengers.get(channelId);
    const limits = direction === "outbound" ? limitsOf(accountId, "messenger", kind) : limitsOf(accountId, "gateway");
    return [...own(accountId), ...limits];
  };
  const full = (account: AccountId) => kindsOf(account).filter((kind) => !haveRoom(kindOf(account, kind)));

  return {
    full,
    keep(account) {
      if (!may(account)) return false;
      const known = kept.get(account) ?? { room: nothing(kindsOf(account)), limits: [] };
      kept.set(account, known);
      // Before the claim, a job's side and messenger are unknown: the slot counts for all.
      const sides = SIDES.filter((side) => isOpen(account, side));
      const kinds = kindsOf(account).filter((kind) => isOpen(account, "messenger", kind));
      const limits = [...sides.map((side) => sideOf(account, side)), ...kinds.map((kind) => kindOf(account, kind))];
      known.limits.push(...take([...own(account), ...limits.flat()]));
      known.room.most += 1;
      for (const side of sides) known.room[side] += 1;
      for (const kind of kinds) known.room.kinds.set(kind, (known.room.kinds.get(kind) ?? 0) + 1);
      return true;
    },
    kept: (account) => kept.get(account)?.room ?? nothing([]),
    enter(account, jobs) {
      const limits = kept.get(account)?.limits ?? [];
      kept.delete(account);
      free(limits);
      for (const job of jobs) entered.set(job, take(limitsOfJob(job)));
      wakeFor(limits);
    },
    leave(job) {
      const limits = entered.get(job) ?? [];
      entered.delete(job);
      free(limits);
      wakeFor(limits);
    },
    open(account, side, kind) {
      // An account at its own limit could not use the slot; it gets its turn when one of its calls ends.
      const fits = () => below(account, callsPerAccount) && isOpen(account, side, kind);
      for (const limit of limitsOf(account, side, kind))
        if (limit.shared && !haveRoom([limit])) waiting.add(limit.name, account, fits);
      return fits();
    },
  };
}

interface Kept {
  room: Room & { kinds: Map<string, number> };
  limits: Limit[];
}
const nothing = (kinds: string[]): Kept["room"] => ({
  most: 0,
  gateway: 0,
  messenger: 0,
  kinds: new Map(kinds.map((kind) => [kind, 0])),
});

/** `shared` by all accounts that call the host. */
interface Limit extends NamedLimit {
  shared?: true;
}

/** Limits on an account's calls: per side, and per kind of messenger. */
function limiting({ calls, callsPerAccount, hostsOf }: Omit<Parts, "wake">) {
  const host = { most: Math.max(1, Math.floor(calls * HOST_SHARE)), shared: true } as const;
  // A messenger that hangs leaves its account a call for the gateway, and vice versa.
  const side = Math.max(1, callsPerAccount - 1);
  // And one call for its other messengers.
  const kindBesideOthers = Math.max(1, callsPerAccount - 2);
  const kindsOf = (account: AccountId) => hostsOf(account)?.kinds ?? [];
  return {
    kindsOf,
    sideOf(account: AccountId, of: Side): Limit[] {
      const own = { name: `${account} ${of}`, most: side };
      const gateway = of === "gateway" ? hostsOf(account)?.gateway : undefined;
      return gateway ? [own, { name: `gateway ${gateway}`, ...host }] : [own];
    },
    kindOf(account: AccountId, kind: string): Limit[] {
      const most = kindsOf(account).length > 1 ? kindBesideOthers : side;
      return [
        { name: `${account} to ${kind}`, most },
        { name: `messenger ${kind}`, ...host },
      ];
    },
  };
}

/**
 * Accounts whose due work waits for a host: each freed slot wakes one. An account that could not use it is removed: it
 * has calls under way, and their end gives it its turn.
 */
function createWaiting(wake: (account: AccountId) => void) {
  const queues = new Map<string, Map<AccountId, () => boolean>>();
  return {
    add(name: string, account: AccountId, fits: () => boolean) {
      const queue = queues.get(name) ?? new Map();
      queues.set(name, queue);
      if (!queue.has(account)) queue.set(account, fits);
    },
    next(name: string) {
      const queue = queues.get(name);
      for (const [account, fits] of queue ?? []) {
        queue?.delete(account);
        if (!fits()) continue;
        wake(account);
        break;
      }
      if (queue?.size === 0) queues.delete(name);
    },
  };
}
