import { newSecret } from "../../../domain/ids.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Tells whether something of an account has changed, for pages that somebody is looking at. Kept in memory. */
export interface Versions {
  /** Within a write. A write that is rolled back counts, too: its page reads the same figures again. */
  bump(account: string): void;
  /** Differs after each change, one of another connection included, and after a restart. */
  of(account: string): string;
}

export function createVersions(others: OtherWriters): Versions {
  const start = newSecret().slice(0, 8);
  const counts = new Map<string, number>();
  return {
    bump: (account) => void counts.set(account, (counts.get(account) ?? 0) + 1),
    of: (account) => `${start}-${others.look()}-${counts.get(account) ?? 0}`,
  };
}
