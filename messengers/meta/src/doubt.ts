import type { LookupResult } from "gangway-messenger/port";

/** A webhook tells within seconds what became of a message; an outage of ours may hold it up for hours. */
export const LOOKUP_MS = 24 * 3_600_000;

interface Times {
  /** The first try, and the opening of the session; ms since 1970. */
  since: number;
  openedAt: number;
  now: number;
}

/**
 * No webhook has told of a message yet. Ask again until one had `withinMs` since the try, or since a session was opened that is
 * younger: after a restart Meta repeats what it could not tell meanwhile.
 */
export function unknownUntilTold(
  { withinMs, askMs }: { withinMs: number; askMs: number },
  { since, openedAt, now }: Times,
): LookupResult {
  const left = Math.max(since, openedAt) + withinMs - now;
  return { found: "unknown", ...(left > 0 && { askAgainMs: Math.min(left, askMs) }) };
}
