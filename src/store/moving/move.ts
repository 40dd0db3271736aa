import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isTable } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { assertNotLost, DATABASE, FILES } from "../disk/folder.ts";
import type { Bucket } from "../objects/bucket.ts";
import { openBucket } from "../objects/open.ts";
import { connect } from "../postgres/database/connection.ts";
import { postgresEngine } from "../postgres/database/engine.ts";
import { hasTables, migrateTables } from "../postgres/database/migrating.ts";
import { assertNoObjects, keptBytes, keptChunks, keptObjects } from "../postgres/files/kept-files.ts";
import { keepServersOut } from "../postgres/tables/leases.ts";
import { createSealer, type KeyRing, type Sealer } from "../secrets.ts";
import { openDatabase } from "../sqlite/database/db.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import { folderBytes } from "../sqlite/tables/kept-files.ts";
import { type BucketAccess, StoreError } from "../store.ts";
import { movedInWords } from "../tables/accounts/keys.ts";
import { readLedger, VISITED } from "../tables/accounts/ledger.ts";
import type { FileBytes } from "../tables/channels/kept-files.ts";
import { all, type Engine, first, metaOf, run, setMeta, type Verb } from "../tables/engine.ts";
import * as schema from "../tables/schema.ts";
import { LISTENING } from "../tables/vendor/events.ts";

// Tables as moved between engines: both have the same columns.

interface MovedTable {
  name: string;
  columns: string[];
  /** Columns of the primary key. */
  key: string[];
  /** The key is a number from the table's own sequence. */
  numbered: boolean;
  /** Reading order: order of insertion, where known. */
  order: string[];
}

export type Row = Record<string, unknown>;

/** Not moved: rows that belong to a database itself, and sums that triggers maintain. */
const OWN_META = ["starts", "traces", "ping", "backup_at", "leaving", "moving", "moved", "clock", LISTENING];
const DERIVED = ["kept_sum"];

const nameOf = (table: SQLiteTable): string => getTableConfig(table).name;

/** Sorted by name, after referenced tables. Import order differs between runtimes. */
function byReference(tables: SQLiteTable[]): SQLiteTable[] {
  const sorted = new Set<SQLiteTable>();
  const add = (table: SQLiteTable) => {
    for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable as SQLiteTable);
    sorted.add(table);
  };
  for (const table of [...tables].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))) add(table);
  return [...sorted];
}

function describe(table: SQLiteTable): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter(({ primary }) => primary);
  const key = (primaryKeys[0]?.columns ?? own).map((column) => column.name);
  const numbered = own.some((column) => "autoIncrement" in column && column.autoIncrement === true);
  const order = VISITED.has(name) ? ["rowid"] : key;
  return { name, columns: columns.map((column) => column.name), key, numbered, order };
}

export const MOVED: MovedTable[] = byReference(Object.values(schema).filter((each) => isTable(each)) as SQLiteTable[])
  .map(describe)
  .filter(({ name }) => !DERIVED.includes(name));

/** Rows read, and stored, at once. */
export const AT_ONCE = 100;

const scope = ({ name }: MovedTable): string =>
  name === "meta" ? `key NOT IN (${OWN_META.map((key) => `'${key}'`)})` : "true";

/** The next rows in order. */
export function next(table: MovedTable, after: Row | undefined): Verb<Row[]> {
  const { name, columns, order } = table;
  const beyond = after ? ` AND (${order}) > (${order.map((column) => `@${column}`)})` : "";
  const seen = [...new Set([...columns, ...order])];
  const text = `SELECT ${seen} FROM ${name} WHERE ${scope(table)}${beyond} ORDER BY ${order} LIMIT ${AT_ONCE}`;
  return all<Row>(text, after);
}

/** Stores rows; existing ones stay. */
export function* store({ name, columns }: MovedTable, rows: Row[]): Verb<void> {
  const values: Row = {};
  const lists = rows.map((row, n) => {
    for (const column of columns) values[`${column}_${n}`] = row[column];
    return `(${columns.map((column) => `@${column}_${n}`)})`;
  });
  yield { query: `INSERT INTO ${name} (${columns}) VALUES ${lists} ON CONFLICT DO NOTHING`, values, rows: false };
}

