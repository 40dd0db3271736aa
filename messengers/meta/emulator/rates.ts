/** Sliding windows by key. */
export interface Rates {
  /** False: this would be one too many within `windowMs`. */
  take(key: string, max: number, windowMs: number): boolean;
  /** Share of `max` used, percent. */
  used(key: string, max: number, windowMs: number): number;
  /** False: too soon. One per `intervalMs`, and up to `burst` at once on credit. */
  pace(key: string, intervalMs: number, burst: number): boolean;
  clear(): void;
}

export function createRates(now: () => number): Rates {
  const taken = new Map<string, number[]>();
  const due = new Map<string, number>();
  const recent = (key: string, windowMs: number): number[] => {
    const times = taken.get(key) ?? [];
    const since = now() - windowMs;
    const first = times.findIndex((at) => at > since);
    times.splice(0, first < 0 ? times.length : first);
    taken.set(key, times);
    return times;
  };
  return {
    take(key, max, windowMs) {
      const times = recent(key, windowMs);
      if (times.length >= max) return false;
      times.push(now());
      return true;
    },
    used: (key, max, windowMs) => Math.min(100, Math.ceil((100 * recent(key, windowMs).length) / max)),
    pace(key, intervalMs, burst) {
      const at = Math.max(due.get(key) ?? 0, now());
      if (at - now() > intervalMs * (burst - 1)) return false;
      due.set(key, at + intervalMs);
      return true;
    },
    clear() {
      taken.clear();
      due.clear();
    },
  };
}
