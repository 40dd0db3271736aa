/** In seconds, but some senders give ms. */
const MS_FROM = 100_000_000_000;
/** The year 2100: a later time is a mistake, and one beyond the range of dates would never pass the gateway. */
const MS_UNTIL = 4_102_444_800_000;

/** A webhook's time in ms since 1970; `now` if it gives no plausible one. */
export function timeOf(given: number | string | null | undefined, now: number): number {
  const time = Number(given ?? 0);
  const ms = time < MS_FROM ? time * 1000 : time;
  return ms > 0 && ms < MS_UNTIL ? Math.floor(ms) : now;
}
