import type { Clock } from "../../domain/clock.ts";

/** How fast somebody may ask: so many at once, then so many a second. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Most of a kind that are remembered; the one that asked longest ago is forgotten first, and begins anew. */
const MOST_KNOWN = 10_000;

/** Token buckets by name, in memory: after a restart everybody begins with a full one. */
export function createRates(clock: Clock, { burst, perSecond }: Rate) {
  const buckets = new Map<string, { left: number; at: number }>();
  /** Seconds until this name may ask again; 0: it may, and has. */
  return (name: string): number => {
    const now = clock.monotonic();
    const known = buckets.get(name);
    const left = known ? Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond) : burst;
    // Moved to the end: a Map keeps its order of insertion.
    buckets.delete(name);
    if (buckets.size >= MOST_KNOWN) buckets.delete(buckets.keys().next().value ?? "");
    buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond);
  };
}
