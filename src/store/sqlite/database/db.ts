import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { type Placeholder, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { type Bounds, DEFAULT_BOUNDS, UNLIMITED } from "../../../domain/overload.ts";
import { asStoreError, damaged, lost, saysFull } from "../../disk/faults.ts";
import {
  assertNotLost,
  DATABASE,
  isFile,
  isRemote,
  LOCK,
  makeFolder,
  markMade,
  noFolder,
  startsMarked,
  syncFolder,
} from "../../disk/folder.ts";
import { lockInstance } from "../../disk/instance-lock.ts";
import { MOST_LOG_BYTES, watchUnderneath } from "../../disk/underneath.ts";
import { StoreError, type Underneath } from "../../store.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import { createPressure, type Pressure } from "./pressure.ts";
import * as schema from "./schema.ts";
import { alternating, type Deal, dealing } from "./turns.ts";

export type Orm = BetterSQLite3Database<typeof schema>;

/** The one connection, with all that writes through it share. */
export interface Database extends GroupCommit {
  /** Reads outside a transaction see what is committed. */
  orm: Orm;
  /** What `make` has prepared, made at its first use: building and compiling a statement costs more than running it. */
  statements<S>(make: (orm: Orm) => S): S;
  /** The same connection, for what no query says. */
  sqlite: Sqlite.Database;
  /** How much waits, and how much more may. */
  pressure: Pressure;
  /** Whose turn it is where more is due than may leave. */
  deal: Deal;
  /** Whether who asks has the odd place this time. */
  odd(who: string): boolean;
  /** Absent beside a server. */
  underneath?: Underneath;
  close(): void;
}

/**
 * For `limit`, in prepared statements: one whose LIMIT is a parameter as it stands is compiled anew each time it runs, since
 * SQLite looks at its value to choose a plan (measured for a head of a lane: 23 µs instead of 3).
 */
export const upTo = (most: number | Placeholder) =>
  (typeof most === "number" ? sql.raw(String(most)) : sql`${most} + 0`) as unknown as Placeholder;

/** Beside package.json, however deep a build or a bundle has put this file. */
function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "migrations");
}

/**
 * Checkpoint at 16 MiB of log and cache of 16 MiB: pages that many messages touch are written and read once (measured,
 * against 4 MiB and 2 MiB: 205 µs to 121 µs of CPU for a message taken in).
 */
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "busy_timeout = 5000",
  "temp_store = MEMORY",
  "wal_autocheckpoint = 4000",
  "cache_size = -16384",
  `journal_size_limit = ${MOST_LOG_BYTES}`,
  "trusted_schema = OFF",
];
/** Older ones may corrupt a WAL when a checkpoint meets a commit (sqlite.org, fixed in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3];

interface OpenOptions {
  allowRemoteFolder?: boolean;
  /** A second connection beside a running server: it takes no instance lock and changes no table's shape. */
  shared?: boolean;
  bounds?: Bounds;
}

/**
 * Opens, checks and migrates `<folder>/gangway.db`; throws StoreError when another copy runs, a check fails, or the folder
 * has lost its database. Only a folder that never had one gets a new one.
 */
export function openDatabase(folder: string, options: OpenOptions = {}): Database {
  const file = join(folder, DATABASE);
  if (options.shared) return openBeside(folder, file);
  makeFolder(folder);
  if (!options.allowRemoteFolder && isRemote(folder))
    throw new StoreError(`the data folder ${folder} is on a network file system; SQLite needs a local disk`);
  const unlock = lockInstance(folder);
  let sqlite: Sqlite.Database | undefined;
  try {
    assertNotLost(folder);
    if (!existsSync(file)) createFirst(folder);
    sqlite = new Sqlite(file, { fileMustExist: true });
    if (schemaVersion(sqlite) === 0) throw foreign(file);
    const orm = prepare(sqlite);
    countStart(sqlite, folder);
    const files = [file, `${file}-wal`, `${file}-shm`, join(folder, LOCK)];
    const underneath = watchUnderneath(files, isRemote(folder));
    return opened(sqlite, orm, { folder, bounds: options.bounds ?? DEFAULT_BOUNDS, unlock, underneath });
  } catch (error) {
    sqlite?.close();
    unlock();
    throw asStoreError(error, file);
  }
}

function openBeside(folder: string, file: string): Database {
  if (isFile(folder)) throw noFolder(folder);
  assertNotLost(folder);
  if (!existsSync(file)) throw new StoreError(`there is no database in the data folder ${folder}`);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { fileMustExist: true });
    for (const pragma of PRAGMAS) sqlite.pragma(pragma);
    // The server commits without a pause when it is busy: whoever comes beside it waits longer for a gap.
    sqlite.pragma("busy_timeout = 30000");
    const [here, wanted] = [schemaVersion(sqlite), newestSchema()];
    if (here === 0) throw foreign(file);
    if (here !== wanted)
      throw new StoreError(
        here < wanted
          ? "the database is of an older version of Gangway: start the server of this version once, which brings it up to date"
          : "the database is of a newer version of Gangway than this command: use the command of the server's version",
      );
    // What a person sends again is not refused for what waits.
    return opened(sqlite, drizzle(sqlite, { schema }), { folder, bounds: UNLIMITED });
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file);
  }
}

