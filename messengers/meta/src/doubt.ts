import type { LookupResult } from "gangway-messenger/port";

/** A webhook reports within seconds what became of a message; an outage of ours may delay it by hours. */
export const LOOKUP_MS = 24 * 3_600_000;

interface Times {
  /** Times of the first try and of the session's opening; ms since 1970. */
  since: number;
  openedAt: number;
  now: number;
}

/**
 * No webhook has reported on a message yet. Asks again until `withinMs` have passed since the try, or since the session
 * was opened, if that is later: after a restart Meta repeats what it could not deliver meanwhile.
 */
export function unknownUntilTold(
  { withinMs, askMs }: { withinMs: number; askMs: number },
  { since, openedAt, now }: Times,
): LookupResult {
  const left = Math.max(since, openedAt) + withinMs - now;
  return { found: "unknown", ...(left > 0 && { askAgainMs: Math.min(left, askMs) }) };
}
