import type { Clock } from "gangway-messenger/clock";

/** Wrong secrets per minute and address at the machine endpoints. Correct secrets are never limited. */
export const MAX_GUESSES = 60;

const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export interface RateLimit {
  /** False if the address has used up its minute. */
  take(address: string): boolean;
}

/** Allows `max` attempts per minute and address. In memory only, since it merely slows guessing. */
export function createRateLimit(max: number, clock: Pick<Clock, "monotonic">): RateLimit {
  // Ordered by last use; the least recently used address goes first.
  const seen = new Map<string, { until: number; count: number }>();
  return {
    take(address) {
      const time = clock.monotonic();
      let known = seen.get(address);
      if (!known || known.until <= time) known = { until: time + MINUTE_MS, count: 0 };
      seen.delete(address);
      if (seen.size >= MAX_ADDRESSES) seen.delete(seen.keys().next().value ?? "");
      seen.set(address, known);
      if (known.count >= max) return false;
      known.count += 1;
      return true;
    },
  };
}
