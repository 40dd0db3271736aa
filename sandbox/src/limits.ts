/** Counts requests of a token within a second. */
export interface Limit {
  /** True when this request is one too many. */
  exceeded(token: string, perSecond: number, counting: Counting): boolean;
}
export interface Counting {
  rateWindow: "sliding" | "fixed";
  /** A refused request counts as well: who is too fast all the time is refused all the time. */
  refusedCount: boolean;
}

const SECOND_MS = 1_000;
/** Tokens of long ago are forgotten when so many are known. */
const MOST_TOKENS = 1_000;

export function createLimit(now: () => number): Limit {
  const arrivals = new Map<string, number[]>();
  return {
    exceeded(token, perSecond, { rateWindow, refusedCount }) {
      const at = now();
      const from = rateWindow === "sliding" ? at - SECOND_MS : Math.floor(at / SECOND_MS) * SECOND_MS - 1;
      const recent = (arrivals.get(token) ?? []).filter((before) => before > from);
      const exceeded = recent.length >= perSecond;
      if (!exceeded || refusedCount) recent.push(at);
      if (arrivals.size > MOST_TOKENS) arrivals.clear();
      arrivals.set(token, recent);
      return exceeded;
    },
  };
}
