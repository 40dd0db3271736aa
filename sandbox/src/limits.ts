/** Rate limit per token and second. */
export interface Limit {
  /** True when this request exceeds the limit. */
  exceeded(token: string, perSecond: number, counting: Counting): boolean;
}
export interface Counting {
  rateWindow: "sliding" | "fixed";
  /** Refused requests count too: a caller that never slows down is always refused. */
  refusedCount: boolean;
}

const SECOND_MS = 1_000;
/** Forgets all tokens beyond this number. */
const MAX_TOKENS = 1_000;

export function createLimit(now: () => number): Limit {
  const arrivals = new Map<string, number[]>();
  return {
    exceeded(token, perSecond, { rateWindow, refusedCount }) {
      const at = now();
      const from = rateWindow === "sliding" ? at - SECOND_MS : Math.floor(at / SECOND_MS) * SECOND_MS - 1;
      const recent = (arrivals.get(token) ?? []).filter((before) => before > from);
      const exceeded = recent.length >= perSecond;
      if (!exceeded || refusedCount) recent.push(at);
      if (arrivals.size > MAX_TOKENS) arrivals.clear();
      arrivals.set(token, recent);
      return exceeded;
    },
  };
}
