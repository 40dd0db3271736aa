import type { AccountId } from "../domain/ids.ts";

/** Whose turn it is: round robin over the accounts that have due work, so that none starves another. */
export interface Turns {
  /** The account has work at this time (ms), or earlier if it was said so before. */
  due(account: AccountId, at: number): void;
  /** The next account whose work is due and that has fewer than `most` calls under way; forgets its due time. */
  next(now: number, most: number): AccountId | undefined;
  started(account: AccountId): void;
  ended(account: AccountId): void;
  inFlight(account: AccountId): number;
  /** When the next account without a full house has work. */
  earliest(most: number): number | undefined;
  accounts(): AccountId[];
}

export function createTurns(): Turns {
  // A Map keeps its order of insertion: who has had a turn goes to the end of the queue.
  const queue = new Map<AccountId, number>();
  const known = new Set<AccountId>();
  const flying = new Map<AccountId, number>();
  const inFlight = (account: AccountId) => flying.get(account) ?? 0;
  const count = (account: AccountId, by: 1 | -1) => {
    const now = inFlight(account) + by;
    if (now > 0) flying.set(account, now);
    else flying.delete(account);
  };

  return {
    inFlight,
    started: (account) => count(account, 1),
    ended: (account) => count(account, -1),
    due(account, at) {
      known.add(account);
      queue.set(account, Math.min(at, queue.get(account) ?? Number.POSITIVE_INFINITY));
    },
    next(now, most) {
      for (const [account, at] of queue) {
        if (at > now || inFlight(account) >= most) continue;
        queue.delete(account);
        return account;
      }
      return undefined;
    },
    earliest(most) {
      let first: number | undefined;
      for (const [account, at] of queue)
        if (inFlight(account) < most && (first === undefined || at < first)) first = at;
      return first;
    },
    accounts: () => [...known],
  };
}