export function* count(table: MovedTable): Verb<number> {
  const [row] = yield* all<{ count: number }>(`SELECT count(*) AS count FROM ${table.name} WHERE ${scope(table)}`);
  return row?.count ?? 0;
}

/** The row with the largest number, if any. */
export function* newest({ name, key }: MovedTable): Verb<Row | undefined> {
  const [row] = yield* all<{ newest: number | null }>(`SELECT max(${key}) AS newest FROM ${name}`);
  return row?.newest == null ? undefined : { [String(key)]: row.newest };
}

/** A database that rows are moved from or to, used by nobody else meanwhile. */
export interface Side {
  engine: Engine;
  /** Call in a transaction: no server can start on it before the end. Throws StoreError if one is running. */
  keepServersOut(): Verb<void>;
  /** The last number of a table's own sequence. */
  sequence(table: MovedTable): Promise<number>;
  setSequence(table: MovedTable, last: number): Promise<void>;
  files: FileBytes;
  close(): Promise<void>;
}

/** Throws StoreError when a server runs on the folder. */
export function sqliteSide(folder: string, sealer: Sealer): Side {
  const db = openDatabase(folder, { sealer });
  const engine = sqliteEngine(db);
  return {
    engine,
    // The open folder is locked.
    *keepServersOut() {},
    async sequence({ name }) {
      const row = await engine.read(() =>
        first<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = @name", { name }),
      );
      return row?.seq ?? 0;
    },
    setSequence: ({ name }, last) =>
      engine.write(function* () {
        yield* run("DELETE FROM sqlite_sequence WHERE name = @name", { name });
        if (last > 0) yield* run("INSERT INTO sqlite_sequence (name, seq) VALUES (@name, @last)", { name, last });
      }),
    files: folderBytes(join(folder, FILES)),
    close: async () => db.close(),
  };
}

const sequenceOf = ({ name, key }: MovedTable) => `pg_get_serial_sequence('${name}', '${key}')`;

interface PostgresOptions {
  sealer: Sealer;
  bucket?: Bucket;
  /** Creates no tables in a database that is only read from. */
  mustHaveTables?: boolean;
}

