import type Sqlite from "better-sqlite3";

/** Rows of accounts and channels as objects, until this or another connection writes to their tables. */
export interface RowCache {
  /** The object cached under `key`, or what `load` finds. Outside a transaction only: others may be rolled back. */
  find<T>(key: string, load: () => T | undefined): T | undefined;
  forget(): void;
}

const TABLES = ["account", "channel"];
const MAX_ROWS = 50_000;

export function createRowCache(sqlite: Sqlite.Database): RowCache {
  const rows = new Map<string, unknown>();
  // Temporary triggers see every writer of this connection; `data_version` changes with other connections' commits.
  sqlite.function("forget_rows", () => rows.clear());
  for (const table of TABLES)
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN SELECT forget_rows(); END`);
  const version = sqlite.prepare("PRAGMA data_version").pluck();
  let seen = version.get();
  // Once per tick of the event loop.
  let checked = false;
  const check = () => {
    if (checked) return;
    checked = true;
    setImmediate(() => {
      checked = false;
    });
    const now = version.get();
    if (now !== seen || rows.size >= MAX_ROWS) rows.clear();
    seen = now;
  };
  return {
    forget: () => rows.clear(),
    find<T>(key: string, load: () => T | undefined) {
      check();
      const known = rows.get(key) as T | undefined;
      if (known !== undefined) return known;
      const found = load();
      if (found !== undefined) rows.set(key, found);
      return found;
    },
  };
}
