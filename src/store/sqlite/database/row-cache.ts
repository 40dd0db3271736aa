import type Sqlite from "better-sqlite3";
import type { OtherWriters } from "./other-writers.ts";

/** Rows of accounts and channels as objects, until this or another connection writes to their tables. */
export interface RowCache {
  /** The object cached under `key`, or what `load` finds. */
  find<T>(key: string, load: () => T | undefined): T | undefined;
}

const TABLES = ["account", "channel"];
/** Those of 20,000 accounts with one channel each. */
const MAX_ROWS = 150_000;

/** `onUndo`: of the write that is running, whose reads may be rolled back. */
export function createRowCache(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
): RowCache {
  const rows = new Map<string, unknown>();
  const forget = () => rows.clear();
  // Temporary triggers see every writer of this connection.
  sqlite.function("forget_rows", forget);
  for (const table of TABLES)
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN SELECT forget_rows(); END`);
  others.onWritten(forget);
  return {
    find<T>(key: string, load: () => T | undefined) {
      others.lookOnceATick();
      const known = rows.get(key) as T | undefined;
      if (known !== undefined) return known;
      const found = load();
      if (rows.size >= MAX_ROWS) forget();
      onUndo(forget);
      if (found !== undefined) rows.set(key, found);
      return found;
    },
  };
}
