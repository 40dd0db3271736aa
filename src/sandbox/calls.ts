import type { Side } from "./judge.ts";

/** One request and its answer, with the contract's verdict on both. */
export interface CallEntry {
  n: number;
  at: number;
  side: Side;
  operation: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** Empty: both were as agreed. */
  faults: string[];
  request: string;
  answer: string;
}

export interface CallLog {
  add(entry: Omit<CallEntry, "n">): void;
  entries(faultsOnly?: boolean): CallEntry[];
  totals(): { total: number; faults: number };
}

const MOST_ENTRIES = 5_000;
const SNIPPET = 2_048;

/** Tokens and keys have no place in a log, not even here. */
export const snippet = (text: string): string =>
  text
    .slice(0, SNIPPET)
    .replaceAll(/("(?:token|apiKey|clientId)":\s*")[^"]*/g, "$1***")
    .replaceAll(/(\/gateway\/)[\w-]+/g, "$1***");

export function createCallLog(): CallLog {
  const kept: CallEntry[] = [];
  let total = 0;
  let faults = 0;
  return {
    add(entry) {
      total += 1;
      if (entry.faults.length > 0) faults += 1;
      kept.push({ ...entry, n: total });
      if (kept.length > MOST_ENTRIES) kept.shift();
    },
    entries: (faultsOnly = false) => kept.filter((entry) => !faultsOnly || entry.faults.length > 0),
    totals: () => ({ total, faults }),
  };
}
