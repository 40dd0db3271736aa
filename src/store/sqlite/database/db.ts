import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { type ChannelId, newSecret } from "gangway-messenger/ids";
import { type Bounds, DEFAULT_BOUNDS, type Direction, UNLIMITED } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
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
import {
  createDealer,
  type Dealer,
  type Head,
  type Hints,
  hint,
  hintsOfRest,
  LOOKS_AHEAD,
  type Queue,
  type QueueOf,
  queuesWith,
} from "../../outbox/dealing.ts";
import { ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { type DatabaseFiles, StoreError } from "../../store.ts";
import { rowsOfRaw } from "../../tables/channels/raw-webhooks.ts";
import type { Orm } from "../../tables/engine.ts";
import { ALL, BURIED_IN, ERASURE_KEY, nameHash } from "../../tables/erasing/erasures.ts";
import * as schema from "../../tables/schema.ts";
import {
  countStart,
  createDiskFloor,
  createMark,
  type DiskFloor,
  type GroupCommit,
  groupCommit,
  markNew,
  type OtherWriters,
  type Prepared,
  statementCache,
  watchOtherWriters,
} from "./group-commit.ts";
import { type MigrateOptions, migrateTables, newestSchema, schemaVersion } from "./migrating.ts";

type Table = "account" | "limits" | "channel" | "note" | "chat";

/** Caches rows of some tables until this or another connection writes to them. */
interface RowCache {
  /**
   * A row's object; a write to another row keeps it, since opening its secrets costs time. The id of a note or a chat
   * is its channel's id, a space, and the note's key or the gateway's id of the chat.
   */
  row<T>(table: Table, id: string, load: () => T | undefined): T | undefined;
  /** Other reads, by kind and key; forgotten at every write to accounts, channels and tombstones. */
  find<T>(what: string, key: string, load: () => T | undefined): T | undefined;
}

const EVENTS = ["INSERT", "UPDATE", "DELETE"];
/** SQL function that a table's trigger calls, given the row. A chat never changes: erasing its customer deletes it. */
const FORGET: Record<string, (row: string) => string> = {
  account: (row) => `forget_row('account', ${row}.id, ${row}.id)`,
  channel: (row) => `forget_row('channel', ${row}.id, ${row}.account_id)`,
  note: (row) => `forget_key('note', ${row}.channel_id, ${row}.key)`,
  chat: (row) => `forget_key('chat', ${row}.channel_id, ${row}.gateway_chat)`,
  erased: () => "forget_found()",
};
/** Maximum number of entries of one kind. */
const MAX_ROWS = 50_000;

interface Hooks {
  /** Registers an undo for the running write, whose reads may be rolled back. */
  onUndo(undo: () => void): void;
  /** Called when a row of this account is written. */
  changed(account: string): void;
}

function createRowCache(sqlite: Sqlite.Database, others: OtherWriters, { onUndo, changed }: Hooks): RowCache {
  const rows = new Map<string, Map<string, unknown>>();
  const found = new Map<string, Map<string, unknown>>();
  const forget = () => {
    rows.clear();
    found.clear();
  };
  sqlite.function("forget_row", (table: string, id: string, account: string) => {
    rows.get(table)?.delete(id);
    if (table === "account") rows.get("limits")?.delete(id);
    found.clear();
    changed(account);
  });
  sqlite.function("forget_key", (table: string, channelId: string, key: string) => {
    rows.get(table)?.delete(`${channelId} ${key}`);
  });
  sqlite.function("forget_found", () => found.clear());
  // Temporary triggers see every writer of this connection.
  for (const [table, forgetting] of Object.entries(FORGET))
    for (const event of EVENTS)
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN
        SELECT ${forgetting(event === "DELETE" ? "OLD" : "NEW")}; END`);
  others.onWritten(forget);
  const findIn =
    (caches: Map<string, Map<string, unknown>>) =>
    <T>(what: string, key: string, load: () => T | undefined): T | undefined => {
      others.lookOnceATick();
      const known = caches.get(what)?.get(key) as T | undefined;
      if (known !== undefined) return known;
      const loaded = load();
      onUndo(forget);
      if (loaded === undefined) return undefined;
      // Look the cache up only now: loading may clear it.
      const cache = caches.get(what) ?? new Map<string, unknown>();
      if (cache.size >= MAX_ROWS) cache.clear();
      caches.set(what, cache.set(key, loaded));
      return loaded;
    };
  return { row: findIn(rows), find: findIn(found) };
}

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
interface Tombstones {
  /** Whether the channel has any tombstones. */
  areIn(channelId: string): boolean;
  /** The channel's whole account was erased: nothing more may be stored for it. */
  isGone(channelId: string): boolean;
  /** When one of the names was last buried; undefined: never, or its tombstone was lifted. */
  buriedAt(channelId: string, names: string[]): number | undefined;
}

const AT = "SELECT at FROM erased WHERE channel_id = ? AND hash = ?";

function createTombstones(sqlite: Sqlite.Database, rows: RowCache, sealer?: Sealer): Tombstones {
  const list = sqlite.prepare<[], string>(BURIED_IN).pluck();
  const whenBuried = sqlite.prepare<[string, string], number>(AT).pluck();
  const stored = sqlite.prepare<[], string>("SELECT value FROM meta WHERE key = 'erasure_key'").pluck();
  const sealed = () => {
    if (!sealer) throw new SealError("erased messages are hashed with a sealed key");
    return sealer;
  };
  const open = () => {
    const value = stored.get();
    return value === undefined ? undefined : ifOpens(() => sealed().open(value, ERASURE_KEY));
  };
  /** Undefined when there is no key yet, or it does not open: then repeats are not recognized, but messages go on. */
  const readKey = () => rows.find("erasure key", "", open);
  const areIn = (channelId: string) =>
    rows.find("erased", "channels", () => new Set(list.all()))?.has(channelId) === true;
  const isGone = (channelId: string) => areIn(channelId) && whenBuried.get(channelId, ALL) !== undefined;
  /** Empty for most channels, at no cost. */
  const hashesOf = (channelId: string, names: string[]) => {
    const withKey = areIn(channelId) ? readKey() : undefined;
    return withKey === undefined ? [] : names.map((name) => nameHash(withKey, channelId, name));
  };
  return {
    ...{ areIn, isGone },
    buriedAt(channelId, names) {
      const times = hashesOf(channelId, names).flatMap((hash) => whenBuried.get(channelId, hash) ?? []);
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
}

/** Due heads, and a hint per queue of when the next is due. */
interface Due {
  /** The account's hints, which claims change. If the write is rolled back, they become unknown. */
  hints(accountId: AccountId): Hints;
  /** The first heads of a queue: inbound ones of known chats, then of new ones. */
  read(accountId: AccountId, queue: QueueOf, most: number): Queue;
}

/** Triggers hint at what becomes due; a claim finds out what no longer is. */
const TRIGGERS = [
  `due_added AFTER INSERT ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `due_updated AFTER UPDATE OF state, head, run_at ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `ack_due AFTER UPDATE OF ack, ack_at ON message WHEN NEW.ack = 'due' BEGIN
    SELECT due_at(NEW.account_id, '', 'ack', NEW.ack_at); END`,
];
const HEADS = `SELECT id, channel_id AS channelId, run_at AS runAt FROM message
  WHERE channel_id = @channelId AND direction = @direction AND known = @known AND head = 1 AND state = 'ready'
  ORDER BY run_at, id LIMIT @most + 0`;
const OWED = `SELECT id, channel_id AS channelId, ack_at AS runAt FROM message
  WHERE account_id = @accountId AND ack = 'due' AND ack IN ('due','sending') ORDER BY ack_at, id LIMIT @most + 0`;

/** `onUndo`: registers an undo for the running write. */
function createDue(sqlite: Sqlite.Database, others: OtherWriters, onUndo: (undo: () => void) => void): Due {
  const accounts = new Map<AccountId, Hints>();
  const channelsOf = sqlite.prepare<[string], ChannelId>("SELECT id FROM channel WHERE account_id = ?").pluck();
  const heads = sqlite.prepare<[object], Head>(HEADS);
  const owed = sqlite.prepare<[object], Head>(OWED);

  const dueAt = (accountId: AccountId, channelId: ChannelId, direction: Direction, at: number) => {
    const hints = accounts.get(accountId);
    if (hints) hint(hints, { direction, channelId, at, jobs: 1 });
  };
  sqlite.function("due_at", dueAt as (...values: unknown[]) => void);
  // Temporary triggers see every writer of this connection.
  for (const trigger of TRIGGERS) sqlite.exec(`CREATE TEMP TRIGGER ${trigger}`);
  others.onWritten(() => accounts.clear());

  const read: Due["read"] = (accountId, { direction, channelId }, most) => {
    if (direction === "ack") return { direction, channelId, known: [], fresh: owed.all({ accountId, most }) };
    const read = (known: 0 | 1) => heads.all({ channelId, direction, known, most });
    return { direction, channelId, known: direction === "inbound" ? read(1) : [], fresh: read(0) };
  };
  const load = (accountId: AccountId): Hints => {
    const hints: Hints = new Map();
    const queues = queuesWith(channelsOf.all(accountId)).map((queue) => read(accountId, queue, LOOKS_AHEAD));
    for (const left of hintsOfRest(queues, new Set())) hint(hints, left);
    return hints;
  };
  return {
    read,
    hints(accountId) {
      others.lookOnceATick();
      const hints = accounts.get(accountId) ?? load(accountId);
      accounts.set(accountId, hints);
      onUndo(() => accounts.delete(accountId));
      return hints;
    },
  };
}

/** In-memory versions of accounts, by which open pages notice changes. */
interface Versions {
  /** Within a write. A write that is rolled back counts, too: pages then read the same figures again. */
  bump(account: string): void;
  /** Changes with each write, also of another connection, and with each restart. */
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
export interface Database extends GroupCommit {
  /** Outside a transaction, reads see committed data. */
  orm: Orm;
  /** The same connection, for raw SQL and pragmas. */
  sqlite: Sqlite.Database;
  prepared: Prepared;
  others: OtherWriters;
  rows: RowCache;
  versions: Versions;
  due: Due;
  dealer: Dealer;
  tombstones: Tombstones;
  /** Bounds of waiting work. */
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
  /** Seals kept webhooks, and opens the key of the hashes that remain of erasures. */
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
    if (!existsSync(file)) createDatabase(folder, options.migrating);
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

const KEEP_RAW = "INSERT INTO raw_webhook (sealed, received_at) VALUES (@sealed, @receivedAt)";

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
  const prepared = statementCache(sqlite);
  const group = groupCommit(sqlite, {
    assertIntact: () => databaseFiles?.assertIntact(),
    begun: others.look,
    keep(webhooks) {
      if (!sealer) throw new SealError("webhooks are kept sealed");
      for (const row of rowsOfRaw(sealer, webhooks)) prepared(KEEP_RAW).run(row);
    },
  });
  const rows = createRowCache(sqlite, others, { onUndo: group.onUndo, changed: versions.bump });
  const shared = {
    orm,
    prepared,
    sqlite,
    others,
    rows,
    versions,
    due: createDue(sqlite, others, group.onUndo),
    dealer: createDealer(),
    tombstones: createTombstones(sqlite, rows, sealer),
    bounds,
    disk: createDiskFloor(folder, bounds),
    databaseFiles,
    mark: createMark(sqlite, folder, databaseFiles),
  };
  return { ...shared, ...group, close };
}

const notOurs = (file: string) => new StoreError(`${file} is not a Gangway database: check what it is`);

/** Renamed into place when complete: an interrupted first start leaves no empty file that looks like a lost database. */
export function createDatabase(folder: string, migrating?: MigrateOptions): void {
  const file = join(folder, DATABASE);
  const temporary = `${file}.new`;
  const discard = () => {
    for (const name of [temporary, `${temporary}-wal`, `${temporary}-shm`, `${temporary}-journal`])
      rmSync(name, { force: true });
  };
  discard();
  const sqlite = new Sqlite(temporary);
  try {
    prepare(sqlite, { migrating });
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
