import type { Job } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Room, Side } from "../store/claims.ts";
import type { Hosts } from "./hosts.ts";

export const SIDES: Side[] = ["gateway", "messenger"];
const sideOf = (job: Job): Side => (job.direction === "outbound" ? "messenger" : "gateway");

/** Places for calls under way: of the process, of an account and each of its sides, and of each host that is called. */
export interface Places {
  /** Keeps one more place for what the account is about to claim; false when it may have none. */
  keep(account: AccountId): boolean;
  /** Whether `keep` would. */
  may(account: AccountId): boolean;
  /** What is kept for the account. */
  kept(account: AccountId): Room;
  /** The claim is over: what was kept for it is free again, but for what its jobs take. */
  enter(account: AccountId, jobs: Job[]): void;
  leave(job: Job): void;
  /** False when due work of this side has to wait: until a call of the account has ended, or `wake` says that a host has room. */
  open(account: AccountId, side: Side): boolean;
}

interface Parts {
  calls: number;
  callsPerAccount: number;
  /** Undefined: not yet known, so that the account has no place. */
  hostsOf(account: AccountId): Hosts | undefined;
  wake(account: AccountId): void;
}

/** Share of all calls that may go to one host, however many accounts use it: one that hangs leaves the rest to others. */
const HOST_SHARE = 0.75;
const ALL = "all";

export function createPlaces({ calls, callsPerAccount, hostsOf, wake }: Parts): Places {
  const most = {
    host: Math.max(1, Math.floor(calls * HOST_SHARE)),
    // A messenger that hangs leaves its account a call for the gateway, and the other way round.
    side: Math.max(1, callsPerAccount - 1),
  };
  const waiting = createWaiting(wake);
  const { take, free, below } = counting();
  // Not before all is counted: one that is woken for nothing would lose its turn.
  const wakeFor = (names: string[]) => {
    for (const name of names) if (below(name, most.host)) waiting.next(name);
  };
  const kept = new Map<AccountId, { room: Room; names: string[] }>();
  const entered = new Map<Job, string[]>();
  const sideName = (account: AccountId, side: Side) => `${account} ${side}`;
  const hostNames = (account: AccountId, side: Side): string[] => {
    const hosts = hostsOf(account);
    if (side === "messenger") return [...new Set(hosts?.messengers.values())];
    return hosts?.gateway ? [`gateway ${hosts.gateway}`] : [];
  };
  const fullHost = (account: AccountId, side: Side) => hostNames(account, side).find((name) => !below(name, most.host));
  const isOpen = (account: AccountId, side: Side) =>
    below(sideName(account, side), most.side) && !fullHost(account, side);
  const may = (account: AccountId) =>
    below(ALL, calls) &&
    below(account, callsPerAccount) &&
    hostsOf(account) !== undefined &&
    SIDES.some((side) => isOpen(account, side));
  const namesOf = (job: Job) => {
    const side = sideOf(job);
    const kind = hostsOf(job.accountId)?.messengers.get(job.channelId);
    const hosts = side === "gateway" ? hostNames(job.accountId, side) : kind ? [kind] : [];
    return [ALL, job.accountId, sideName(job.accountId, side), ...hosts];
  };

  return {
    may,
    keep(account) {
      if (!may(account)) return false;
      const own = kept.get(account) ?? { room: { most: 0, gateway: 0, messenger: 0 }, names: [] };
      kept.set(account, own);
      // Nobody knows before the claim on which side its job is: the place counts for both.
      const sides = SIDES.filter((side) => isOpen(account, side));
      const names = sides.flatMap((side) => [sideName(account, side), ...hostNames(account, side)]);
      own.names.push(...take([ALL, account, ...names]));
      own.room.most += 1;
      for (const side of sides) own.room[side] += 1;
      return true;
    },
    kept: (account) => kept.get(account)?.room ?? { most: 0, gateway: 0, messenger: 0 },
    enter(account, jobs) {
      const names = kept.get(account)?.names ?? [];
      kept.delete(account);
      free(names);
      for (const job of jobs) entered.set(job, take(namesOf(job)));
      wakeFor(names);
    },
    leave(job) {
      const names = entered.get(job) ?? [];
      entered.delete(job);
      free(names);
      wakeFor(names);
    },
    open(account, side) {
      const full = fullHost(account, side);
      if (full) waiting.add(full, account);
      return isOpen(account, side);
    },
  };
}

/** How many places of a name are taken. */
function counting() {
  const taken = new Map<string, number>();
  return {
    below: (name: string, limit: number) => (taken.get(name) ?? 0) < limit,
    take(names: string[]) {
      for (const name of names) taken.set(name, (taken.get(name) ?? 0) + 1);
      return names;
    },
    free(names: string[]) {
      for (const name of names) {
        const left = (taken.get(name) ?? 0) - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      }
    },
  };
}

/** Accounts whose due work waits for a host: one is woken for each place that it gives back. */
function createWaiting(wake: (account: AccountId) => void) {
  const queues = new Map<string, Set<AccountId>>();
  return {
    add: (name: string, account: AccountId) => void queues.set(name, (queues.get(name) ?? new Set()).add(account)),
    next(name: string) {
      const queue = queues.get(name);
      const [account] = queue ?? [];
      if (!queue || account === undefined) return;
      queue.delete(account);
      if (queue.size === 0) queues.delete(name);
      wake(account);
    },
  };
}
