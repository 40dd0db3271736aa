/** Sliding windows by key. */
export interface Rates {
  /** False: this would be one too many within a second. */
  take(key: string, max: number): boolean;
}

const WINDOW_MS = 1_000;

export function createRates(now: () => number): Rates {
  const taken = new Map<string, number[]>();
  return {
    take(key, max) {
      const recent = (taken.get(key) ?? []).filter((at) => at > now() - WINDOW_MS);
      taken.set(key, recent);
      if (recent.length >= max) return false;
      recent.push(now());
      return true;
    },
  };
}
