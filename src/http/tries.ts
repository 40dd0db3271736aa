/** Secrets that an address may get wrong in a minute at the doors of machines. What is proven is never held up by it. */
export const MOST_GUESSES = 60;

const MINUTE_MS = 60_000;
/** Addresses remembered at once. */
const MOST_ADDRESSES = 10_000;

export interface Tries {
  /** False when this address has used up its minute. */
  take(address: string): boolean;
}

/** Counts the tries of an address in a minute; in memory, since it only slows guessing down. */
export function tries(most: number, now: () => number): Tries {
  // Who tried last stands last: where room is needed, the one goes that has been quiet longest.
  const seen = new Map<string, { until: number; count: number }>();
  return {
    take(address) {
      const time = now();
      let known = seen.get(address);
      if (!known || known.until <= time) known = { until: time + MINUTE_MS, count: 0 };
      seen.delete(address);
      if (seen.size >= MOST_ADDRESSES) seen.delete(seen.keys().next().value ?? "");
      seen.set(address, known);
      if (known.count >= most) return false;
      known.count += 1;
      return true;
    },
  };
}
