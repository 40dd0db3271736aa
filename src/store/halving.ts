import type Sqlite from "better-sqlite3";

interface Ordered {
  table: string;
  /** Grows with `time`. */
  key: string;
  time: string;
}

/** The key before the first row of a time, ms: no index on time is needed where keys are in its order. */
export function placeAt(sqlite: Sqlite.Database, { table, key, time }: Ordered, at: number): number {
  const row = sqlite.prepare<[number], { key: number; at: number }>(
    `SELECT ${key} AS key, ${time} AS at FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1`,
  );
  let low = row.get(0)?.key ?? 0;
  let high = (sqlite.prepare(`SELECT coalesce(max(${key}), 0) FROM ${table}`).pluck().get() as number) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = row.get(middle);
    if (found && found.at < at) low = found.key + 1;
    else high = middle;
  }
  return low - 1;
}
