/** Counts requests of a token within a second. */
export interface Limit {
  /** True when this request is one too many; a refused one counts as well. */
  exceeded(token: string, perSecond: number, window: "sliding" | "fixed"): boolean;
}

const SECOND_MS = 1_000;

export function createLimit(now: () => number): Limit {
  const arrivals = new Map<string, number[]>();
  return {
    exceeded(token, perSecond, window) {
      const at = now();
      const from = window === "sliding" ? at - SECOND_MS : Math.floor(at / SECOND_MS) * SECOND_MS - 1;
      const recent = (arrivals.get(token) ?? []).filter((before) => before > from);
      arrivals.set(token, [...recent, at]);
      return recent.length >= perSecond;
    },
  };
}
