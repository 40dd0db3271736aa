import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { type Placeholder, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { BOUNDLESS, type Bounds, DEFAULT_BOUNDS } from "../domain/overload.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import { createPressure, type Pressure } from "./pressure.ts";
import * as schema from "./schema.ts";
import { asStoreError, damaged, lost, StoreError, sqliteCode } from "./store-error.ts";

export { StoreError } from "./store-error.ts";

export type Orm = BetterSQLite3Database<typeof schema>;

export interface Database extends GroupCommit {
  /** Reads outside a transaction see what is committed. */
  orm: Orm;
  /** What `make` has prepared, made at its first use: building and compiling a statement costs more than running it. */
  statements<S>(make: (orm: Orm) => S): S;
  /** The same connection, for what no query says. */
  sqlite: Sqlite.Database;
  /** How much waits, and how much more may. */
  pressure: Pressure;
  close(): void;
}

/**
 * For `limit`, in prepared statements: one whose LIMIT is a parameter as it stands is compiled anew each time it runs, since
 * SQLite looks at its value to choose a plan (measured for a head of a lane: 23 µs instead of 3).
 */
export const upTo = (most: number | Placeholder) =>
  (typeof most === "number" ? sql.raw(String(most)) : sql`${most} + 0`) as unknown as Placeholder;

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
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
  "journal_size_limit = 67108864",
  "trusted_schema = OFF",
];
/** File systems whose locks or syncs cannot be trusted: NFS, SMB, CIFS, SMB2, FUSE (statfs magic numbers). */
const REMOTE_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546]);
/** Older ones may corrupt a WAL when a checkpoint meets a commit (sqlite.org, fixed in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3];

export const DATABASE = "gangway.db";
/** Bytes of kept files. */
export const FILES = "files";
/** What a restore has not yet put in its place. */
export const RESTORING = "restoring";
const LOCK = "instance.lock";

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
    assertWritable(sqlite);
    return opened(sqlite, orm, { folder, bounds: options.bounds ?? DEFAULT_BOUNDS, unlock });
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
    return opened(sqlite, drizzle(sqlite, { schema }), { folder, bounds: BOUNDLESS });
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file);
  }
}

interface Opening {
  folder: string;
  bounds: Bounds;
  unlock?(): void;
}

function opened(sqlite: Sqlite.Database, orm: Orm, { folder, bounds, unlock }: Opening): Database {
  const pressure = createPressure(sqlite, folder, bounds);
  const close = () => {
    sqlite.close();
    unlock?.();
  };
  return { orm, statements: preparedOnce(orm), ...shared(sqlite, pressure), sqlite, pressure, close };
}

const foreign = (file: string) => new StoreError(`${file} is no database of Gangway: look at what it is`);

/** Throws StoreError. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (isFile(folder)) throw noFolder(folder);
    const words = error instanceof Error ? error.message : String(error);
    throw new StoreError(`the data folder ${folder} cannot be made: ${words}`);
  }
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
const noFolder = (path: string) => new StoreError(`DATA_FOLDER ${path} is a file: set it to a folder`);

/** A new database here would hide that all is gone. */
function assertNotLost(folder: string): void {
  const file = join(folder, DATABASE);
  const bytes = (path: string) => (existsSync(path) ? statSync(path).size : undefined);
  if (bytes(file) === 0) throw lost(`${file} is empty`);
  if (existsSync(file)) return;
  if (existsSync(join(folder, RESTORING))) throw lost(`a restore into ${folder} was cut short`);
  if (bytes(`${file}-wal`)) throw lost(`only its log is left in ${folder}`);
  const files = join(folder, FILES);
  if (existsSync(files) && readdirSync(files).length > 0) throw lost(`only kept files are left in ${folder}`);
}

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
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/** Sets a connection up, checks the file and brings its tables up to date. */
export function prepare(sqlite: Sqlite.Database): Orm {
  for (const pragma of PRAGMAS) sqlite.pragma(pragma);
  assertSafe(sqlite);
  const orm = drizzle(sqlite, { schema });
  try {
    migrate(orm, { migrationsFolder: MIGRATIONS });
  } catch (error) {
    // SQLite has taken the change back by itself, so that the migrator's own attempt hides why.
    if (!(error instanceof Error) || !String(error.cause).includes("no transaction is active")) throw error;
    throw new StoreError(`the tables of ${sqlite.name} cannot be brought up to date: its disk is full, or fails`);
  }
  return orm;
}

const isRemote = (folder: string) => REMOTE_FILE_SYSTEMS.has(statfsSync(folder).type >>> 0);

/** The last migration that this program knows, and the last that a database has seen: 0 when it is none of ours. */
export const newestSchema = (): number =>
  Math.max(...readMigrationFiles({ migrationsFolder: MIGRATIONS }).map((migration) => migration.folderMillis));
export function schemaVersion(sqlite: Sqlite.Database): number {
  const known = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get();
  if (!known) return 0;
  return sqlite.prepare("SELECT max(created_at) FROM __drizzle_migrations").pluck().get() as number;
}

/**
 * Whether a server runs on the folder. A reader's lock lasts an instant, so that a start at this moment only waits for it.
 * Throws StoreError when it cannot be told.
 */
export function isServed(folder: string): boolean {
  const file = join(folder, LOCK);
  if (!existsSync(file)) return false;
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(file, { readonly: true, timeout: 0 });
    lock.prepare("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_BUSY") return true;
    throw new StoreError(`it cannot be told whether a Gangway runs on the folder: ${lockFault(file, error)}`);
  } finally {
    lock?.close();
  }
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

/**
 * Node has no flock: a side database held in an exclusive transaction for life; SIGKILL frees it. A file that may not be
 * written is opened for reading without a word, and an exclusive transaction of a reader shuts nobody out: only a write
 * proves the lock. It is never committed, and with its journal in memory leaves no trace.
 */
export function lockInstance(folder: string): () => void {
  const file = join(folder, LOCK);
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(file, { timeout: 200 });
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    lock.pragma("user_version = 1");
    const held = lock;
    return () => held.close();
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) === "SQLITE_BUSY")
      throw new StoreError(`another Gangway is already running on the data folder ${folder}`);
    throw new StoreError(`the data folder cannot be locked: ${lockFault(file, error)}`);
  }
}

function lockFault(file: string, error: unknown): string {
  const code = sqliteCode(error);
  if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT")
    return `the lock file ${file} is damaged: delete it when no Gangway runs on the folder`;
  if (code === "SQLITE_READONLY" || code === "SQLITE_CANTOPEN" || code === "SQLITE_PERM")
    return `this user cannot read and write ${file}: run as the server's user, and give it the folder and the file (chown)`;
  return `${file}: ${error instanceof Error ? error.message : String(error)}`;
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

/** SQLite opens what may not be written for reading, and says so at the first write only: this one is taken back. */
function assertWritable(sqlite: Sqlite.Database): void {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    sqlite.pragma("user_version = 1");
  } finally {
    sqlite.exec("ROLLBACK");
  }
}

function shared(sqlite: Sqlite.Database, pressure: Pressure): GroupCommit {
  const { write, ...rest } = groupCommit(sqlite);
  return { write: pressure.within(write), ...rest };
}
