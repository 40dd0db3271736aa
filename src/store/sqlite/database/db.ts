import { existsSync, renameSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { type Bounds, DEFAULT_BOUNDS, UNLIMITED, type Uploader } from "../../../domain/delivery/delivery.ts";
import { newSecret } from "../../../domain/ids.ts";
import { asStoreError, damaged } from "../../disk/faults.ts";
import {
  assertNotLost,
  clearSuspicion,
  DATABASE,
  isFile,
  isRemote,
  isSuspect,
  LOCK,
  MAX_LOG_BYTES,
  makeFolder,
  notAFolder,
  syncFolder,
  watchFiles,
} from "../../disk/folder.ts";
import { lockInstance } from "../../disk/instance-lock.ts";
import { refusing } from "../../outbox/backpressure.ts";
import { createDealer, type Dealer } from "../../outbox/dealing.ts";
import type { Sealer } from "../../secrets.ts";
import { type DatabaseFiles, type DiskSpace, StoreError } from "../../store.ts";
import type { LastMessages } from "../../tables/accounts/ledger.ts";
import { isUsedUp, KEPT_SUMS, type KeptSums } from "../../tables/channels/raw-webhooks.ts";
import * as schema from "../../tables/schema.ts";
import {
  countStart,
  createMark,
  type GroupCommit,
  groupCommit,
  markNew,
  type Orm,
  type OtherWriters,
  type Statements,
  statementCache,
  watchOtherWriters,
} from "./group-commit.ts";
import { type MigrateOptions, migrateTables, newestSchema, schemaVersion } from "./migrating.ts";
import { createParking, type Parking } from "./parking.ts";
import { createDue, createRowCache, createTombstones, type Due, type RowCache, type Tombstones } from "./row-cache.ts";

/** What the disk has room for. */
interface DiskFloor {
  /** Throws Overload when the disk is below the floor. */
  admit(): void;
  /** Throws Overload when the disk is below the floor for files or the channel's quota is used up. */
  admitFile(channelId: string, uploader: Uploader, day: number): void;
  /** Subtracts a new file from the free space until the next check. */
  fileAdded(bytes: number): void;
  /** Measures free space; the result holds until the next check. */
  check(): Promise<DiskSpace>;
}

/** Files need this multiple of the floor: they are large, may be refused, and must leave room for messages. */
const FILE_FLOOR_FACTOR = 2;

function createDiskFloor(sqlite: Sqlite.Database, folder: string, bounds: Bounds): DiskFloor {
  const kept = sqlite.prepare<[object], KeptSums>(KEPT_SUMS);
  const refuse = refusing();
  let diskFull = false;
  let freeForFiles = Number.POSITIVE_INFINITY;
  return {
    admit() {
      if (diskFull) refuse("disk");
    },
    admitFile(channelId, uploader, day) {
      if (freeForFiles < 0) refuse("disk");
      if (isUsedUp(bounds, uploader, kept.get({ channelId, day }))) refuse("files", { channelId });
    },
    fileAdded(bytes) {
      freeForFiles -= bytes;
    },
    async check() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const freeBytes = bavail * bsize;
      diskFull = freeBytes < bounds.diskFloor;
      freeForFiles = freeBytes - bounds.diskFloor * FILE_FLOOR_FACTOR;
      return { freeBytes, totalBytes: blocks * bsize, belowFloor: diskFull };
    },
  };
}

/** Tells whether something of an account has changed, for pages that somebody is looking at. Kept in memory. */
interface Versions {
  /** Within a write. A write that is rolled back counts, too: its page reads the same figures again. */
  bump(account: string): void;
  /** Differs after each change, one of another connection included, and after a restart. */
  of(account: string): string;
}

function createVersions(others: OtherWriters): Versions {
  const start = newSecret().slice(0, 8);
  const counts = new Map<string, number>();
  return {
    bump: (account) => void counts.set(account, (counts.get(account) ?? 0) + 1),
    of: (account) => `${start}-${others.look()}-${counts.get(account) ?? 0}`,
  };
}

