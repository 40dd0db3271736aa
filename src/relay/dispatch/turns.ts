import type { AccountId } from "../../domain/ids.ts";

/** Round robin over accounts with due work. */
export interface Turns {
  /** The account has work at this time (ms), or at an earlier time already set. */
  due(account: AccountId, at: number): void;
  /** Deals slots to due accounts, one per turn, until `keep` refuses all; clears the due times of those served. */
  deal(now: number, keep: (account: AccountId) => boolean): AccountId[];
  /** Earliest due time of the accounts that `may` have a slot. */
  earliest(may: (account: AccountId) => boolean): number | undefined;
  accounts(): AccountId[];
}

export function createTurns(): Turns {
  // A Map keeps insertion order: an account that had its turn goes to the end.
  const queue = new Map<AccountId, number>();
  const known = new Set<AccountId>();
  return {
    due(account, at) {
      known.add(account);
      queue.set(account, Math.min(at, queue.get(account) ?? Number.POSITIVE_INFINITY));
    },
    deal(now, keep) {
      const dealt = new Set<AccountId>();
      let round = [...queue].filter(([, at]) => at <= now).map(([account]) => account);
      while (round.length > 0) {
        round = round.filter(keep);
        for (const account of round) dealt.add(account);
      }
      for (const account of dealt) queue.delete(account);
      return [...dealt];
    },
    earliest(may) {
      let first: number | undefined;
      for (const [account, at] of queue) if ((first === undefined || at < first) && may(account)) first = at;
      return first;
    },
    accounts: () => [...known],
  };
}
