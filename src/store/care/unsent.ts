import { setImmediate } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import type { Swept } from "../care.ts";
import type { Database } from "../sqlite/database/db.ts";

/** Files that are judged together, and lines of the journal that are read at once. */
const FILES_AT_ONCE = 100;
const LINES = 500;
/** A clock that was set back may have put lines a little before their files, ms. */
const SLACK_MS = 3_600_000;

interface FileRow {
  id: string;
  at: number;
}

/**
 * A file belongs to something as soon as a line of the journal names it, and that line comes soon after the file: the
 * journal is read on from there until all are found. What is found nowhere was never sent. Places are times.
 */
export function unsentFiles(db: Database): (before: number, after: number) => Promise<Swept> {
  return async (before, after) => {
    const files = batch(db.sqlite, before, after);
    const [first, last] = [files[0], files.at(-1)];
    if (!first || !last) return { deleted: 0 };
    const unnamed = new Set(files.map(({ id }) => id));
    let place = positionAt(db.sqlite, first.at - SLACK_MS);
    for (let more = true; more && unnamed.size > 0; await setImmediate())
      ({ place, more } = readOn(db.sqlite, place, LINES, unnamed));
    const deleted = unnamed.size === 0 ? 0 : await drop(db, place, unnamed);
    return { deleted, next: last.at };
  };
}

/** The next files in the order of time, and with the last of them all that came in the same millisecond. */
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

/** A message may have come since the last look. */
const drop = (db: Database, place: number, unnamed: Set<string>): Promise<number> =>
  db.write(() => {
    readOn(db.sqlite, place, -1, unnamed);
    const gone = db.sqlite.prepare("DELETE FROM kept_file WHERE id = ?");
    for (const id of unnamed) gone.run(id);
    return unnamed.size;
  });

const ID = /[\w-]+/g;

/** Takes from `unnamed` what the next lines name. */
function readOn(sqlite: Sqlite.Database, after: number, most: number, unnamed: Set<string>) {
  const lines = sqlite
    .prepare<[number, number], { position: number; entry: string }>(
      "SELECT position, entry FROM journal WHERE position > ? ORDER BY position LIMIT ?",
    )
    .all(after, most);
  for (const { entry } of lines) for (const id of entry.match(ID) ?? []) unnamed.delete(id);
  return { place: lines.at(-1)?.position ?? after, more: lines.length === most };
}

/** The journal's position before the first line of a time: positions grow with time, so halving finds it. */
function positionAt(sqlite: Sqlite.Database, time: number): number {
  const line = sqlite.prepare<[number], { position: number; at: number }>(
    "SELECT position, created_at AS at FROM journal WHERE position >= ? ORDER BY position LIMIT 1",
  );
  let low = line.get(0)?.position ?? 0;
  let high = (sqlite.prepare("SELECT coalesce(max(position), 0) FROM journal").pluck().get() as number) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = line.get(middle);
    if (found && found.at < time) low = found.position + 1;
    else high = middle;
  }
  return low - 1;
}