/** The one connection, and the state its writers share. */
export interface Database extends GroupCommit, Statements {
  /** Outside a transaction, reads see committed data. */
  orm: Orm;
  /** The same connection, for raw SQL and pragmas. */
  sqlite: Sqlite.Database;
  others: OtherWriters;
  rows: RowCache;
  versions: Versions;
  due: Due;
  dealer: Dealer;
  tombstones: Tombstones;
  /** Channels whose sums have changed since they were last recorded, and when their last messages came. */
  busy: Map<string, LastMessages>;
  /** What is parked, by login. */
  parking: Parking;
  /** Of waiting work. */
  bounds: Bounds;
  disk: DiskFloor;
  /** Absent on a shared connection. */
  databaseFiles?: DatabaseFiles;
  /** Writes beside the database how many events it has accepted. Throws when that fails. */
  mark(): void;
  close(): void;
}

/**
 * Checkpoint at 16 MiB of log, 16 MiB of cache: hot pages are written and read once. Measured against 4 MiB and 2 MiB:
 * 121 µs instead of 205 µs of CPU per accepted message.
 */
export const CHECKPOINT_PAGES = 4_000;
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "busy_timeout = 5000",
  "temp_store = MEMORY",
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  "cache_size = -16384",
  `journal_size_limit = ${MAX_LOG_BYTES}`,
  "trusted_schema = OFF",
  // Deleted rows are overwritten.
  "secure_delete = ON",
];
/** Older versions may corrupt a WAL when a checkpoint races a commit (sqlite.org, fixed in 3.51.3). */
const MIN_SQLITE = [3, 51, 3];

interface OpenOptions {
  allowRemoteFolder?: boolean;
  /** A second connection next to a running server: takes no instance lock and runs no migration. */
  shared?: boolean;
  bounds?: Bounds;
  /** For erasures, and the hashes that remain of them. */
  sealer?: Sealer;
  migrating?: MigrateOptions;
}

/**
 * Opens, checks and migrates `<folder>/gangway.db`. Creates it only in a folder that never had one. Throws StoreError when
 * another server runs, a check fails, or the database is lost.
 */
export function openDatabase(folder: string, options: OpenOptions = {}): Database {
  const file = join(folder, DATABASE);
  if (options.shared) return openShared(folder, file, options.sealer);
  makeFolder(folder);
  if (!options.allowRemoteFolder && isRemote(folder))
    throw new StoreError(`the data folder ${folder} is on a network file system; SQLite needs a local disk`);
  const unlock = lockInstance(folder);
  let sqlite: Sqlite.Database | undefined;
  try {
    assertNotLost(folder);
    if (!existsSync(file)) createDatabase(folder);
    sqlite = new Sqlite(file, { fileMustExist: true });
    if (schemaVersion(sqlite) === 0) throw notOurs(file);
    const orm = prepare(sqlite, { suspect: isSuspect(folder), migrating: options.migrating });
    clearSuspicion(folder);
    countStart(sqlite, folder);
    const files = [file, `${file}-wal`, `${file}-shm`, join(folder, LOCK)];
    const databaseFiles = watchFiles(files, isRemote(folder));
    const { bounds = DEFAULT_BOUNDS, sealer } = options;
    return createHandle(sqlite, orm, { folder, bounds, unlock, databaseFiles, sealer });
  } catch (error) {
    sqlite?.close();
    unlock();
    throw asStoreError(error, file);
  }
}

function openShared(folder: string, file: string, sealer?: Sealer): Database {
  if (isFile(folder)) throw notAFolder(folder);
  assertNotLost(folder);
  if (!existsSync(file)) throw new StoreError(`there is no database in the data folder ${folder}`);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { fileMustExist: true });
    for (const pragma of PRAGMAS) sqlite.pragma(pragma);
    // A busy server commits without pause: wait longer for a gap.
    sqlite.pragma("busy_timeout = 30000");
    const [actual, expected] = [schemaVersion(sqlite), newestSchema()];
    if (actual === 0) throw notOurs(file);
    if (actual !== expected)
      throw new StoreError(
        actual < expected
          ? "the database is from an older version of Gangway: start the server of this version once to migrate it"
          : "the database is from a newer version of Gangway than this command: use the command of the server's version",
      );
    // No bounds: what a person resends is never refused.
    return createHandle(sqlite, drizzle(sqlite, { schema }), { folder, bounds: UNLIMITED, sealer });
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file);
  }
}

