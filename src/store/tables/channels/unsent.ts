import { setImmediate } from "node:timers/promises";
import type { Swept } from "../../care.ts";
import { all, type Engine, first, run, type Verb } from "../engine.ts";

/** Files checked together, and journal rows read at once. */
const FILES_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
/** After the clock was set back, a file's journal entry may be a little older than the file, ms. */
const SLACK_MS = 3_600_000;

const OLD = "FROM kept_file WHERE created_at > @after AND created_at";
const LAST = `SELECT max(at) AS at FROM (
  SELECT created_at AS at ${OLD} < @before ORDER BY created_at LIMIT ${FILES_AT_ONCE}) AS found`;
const FILES = `SELECT id, created_at AS at ${OLD} <= @last ORDER BY created_at`;
const DROP = "DELETE FROM kept_file WHERE id = @id";
const LINES = "SELECT position, entry FROM journal WHERE position > @after ORDER BY position";
const LINE_FROM = `SELECT position, created_at AS at FROM journal
  WHERE position >= @position ORDER BY position LIMIT 1`;
const END = "SELECT coalesce(max(position), 0) + 1 AS position FROM journal";

interface FileRow {
  id: string;
  at: number;
}

/**
 * A sent file is named by a journal entry soon after it was stored: reads the journal from there until every file is found.
 * Deletes the others, which were never sent. `after` and `next` are times, ms.
 */
export function unsentFiles({ read, write }: Engine): (before: number, after: number) => Promise<Swept> {
  return async (before, after) => {
    const files = await read(() => batch(before, after));
    const [oldest, last] = [files[0], files.at(-1)];
    if (!oldest || !last) return { deleted: 0 };
    const unnamed = new Set(files.map(({ id }) => id));
    let position = await read(() => positionAt(oldest.at - SLACK_MS));
    for (let more = true; more && unnamed.size > 0; await setImmediate())
      ({ position, more } = await read(() => removeNamed(position, unnamed, ROWS_AT_ONCE)));
    const deleted = unnamed.size === 0 ? 0 : await write(() => drop(position, unnamed));
    return { deleted, next: last.at };
  };
}

/** The next files by time, including all of the last one's millisecond. */
function* batch(before: number, after: number): Verb<FileRow[]> {
  const last = (yield* first<{ at: number | null }>(LAST, { before, after }))?.at ?? null;
  return last === null ? [] : yield* all<FileRow>(FILES, { after, last });
}

/** Reads the journal's end again in the transaction: a message may have arrived since. */
function* drop(position: number, perhaps: ReadonlySet<string>): Verb<number> {
  const unnamed = new Set(perhaps);
  yield* removeNamed(position, unnamed);
  for (const id of unnamed) yield* run(DROP, { id });
  return unnamed.size;
}

const ID = /[\w-]+/g;

/** Removes from `unnamed` the files that the next journal rows name. */
function* removeNamed(after: number, unnamed: Set<string>, limit?: number): Verb<{ position: number; more: boolean }> {
  const text = limit === undefined ? LINES : `${LINES} LIMIT ${limit}`;
  const rows = yield* all<{ position: number; entry: string }>(text, { after });
  for (const { entry } of rows) for (const id of entry.match(ID) ?? []) unnamed.delete(id);
  return { position: rows.at(-1)?.position ?? after, more: rows.length === limit };
}

/** The position before the first entry at or after `time`: a binary search, as positions grow with time. */
function* positionAt(time: number): Verb<number> {
  type Found = { position: number; at: number };
  let low = (yield* first<Found>(LINE_FROM, { position: 0 }))?.position ?? 0;
  let high = (yield* first<{ position: number }>(END))?.position ?? 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* first<Found>(LINE_FROM, { position: middle });
    if (found && found.at < time) low = found.position + 1;
    else high = middle;
  }
  return low - 1;
}
