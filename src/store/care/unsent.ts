import { setImmediate } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import type { Swept } from "../care.ts";
import type { Database } from "../sqlite/database/db.ts";

/** Files checked together, and journal rows read at once. */
const FILES_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
/** After the clock was set back, a file's journal entry may be a little older than the file, ms. */
const SLACK_MS = 3_600_000;

interface FileRow {
  id: string;
  at: number;
}

/**
 * A sent file is named by a journal entry soon after it was stored: reads the journal from there until every file is found.
 * Deletes the others, which were never sent. `after` and `next` are times, ms.
 */
export function unsentFiles(db: Database): (before: number, after: number) => Promise<Swept> {
  return async (before, after) => {
    const files = batch(db.sqlite, before, after);
    const [first, last] = [files[0], files.at(-1)];
    if (!first || !last) return { deleted: 0 };
    const unnamed = new Set(files.map(({ id }) => id));
    let position = positionAt(db.sqlite, first.at - SLACK_MS);
    for (let more = true; more && unnamed.size > 0; await setImmediate())
      ({ position, more } = removeNamed(db.sqlite, position, ROWS_AT_ONCE, unnamed));
    const deleted = unnamed.size === 0 ? 0 : await drop(db, position, unnamed);
    return { deleted, next: last.at };
  };
}

/** The next files by time, including all of the last one's millisecond. */
function batch(sqlite: Sqlite.Database, before: number, after: number): FileRow[] {
  const span = "FROM kept_file WHERE created_at > ? AND created_at < ?";
  const last = sqlite
    .prepare(`SELECT max(at) FROM (SELECT created_at AS at ${span} ORDER BY created_at LIMIT ${FILES_AT_ONCE})`)
    .pluck()
    .get(after, before) as number | null;
  if (last === null) return [];
  return sqlite
    .prepare<[number, number], FileRow>(`SELECT id, created_at AS at ${span} ORDER BY created_at`)
    .all(after, last + 1);
}

/** Reads the journal's end again in the transaction: a message may have arrived since. */
const drop = (db: Database, position: number, unnamed: Set<string>): Promise<number> =>
  db.write(() => {
    removeNamed(db.sqlite, position, -1, unnamed);
    const remove = db.sqlite.prepare("DELETE FROM kept_file WHERE id = ?");
    for (const id of unnamed) remove.run(id);
    return unnamed.size;
  });

const ID = /[\w-]+/g;

/** Removes from `unnamed` the files that the next journal rows name. */
function removeNamed(sqlite: Sqlite.Database, after: number, limit: number, unnamed: Set<string>) {
  const rows = sqlite
    .prepare<[number, number], { position: number; entry: string }>(
      "SELECT position, entry FROM journal WHERE position > ? ORDER BY position LIMIT ?",
    )
    .all(after, limit);
  for (const { entry } of rows) for (const id of entry.match(ID) ?? []) unnamed.delete(id);
  return { position: rows.at(-1)?.position ?? after, more: rows.length === limit };
}

/** The position before the first entry at or after `time`: a binary search, as positions grow with time. */
function positionAt(sqlite: Sqlite.Database, time: number): number {
  const rowFrom = sqlite.prepare<[number], { position: number; at: number }>(
    "SELECT position, created_at AS at FROM journal WHERE position >= ? ORDER BY position LIMIT 1",
  );
  let low = rowFrom.get(0)?.position ?? 0;
  let high = (sqlite.prepare("SELECT coalesce(max(position), 0) FROM journal").pluck().get() as number) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = rowFrom.get(middle);
    if (found && found.at < time) low = found.position + 1;
    else high = middle;
  }
  return low - 1;
}
