import { createHash } from "node:crypto";
import { StoreError } from "../store.ts";
import { readLedger } from "../tables/accounts/ledger.ts";
import { movedInWords } from "../tables/care/moves.ts";
import { all, first, run, type Verb } from "../tables/engine.ts";
import type { Side } from "./sides.ts";
import { count, MOVED, type MovedTable, newest, next, type Row, store } from "./tables.ts";

export interface Moved {
  /** Rows by table, all of which are at both sides. */
  rows: Record<string, number>;
  files: number;
}

const SET =
  "INSERT INTO meta (key, value) VALUES (@key, @value) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const FORGET = "DELETE FROM meta WHERE key = @key";

// Marks tell when the move began. `leaving`: on an original that is being copied; `moving`: on its copy, on which nothing runs
// meanwhile; `moved`: on an original whose copy is complete, on which nothing runs any more.
type Mark = "leaving" | "moving" | "moved";

function* markIn(key: Mark): Verb<string | undefined> {
  return (yield* first<{ value: string }>("SELECT value FROM meta WHERE key = @key", { key }))?.value;
}
const markOf = ({ engine }: Side, key: Mark) => engine.read(() => markIn(key));

/** When everything in this database was moved to another; undefined if it was not. */
export const movedSince = (side: Side): Promise<string | undefined> => markOf(side, "moved");

/**
 * Copies all rows and kept files, and compares both sides. Interrupted, it goes on when it is called again. At its end nothing
 * runs on the original any more, and at no moment on both. Throws StoreError when the original was moved elsewhere, the other
 * side has rows of its own, or the copy differs: then it is not used.
 */
export async function move(from: Side, to: Side, now: number, told: (line: string) => void): Promise<Moved> {
  const { began, isComplete } = await begin(from, to, now);
  if (!isComplete) {
    await copyAll(from, to, told);
    await retire(from, began);
  }
  await to.engine.write(() => run(FORGET, { key: "moving" }));
  return countAll(to);
}

/** `isComplete`: only the last step is left. */
async function begin(from: Side, to: Side, now: number): Promise<{ began: string; isComplete: boolean }> {
  if ((await markOf(from, "moving")) !== undefined)
    throw new StoreError("this database is itself the copy of an interrupted move: finish that one first");
  const [moved, copied] = [await movedSince(from), await markOf(to, "moving")];
  if (moved !== undefined && moved !== copied) throw new StoreError(movedInWords(moved));
  if (moved !== undefined) return { began: moved, isComplete: true };
  if (copied !== undefined && copied !== (await markOf(from, "leaving")))
    throw new StoreError("the database to move to is the unfinished copy of another one: empty it first");
  const began = copied ?? String(now);
  await from.engine.write(() => run(SET, { key: "leaving", value: began }));
  if (copied === undefined) await markCopy(to, began);
  return { began, isComplete: false };
}

const markCopy = ({ engine }: Side, began: string): Promise<void> =>
  engine.write(function* () {
    yield* run(FORGET, { key: "moved" });
    for (const table of MOVED)
      if ((yield* count(table)) > 0)
        throw new StoreError(`the database to move to is not empty: it has rows in ${table.name}`);
    yield* run(SET, { key: "moving", value: began });
  });

/** Before the copy may be used: at no moment does a server start on both. */
const retire = ({ engine, keepServersOut }: Side, began: string): Promise<void> =>
  engine.write(function* () {
    yield* keepServersOut();
    if ((yield* markIn("leaving")) !== began)
      throw new StoreError("another move of this database has begun meanwhile: finish that one");
    yield* run(SET, { key: "moved", value: began });
  });

async function copyAll(from: Side, to: Side, told: (line: string) => void): Promise<void> {
  for (const table of MOVED) {
    const rows = await copy(from, to, table);
    if (rows > 0) told(`${table.name}: ${rows} rows`);
  }
  const files = await copyFiles(from, to);
  if (files > 0) told(`kept files: ${files}`);
  for (const table of MOVED.filter(({ numbered }) => numbered)) await to.setSequence(table, await from.sequence(table));
  await compare(from, to);
}

async function countAll({ engine }: Side): Promise<Moved> {
  const rows: Record<string, number> = {};
  for (const table of MOVED) rows[table.name] = await engine.read(() => count(table));
  return { rows, files: rows.kept_file ?? 0 };
}

async function copy(from: Side, to: Side, table: MovedTable): Promise<number> {
  const all = await from.engine.read(() => count(table));
  if ((await to.engine.read(() => count(table))) === all) return all;
  // What is numbered comes in order: an interrupted copy goes on where it ended.
  let after = table.numbered ? await to.engine.read(() => newest(table)) : undefined;
  for (;;) {
    const rows = await from.engine.read(() => next(table, after));
    if (rows.length === 0) return all;
    await to.engine.write(() => store(table, rows));
    after = placeOf(table, rows.at(-1));
  }
}

const placeOf = ({ order }: MovedTable, row: Row | undefined): Row | undefined =>
  row && Object.fromEntries(order.map((column) => [column, row[column]]));

async function copyFiles(from: Side, to: Side): Promise<number> {
  const files = await from.engine.read(() =>
    all<{ id: string; size: number }>("SELECT id, size FROM kept_file ORDER BY id"),
  );
  for (const { id, size } of files) {
    // Lost before: the copy lacks it, too.
    if ((await from.sizeOf(id)) === undefined || (await to.sizeOf(id)) === size) continue;
    await to.write(id, from.read(id));
  }
  return files.length;
}

async function compare(from: Side, to: Side): Promise<void> {
  for (const table of MOVED) {
    const [one, two] = [await sumOf(from, table), await sumOf(to, table)];
    if (one.rows !== two.rows || one.sum !== two.sum)
      throw new StoreError(
        `the copy of ${table.name} differs: ${one.rows} rows became ${two.rows}; move again into an empty database`,
      );
  }
  const [one, two] = await Promise.all([from, to].map(({ engine }) => engine.read((tx) => readLedger(tx))));
  if (JSON.stringify(one) !== JSON.stringify(two))
    throw new StoreError("the copy's ledger differs from the original's");
  // An empty one has no bytes anywhere.
  for (const { id } of await from.engine.read(() => all<{ id: string }>("SELECT id FROM kept_file")))
    if (((await from.sizeOf(id)) ?? 0) !== ((await to.sizeOf(id)) ?? 0))
      throw new StoreError(`the copy of the kept file ${id} differs`);
}

/** Of all rows in any order: texts with NUL sort differently. */
async function sumOf({ engine }: Side, table: MovedTable): Promise<{ rows: number; sum: string }> {
  let sum = 0n;
  let rows = 0;
  for (let after: Row | undefined; ; ) {
    const some = await engine.read(() => next(table, after));
    if (some.length === 0) return { rows, sum: sum.toString(16) };
    for (const row of some) {
      const text = JSON.stringify(table.columns.map((column) => row[column]));
      sum ^= BigInt(`0x${createHash("sha256").update(text).digest("hex")}`);
    }
    rows += some.length;
    after = placeOf(table, some.at(-1));
  }
}
