import type { ChannelTraffic } from "../../store/accounts.ts";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Number of earlier days to compare with, and the minimum. */
const [DAYS, FEWEST_DAYS] = [13, 7];
/** Silence is unusual after this many full hours, if each compared day had this many messages in the same hours. */
const [FEWEST_HOURS, FEWEST_MESSAGES] = [2, 3];

/**
 * Since when the channel has been quiet, ms, if it was never this quiet at this time of day within two weeks. The
 * channel's own rhythm is the baseline, so nights and Sundays raise no alarm.
 */
export function unusualSilence({ hours }: Pick<ChannelTraffic, "hours">, now: number): number | undefined {
  const [first, last] = [hours[0]?.hour, hours.at(-1)?.hour];
  if (first === undefined || last === undefined) return undefined;
  const [begin, end] = [last + 1, Math.floor(now / HOUR_MS)];
  if (end - begin < FEWEST_HOURS) return undefined;
  const daysBefore = Array.from({ length: DAYS }, (_, n) => (n + 1) * DAY_HOURS);
  const compared = daysBefore.filter((before) => begin - before >= first);
  const messagesOn = (before: number) =>
    hours
      .filter(({ hour }) => hour >= begin - before && hour < end - before)
      .reduce((sum, { delivered, refused }) => sum + delivered + refused, 0);
  const isUnusual = compared.length >= FEWEST_DAYS && compared.every((before) => messagesOn(before) >= FEWEST_MESSAGES);
  return isUnusual ? begin * HOUR_MS : undefined;
}
