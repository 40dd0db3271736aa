import { setImmediate } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import type { Database } from "./db.ts";
import type { Swept } from "./retention.ts";

/** Files that are judged together, and lines of the journal that are read at once. */
const FILES_AT_ONCE = 100;
const LINES = 500;
/** A clock that was set back may have put lines a little before their files, ms. */
const SLACK_MS = 3_600_000;

interface FileRow {
  rowid: number;
  id: string;
  at: number;
}

/**
 * A file belongs to something as soon as a line of the journal names it, and that line comes soon after the file: the
 * journal is read on from there until all are found. What is found nowhere was never sent.
 */
export function unsentFiles(db: Database): (before: number, after: number) => Promise<Swept> {
  const { sqlite } = db;
  return async (before, after) => {
    const rows = sqlite
      .prepare<[number, number], FileRow>(
        "SELECT rowid, id, created_at AS at FROM kept_file WHERE rowid > ? ORDER BY rowid LIMIT ?",
      )
      .all(after, FILES_AT_ONCE);
    const old = rows.filter(({ at }) => at < before);
    const next = rows.length === FILES_AT_ONCE ? rows.at(-1)?.rowid : undefined;
    if (old.length === 0) return { deleted: 0, next };
    const unnamed = new Set(old.map(({ id }) => id));
    let place = positionAt(sqlite, Math.min(...old.map(({ at }) => at)) - SLACK_MS);
    for (let more = true; more && unnamed.size > 0; await setImmediate())
      ({ place, more } = readOn(sqlite, place, LINES, unnamed));
    if (unnamed.size === 0) return { deleted: 0, next };
    return { deleted: await drop(db, place, unnamed), next };
  };
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
