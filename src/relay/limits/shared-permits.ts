import type { Lease } from "../../domain/account/account.ts";
import type { AccountId } from "../../domain/ids.ts";
import { type Clock, pause } from "../../domain/time/clock.ts";
import { MAX_HELD_MS, WINDOW_MS } from "../../gateway/gate.ts";
import { type CallEnd, notSent, type Permits } from "../../gateway/limiter.ts";
import type { SharedPermit, SharedPermits } from "../../store/shared.ts";

// Any process serves forms, and calls the gateway for them. The rate limit is of the token, over all processes: the holder of an
// account's lease has its permits in memory, but for a few that are places in the database, for everybody else.

/** Of the permits of a token: those for processes that do not work for its account. */
export const SHARED_PERMITS = 4;
/** How often a process asks for a place when all are taken, ms. */
const ASK_MS = 200;
/** A call is over by then, ms; the place of a process that died is free this long after MAX_HELD_MS. */
const LONGEST_CALL_MS = 120_000;

/** Free one window after the answer, like a permit in memory; without an answer, once no proxy can still hold the call. */
const FREE_AFTER: Record<CallEnd, number> = {
  ...{ answered: WINDOW_MS, intercepted: WINDOW_MS },
  ...{ unanswered: MAX_HELD_MS, unsent: 0 },
};

interface Parts {
  permits: Permits;
  sharedPermits: SharedPermits;
  holdings: { leaseOf(account: AccountId): Lease | undefined; take(account: AccountId): Promise<Lease | undefined> };
  clock: Clock;
}

/** The permits of this process's accounts, and places for calls of others. */
export function withSharedPermits({ permits, sharedPermits, holdings, clock }: Parts): Permits {
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
    throw notSent();
  };
  return {
    ...permits,
    async run(key, priority, act, signal) {
      const account = key as AccountId;
      // An unowned account becomes this process's.
      if (!holdings.leaseOf(account)) await holdings.take(account);
      if (holdings.leaseOf(account)) return permits.run(key, priority, act, signal);
      const sharedPermit = await enter(key, signal);
      let how: CallEnd = "answered";
      try {
        return await act((end) => {
          how = end;
        });
      } finally {
        // If that fails, the place is free later.
        await sharedPermits.leave(sharedPermit, FREE_AFTER[how]).catch(() => undefined);
      }
    },
    pauseFor(key, ms) {
      permits.pauseFor(key, ms);
      pausedUntil.set(key, Math.max(pausedUntil.get(key) ?? 0, clock.monotonic() + ms));
    },
  };
}
