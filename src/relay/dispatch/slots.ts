import type { Job } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Room, Side } from "../../store/outbox.ts";
import { counting, type Most } from "./counting.ts";
import type { Hosts } from "./hosts.ts";

export const SIDES: Side[] = ["gateway", "messenger"];

/** Slots for calls under way: of the process, of an account, its sides and its kinds of messengers, and of each host that is called. */
export interface Slots {
  /** Keeps one more slot for what the account is about to claim; false when it may have none. */
  keep(account: AccountId): boolean;
  /** Whether `keep` would. */
  may(account: AccountId): boolean;
  /** What is kept for the account. */
  kept(account: AccountId): Room;
  /** The claim is over: what was kept for it is free again, but for what its jobs take. */
  enter(account: AccountId, jobs: Job[]): void;
  leave(job: Job): void;
  /** The account's kinds of messengers that may have no call more. */
  full(account: AccountId): string[];
  /**
   * False when due work of this side, or toward this kind of messenger, has to wait: until a call of the account has ended,
   * or `wake` says that the host has room.
   */
  open(account: AccountId, side: Side, kind?: string): boolean;
}

interface Parts {
  calls: number;
  callsPerAccount: number;
  /** Undefined: not yet known, so that the account has no slot. */
  hostsOf(account: AccountId): Hosts | undefined;
  wake(account: AccountId): void;
}

/** Share of all calls that may go to one host, however many accounts use it: one that hangs leaves the rest to others. */
const HOST_SHARE = 0.75;
const ALL = "all";

export function createSlots({ calls, callsPerAccount, hostsOf, wake }: Parts): Slots {
  const { take, free, below } = counting();
  const { sideOf, kindOf, kindsOf } = limiting({ calls, callsPerAccount, hostsOf });
  const limitsOf = (account: AccountId, side: Side, kind?: string) =>
    kind === undefined ? sideOf(account, side) : [...sideOf(account, side), ...kindOf(account, kind)];
  const haveRoom = (limits: Limit[]) => limits.every(({ name, most }) => below(name, most));
  const waiting = createWaiting(wake);
  // Not before all is counted: one that is woken for nothing would lose its turn.
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
    may,
    full,
    keep(account) {
      if (!may(account)) return false;
      const known = kept.get(account) ?? { room: nothing(kindsOf(account)), limits: [] };
      kept.set(account, known);
      // Nobody knows before the claim on which side its job is, and toward which messenger: the slot counts for all.
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
      // One whose own calls are all under way could not use the slot; it has its turn when one of them ends.
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
  ...{ most: 0, gateway: 0, messenger: 0 },
  kinds: new Map(kinds.map((kind) => [kind, 0])),
});

/** `shared` by all accounts that call this host. */
interface Limit extends Most {
  shared?: true;
}

/** The limits of an account's calls: of each side, and of each kind of messenger. */
function limiting({ calls, callsPerAccount, hostsOf }: Omit<Parts, "wake">) {
  const host = { most: Math.max(1, Math.floor(calls * HOST_SHARE)), shared: true } as const;
  // A messenger that hangs leaves its account a call for the gateway, and the other way round.
  const side = Math.max(1, callsPerAccount - 1);
  // And one for its other messengers.
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
 * Accounts whose due work waits for a host: one is woken for each slot that it gives back. One that could not use it is
 * passed over, and waits no more: it has calls under way, and their end gives it its turn.
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
