import type { RecentCalls } from "../../outbox.ts";

// Programs of the version before know a number of calls and the time of the save, and go on writing only these.

interface UnansweredRow {
  unanswered: number;
  unansweredAt: number;
  /** Of the save at `unansweredAt`, or of an earlier one. */
  unansweredCalls: string;
}
export type CallsRow = Omit<RecentCalls, "unanswered" | "perhaps"> & UnansweredRow;

interface Calls {
  savedAt: number;
  startedAt: number[];
}

export const unansweredRow = (startedAt: number[], now: number): UnansweredRow => ({
  ...{ unanswered: startedAt.length, unansweredAt: now },
  unansweredCalls: JSON.stringify({ savedAt: now, startedAt } satisfies Calls),
});

export function withUnanswered({ unanswered, unansweredAt, unansweredCalls, ...rest }: CallsRow): RecentCalls {
  const calls: Calls | undefined = unansweredCalls === "" ? undefined : JSON.parse(unansweredCalls);
  return calls?.savedAt === unansweredAt
    ? { ...rest, unanswered: calls.startedAt, perhaps: [] }
    : { ...rest, unanswered: [], perhaps: Array<number>(unanswered).fill(unansweredAt) };
}
