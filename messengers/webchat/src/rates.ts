import type { Clock } from "gangway-messenger/clock";

/** Limits of a token bucket, in requests. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Maximum number of buckets; evicts the least recently used. */
const MAX_KEYS = 10_000;

/** Token buckets by name, in memory; full after a restart. */
export function createRates(clock: Clock, { burst, perSecond }: Rate) {
  const buckets = new Map<string, { left: number; at: number }>();
  /** Takes a token and returns 0, or returns the seconds until there is one. */
  return (name: string): number => {
    const now = clock.monotonic();
    const known = buckets.get(name);
    const left = known ? Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond) : burst;
    // Reinserted at the end: a Map keeps insertion order.
    buckets.delete(name);
    if (buckets.size >= MAX_KEYS) buckets.delete(buckets.keys().next().value ?? "");
    buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond);
  };
}