interface Connection {
  folder: string;
  bounds: Bounds;
  unlock?(): void;
  databaseFiles?: DatabaseFiles;
  sealer?: Sealer;
}

function createHandle(
  sqlite: Sqlite.Database,
  orm: Orm,
  { folder, bounds, unlock, databaseFiles, sealer }: Connection,
): Database {
  const close = () => {
    // On close SQLite deletes the log by name, which may belong to another database by now.
    if (databaseFiles?.check() !== undefined) return;
    sqlite.close();
    unlock?.();
  };
  const others = watchOtherWriters(sqlite);
  const versions = createVersions(others);
  const group = groupCommit(sqlite, { assertIntact: () => databaseFiles?.assertIntact(), begun: others.look });
  const rows = createRowCache(sqlite, others, { onUndo: group.onUndo, changed: versions.bump });
  const shared = {
    orm,
    ...statementCache(sqlite, orm),
    sqlite,
    others,
    rows,
    versions,
    due: createDue(sqlite, others, group.onUndo),
    dealer: createDealer(),
    tombstones: createTombstones(sqlite, rows, sealer),
    busy: new Map(),
    bounds,
    disk: createDiskFloor(sqlite, folder, bounds),
    parking: createParking(sqlite, others, group.onUndo),
    databaseFiles,
    mark: createMark(sqlite, folder, databaseFiles),
  };
  return { ...shared, ...group, close };
}

const notOurs = (file: string) => new StoreError(`${file} is not a Gangway database: check what it is`);

/** Renamed into place when complete: an interrupted first start leaves no empty file that looks like a lost database. */
export function createDatabase(folder: string): void {
  const file = join(folder, DATABASE);
  const temporary = `${file}.new`;
  const discard = () => {
    for (const name of [temporary, `${temporary}-wal`, `${temporary}-shm`, `${temporary}-journal`])
      rmSync(name, { force: true });
  };
  discard();
  const sqlite = new Sqlite(temporary);
  try {
    prepare(sqlite);
    sqlite.close();
  } catch (error) {
    sqlite.close();
    discard();
    throw error;
  }
  renameSync(temporary, file);
  syncFolder(folder);
  markNew(folder);
}

interface PrepareOptions {
  suspect?: boolean;
  migrating?: MigrateOptions;
}

/** Sets up a connection and migrates the file, which it checks in full if `suspect` or before a migration. Throws StoreError. */
export function prepare(sqlite: Sqlite.Database, { suspect = true, migrating }: PrepareOptions = {}): Orm {
  for (const pragma of PRAGMAS) sqlite.pragma(pragma);
  assertSafe(sqlite);
  if (suspect || schemaVersion(sqlite) !== newestSchema(migrating?.folder)) assertUndamaged(sqlite);
  const orm = drizzle(sqlite, { schema });
  migrateTables(orm, sqlite, migrating);
  return orm;
}

function assertUndamaged(sqlite: Sqlite.Database): void {
  const quickCheck = sqlite.pragma("quick_check(1)", { simple: true });
  if (quickCheck !== "ok") throw damaged(sqlite.name, String(quickCheck));
}

function assertSafe(sqlite: Sqlite.Database): void {
  const read = (name: string) => sqlite.pragma(name, { simple: true });
  if (read("journal_mode") !== "wal") throw new StoreError("the database is not in WAL mode");
  if (read("synchronous") !== 2) throw new StoreError("the database does not sync every commit to the disk");
  const { version } = sqlite.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  const parts = version.split(".").map(Number);
  const older = MIN_SQLITE.findIndex((want, i) => parts[i] !== want);
  if (older >= 0 && (parts[older] ?? 0) < (MIN_SQLITE[older] ?? 0))
    throw new StoreError(`SQLite ${version} is too old; ${MIN_SQLITE.join(".")} or newer is needed`);
}
