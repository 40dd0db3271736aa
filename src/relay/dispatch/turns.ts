import type { AccountId } from "../../domain/ids.ts";

/** Whose turn it is: round robin over the accounts that have due work, so that none starves another. */
export interface Turns {
  /** The account has work at this time (ms), or earlier if it was said so before. */
  due(account: AccountId, at: number): void;
  /**
   * Goes round the accounts whose work is due, one slot a turn, until `keep` has a slot for none of them. Who got one is
   * named, goes to the end of the queue, and has its due time forgotten.
   */
  deal(now: number, keep: (account: AccountId) => boolean): AccountId[];
  /** When the next of those that `may` have a slot has work. */
  earliest(may: (account: AccountId) => boolean): number | undefined;
  accounts(): AccountId[];
}

export function createTurns(): Turns {
  // A Map keeps its order of insertion: who has had a turn goes to the end of the queue.
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
