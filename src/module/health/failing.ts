import type { ChannelTraffic } from "../../store/accounts.ts";

/** Sums over the messages that ended lately. */
export interface Failing {
  failed: number;
  ended: number;
  /** Start of the earliest hour with a failure, ms. */
  since: number;
}

const HOUR_MS = 3_600_000;
/** Hours that count as "lately", at most. */
const MAX_HOURS = 24;
/** Messages that suffice, so that a repaired channel recovers within hours, and the fewest that prove anything. */
const [ENOUGH, FEWEST] = [50, 10];
/** This many failures without a success also count as failing. */
const IN_A_ROW = 3;
/** Failing share. Customers who block a shop or close a chat are fewer. */
const SHARE = 1 / 4;

/** Failures among recently ended messages if their share is large: newest hours first, until there are enough. */
export function failingOf(hours: ChannelTraffic["hours"], now: number): Failing | undefined {
  const lately = { failed: 0, ended: 0, since: now };
  for (const { hour, delivered, refused } of [...hours].reverse()) {
    if (lately.ended >= ENOUGH || hour <= Math.floor(now / HOUR_MS) - MAX_HOURS) break;
    if (refused > 0) lately.since = hour * HOUR_MS;
    lately.failed += refused;
    lately.ended += delivered + refused;
  }
  const isShare = lately.ended >= FEWEST && lately.failed >= lately.ended * SHARE;
  const isAll = lately.ended >= IN_A_ROW && lately.failed === lately.ended;
  return isShare || isAll ? lately : undefined;
}