interface Opening {
  folder: string;
  bounds: Bounds;
  unlock?(): void;
  underneath?: Underneath;
}

function opened(sqlite: Sqlite.Database, orm: Orm, { folder, bounds, unlock, underneath }: Opening): Database {
  const pressure = createPressure(sqlite, folder, bounds);
  const close = () => {
    // SQLite deletes the log by its name when it closes: that may be another database's by now.
    if (underneath?.look() !== undefined) return;
    sqlite.close();
    unlock?.();
  };
  const group = groupCommit(sqlite, underneath?.assertThere);
  const write = pressure.within(group.write);
  const own = { orm, statements: preparedOnce(orm), sqlite, pressure, deal: dealing(), odd: alternating(), underneath };
  return { ...own, ...group, write, close };
}

const foreign = (file: string) => new StoreError(`${file} is no database of Gangway: look at what it is`);

/** It gets its name when it is whole: whatever cuts a first start short, no empty file is left that looks like a lost one. */
function createFirst(folder: string): void {
  const file = join(folder, DATABASE);
  const made = `${file}.new`;
  const discard = () => {
    for (const name of [made, `${made}-wal`, `${made}-shm`, `${made}-journal`]) rmSync(name, { force: true });
  };
  discard();
  const sqlite = new Sqlite(made);
  try {
    prepare(sqlite);
    sqlite.close();
  } catch (error) {
    sqlite.close();
    discard();
    throw error;
  }
  renameSync(made, file);
  syncFolder(folder);
  markMade(folder, 0);
}

/** Sets a connection up, checks the file and brings its tables up to date. */
export function prepare(sqlite: Sqlite.Database): Orm {
  for (const pragma of PRAGMAS) sqlite.pragma(pragma);
  assertSafe(sqlite);
  const orm = drizzle(sqlite, { schema });
  try {
    migrate(orm, { migrationsFolder: migrationsFolder() });
  } catch (error) {
    // SQLite has taken the change back by itself, so that the migrator's own attempt hides why.
    if (!(error instanceof Error) || !String(error.cause).includes("no transaction is active")) throw error;
    throw new StoreError(
      `the tables of ${sqlite.name} cannot be brought up to date: its disk is full, or fails`,
      "perhaps-full",
    );
  }
  return orm;
}

/** The last migration that this program knows, and the last that a database has seen: 0 when it is none of ours. */
export const newestSchema = (): number =>
  Math.max(...readMigrationFiles({ migrationsFolder: migrationsFolder() }).map((migration) => migration.folderMillis));
export function schemaVersion(sqlite: Sqlite.Database): number {
  const known = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get();
  if (!known) return 0;
  return sqlite.prepare("SELECT max(created_at) FROM __drizzle_migrations").pluck().get() as number;
}

function preparedOnce(orm: Orm): Database["statements"] {
  const known = new Map<unknown, unknown>();
  return <S>(make: (orm: Orm) => S): S => {
    const found = known.get(make) as S | undefined;
    if (found) return found;
    const made = make(orm);
    known.set(make, made);
    return made;
  };
}

function assertSafe(sqlite: Sqlite.Database): void {
  const read = (name: string) => sqlite.pragma(name, { simple: true });
  if (read("journal_mode") !== "wal") throw new StoreError("the database is not in WAL mode");
  if (read("synchronous") !== 2) throw new StoreError("the database does not sync every commit to the disk");
  const quickCheck = read("quick_check(1)");
  if (quickCheck !== "ok") throw damaged(sqlite.name, String(quickCheck));
  const { version } = sqlite.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const parts = version.split(".").map(Number);
  const older = OLDEST_SQLITE.findIndex((want, i) => parts[i] !== want);
  if (older >= 0 && (parts[older] ?? 0) < (OLDEST_SQLITE[older] ?? 0))
    throw new StoreError(`SQLite ${version} is too old; ${OLDEST_SQLITE.join(".")} or newer is needed`);
}

/**
 * The database counts its starts, and so does the mark beside it. One that knows of fewer is not what was there before: its log
 * was taken away, or an older copy put in its place. The write shows besides that the file may be written. Throws StoreError.
 */
function countStart(sqlite: Sqlite.Database, folder: string): void {
  const known = Number(sqlite.prepare("SELECT value FROM meta WHERE key = 'starts'").pluck().get() ?? 0);
  const marked = startsMarked(folder);
  if (known < marked) throw lost(`${sqlite.name} is an older one than was here, or its log was taken away`);
  try {
    sqlite.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('starts', ?)").run(String(known + 1));
    markMade(folder, known + 1);
  } catch (error) {
    // A start that a full disk does not count is none the less one.
    if (!saysFull(error)) throw error;
  }
}