/** Throws StoreError when a server runs on the database. */
export async function postgresSide(
  url: string,
  { sealer, bucket, mustHaveTables = false }: PostgresOptions,
): Promise<Side> {
  const pool = await connect(url, () => undefined);
  try {
    const engine = postgresEngine(pool, { sealer });
    if (mustHaveTables && !(await engine.read(hasTables)))
      throw new StoreError("the database to move from has no tables of Gangway: check its name");
    await migrateTables(pool, url);
    await engine.write(keepServersOut);
    if (!bucket) await engine.read(assertNoObjects);
    const objects = bucket && keptObjects({ engine, sealer, bucket, now: Date.now });
    return {
      engine,
      keepServersOut,
      async sequence(table) {
        const text = `SELECT coalesce(pg_sequence_last_value(CAST(${sequenceOf(table)} AS regclass)), 0) AS last`;
        return (await engine.read(() => first<{ last: number }>(text)))?.last ?? 0;
      },
      setSequence: async (table, last) => {
        if (last > 0)
          await engine.read(() =>
            all(`SELECT setval(CAST(${sequenceOf(table)} AS regclass), CAST(@last AS bigint))`, { last }),
          );
      },
      files: keptBytes(engine, keptChunks(engine, Date.now), objects),
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

interface Moved {
  /** Rows by table, present on both sides. */
  rows: Record<string, number>;
  files: number;
}

// Marks, with the time the move began. `leaving`: an original being copied. `moving`: its copy; no server may run on it
// yet. `moved`: an original whose copy is complete; no server may run on it any more.
type Mark = "leaving" | "moving" | "moved";

const markOf = ({ engine }: Side, key: Mark) => engine.read(() => metaOf(key));

/** When everything in this database was moved to another; undefined if it was not. */
const movedSince = (side: Side): Promise<string | undefined> => markOf(side, "moved");

/**
 * Copies all rows and kept files and compares both sides; continues if it was interrupted. A server can never start on
 * both sides, and afterwards only on the copy. Throws StoreError when the original was moved elsewhere, the target has
 * rows of its own, or the copy differs, which leaves the copy unusable.
 */
export async function move(from: Side, to: Side, now: number, told: (line: string) => void): Promise<Moved> {
  const { began, isComplete } = await begin(from, to, now);
  if (!isComplete) {
    await copyAll(from, to, told);
    await retire(from, began);
  }
  await to.engine.write(() => setMeta("moving", undefined));
  return countAll(to);
}

/** `isComplete`: only the last step remains. */
async function begin(from: Side, to: Side, now: number): Promise<{ began: string; isComplete: boolean }> {
  if ((await markOf(from, "moving")) !== undefined)
    throw new StoreError("this database is itself the copy of an interrupted move: finish that one first");
  const [moved, copied] = [await movedSince(from), await markOf(to, "moving")];
  if (moved !== undefined && moved !== copied) throw new StoreError(movedInWords(moved));
  if (moved !== undefined) return { began: moved, isComplete: true };
  if (copied !== undefined && copied !== (await markOf(from, "leaving")))
    throw new StoreError("the database to move to is the unfinished copy of another one: empty it first");
  const began = copied ?? String(now);
  await from.engine.write(() => setMeta("leaving", began));
  if (copied === undefined) await markCopy(to, began);
  return { began, isComplete: false };
}

const markCopy = ({ engine }: Side, began: string): Promise<void> =>
  engine.write(function* () {
    yield* setMeta("moved", undefined);
    for (const table of MOVED)
      if ((yield* count(table)) > 0)
        throw new StoreError(`the database to move to is not empty: it has rows in ${table.name}`);
    yield* setMeta("moving", began);
  });

/** Before the copy becomes usable, so that a server can never start on both. */
const retire = ({ engine, keepServersOut }: Side, began: string): Promise<void> =>
  engine.write(function* () {
    yield* keepServersOut();
    if ((yield* metaOf("leaving")) !== began)
      throw new StoreError("another move of this database has begun meanwhile: finish that one");
    yield* setMeta("moved", began);
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
  // Numbered rows arrive in order, so an interrupted copy continues where it ended.
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
    // Lost before the move: the copy lacks it, too.
    if ((await from.files.sizeOf(id)) === undefined || (await to.files.sizeOf(id)) === size) continue;
    await to.files.remove(id);
    await to.files.add(id, from.files.read(id));
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
    if (((await from.files.sizeOf(id)) ?? 0) !== ((await to.files.sizeOf(id)) ?? 0))
      throw new StoreError(`the copy of the kept file ${id} differs`);
}

/** Checksum of all rows independent of order: texts with NUL sort differently. */
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

interface Between {
  /** The data folder, of a stopped server. */
  folder: string;
  url: string;
  /** Where files on PostgreSQL are, if not in the database. */
  bucket?: BucketAccess;
  keyRing: KeyRing;
  now: number;
  told(line: string): void;
}

/** Moves everything from the data folder to PostgreSQL, or back. Throws StoreError. */
export async function moveBetween(
  way: "to" | "from",
  { folder, url, bucket, keyRing, now, told }: Between,
): Promise<Moved> {
  const sealer = createSealer(keyRing);
  const openFolder = async () => {
    if (way === "to") assertHasDatabase(folder);
    return sqliteSide(folder, sealer);
  };
  const openPostgres = async () =>
    postgresSide(url, { sealer, bucket: bucket && (await openBucket(bucket)), mustHaveTables: way === "from" });
  // Open the original first: if there is none, create nothing on the other side.
  const [openFrom, openTo] = way === "to" ? [openFolder, openPostgres] : [openPostgres, openFolder];
  const from = await openFrom();
  try {
    const moved = await movedSince(from);
    if (moved !== undefined && way === "from" && !hasDatabase(folder)) throw new StoreError(movedInWords(moved));
    const to = await openTo();
    try {
      return await move(from, to, now, told);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

const hasDatabase = (folder: string) => existsSync(join(folder, DATABASE));

function assertHasDatabase(folder: string): void {
  assertNotLost(folder);
  if (!hasDatabase(folder))
    throw new StoreError(`there is no database in the data folder ${folder}: check DATA_FOLDER`);
}
