import type { AccountId } from "../../domain/ids.ts";
import { countBefore } from "../../domain/sorted.ts";
import type { Clock } from "../../domain/time/clock.ts";
import type { DueJobs, NextDue, Target } from "../../store/outbox.ts";

/**
 * `full`: the process has no slot. `none`: the account has none, until one of its calls ends or it is granted one of the
 * host's.
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

/** Keeps the order by time. A time is there once: an account may be due at it again and again. */
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
  /** `later` by time; also holds times that were replaced by an earlier one. */
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
