import type { ChannelTraffic } from "../../store/accounts.ts";

/** Of the messages that ended lately. */
export interface Failing {
  failed: number;
  ended: number;
  /** When the first hour of those began in which one failed, ms. */
  since: number;
}

const HOUR_MS = 3_600_000;
/** How far back "lately" reaches at most. */
const MAX_HOURS = 24;
/** Messages that suffice for a judgement, so that a repaired channel recovers within hours; and the minimum. */
const [ENOUGH, FEWEST] = [50, 10];
/** This many failures in a row suffice as well. */
const IN_A_ROW = 3;
/** One in four: customers who block a shop or close a chat are fewer. */
const SHARE = 1 / 4;

/** How many of the messages that ended lately failed, if a large share did: of the newest hours, until there are enough. */
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
