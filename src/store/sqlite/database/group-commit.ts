import { statfs } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import { afterDispatch } from "gangway-messenger/clock";
import { missingInWords } from "../../../domain/account.ts";
import { type Bounds, Overload, refusing } from "../../../domain/delivery.ts";
import { isDiskFull, lost } from "../../disk/faults.ts";
import { type Counts, markedCounts, writeMarker } from "../../disk/folder.ts";
import { type DatabaseFiles, type DiskSpace, StoreError } from "../../store.ts";
import { ACCEPTED_ERASED } from "../../tables/accounts/ledger.ts";
import type { SealedWebhook } from "../../tables/channels/raw-webhooks.ts";

/** Concurrent writes share one transaction and one sync. */
export interface GroupCommit {
  /**
   * Runs `work` in the next shared transaction; resolves after the commit. A throw undoes only that work. `work` must be
   * synchronous and safe to run again.
   */
  write<T>(work: () => T, options?: WriteOptions<T>): Promise<T>;
  /** Within a write: registers an undo for memory that mirrors the database. Rolling back runs the last one first. */
  onUndo(undo: () => void): void;
  /** Within a write: the webhooks of all successful writes are kept together, before the commit. */
  atCommit(webhook: SealedWebhook): void;
  /** Holds all writes until the returned function is called. */
  hold(): () => void;
}

interface WriteOptions<T> {
  /** Called right after the commit, before callers are answered: it starts what is sent next. */
  first?(value: T): void;
}
interface PendingWrite<T = unknown> extends WriteOptions<T> {
  work(): T;
  /** What `work` returned when it ran last. */
  value?: T;
  resolve(value: T): void;
  reject(error: unknown): void;
  undos?: (() => void)[];
}
type Refused = Map<PendingWrite, unknown>;

/** Writes per transaction: a flood must not block the event loop. */
const MAX_GROUP = 512;
/** A group up to this size commits at once, and its calls start before callers are answered. */
const SMALL_GROUP = 2;
/** Event-loop ticks to wait while a larger group grows. */
const MAX_TICKS = 8;

interface Checks {
  /** Throws when commits no longer reach the database's files. */
  assertIntact(): void;
  /** A transaction has begun: no other connection writes until its end. */
  begun(): void;
  /** Stores what `atCommit` was given. */
  keep(webhooks: SealedWebhook[]): void;
}

const UNCHECKED: Checks = { assertIntact() {}, begun() {}, keep() {} };

export function groupCommit(sqlite: Sqlite.Database, checks = UNCHECKED): GroupCommit {
  const pending: PendingWrite[] = [];
  const { commitTogether, commitSeparately, onUndo, atCommit } = transactions(sqlite, checks);

  let holders = 0;
  const hold = () => {
    holders += 1;
    return () => {
      holders -= 1;
      if (holders === 0 && pending.length > 0) setImmediate(flush);
    };
  };
  const flush = () => {
    if (holders > 0 || pending.length === 0) return;
    const group = pending.splice(0, MAX_GROUP);
    if (pending.length > 0) setImmediate(flush);
    const refused = new Map<PendingWrite, unknown>();
    let committed: PendingWrite[] = [];
    let failed = false;
    try {
      committed = commitTogether(group, refused) ?? commitSeparately(group, refused);
    } catch (error) {
      failed = true;
      if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
      for (const entry of group) if (!refused.has(entry)) refused.set(entry, error);
    }
    settle(committed, group.length);
    for (const [entry, error] of refused) {
      // Overload comes before any change: the write's cached reads hold, and others need not read them again.
      if (failed || !(error instanceof Overload)) undo(entry);
      entry.reject(error);
    }
  };

  const gather = (lastCount: number, ticks: number) => {
    const grows = pending.length > Math.max(lastCount, SMALL_GROUP) && pending.length < MAX_GROUP;
    if (grows && ticks < MAX_TICKS) setImmediate(gather, pending.length, ticks + 1);
    else flush();
  };

  const write: GroupCommit["write"] = <T>(work: () => T, options?: WriteOptions<T>) =>
    new Promise<T>((resolve, reject) => {
      pending.push({ work, first: options?.first, resolve, reject } as PendingWrite);
      if (pending.length === 1) setImmediate(gather, 1, 0);
    });
  return { write, onUndo, atCommit, hold };
}

function undo(entry: PendingWrite): void {
  const { undos = [] } = entry;
  entry.undos = undefined;
  for (const each of undos.reverse()) each();
}

/** A lone message leaves before its sender is answered; in a larger group no sender waits for that. */
function settle(committed: PendingWrite[], groupSize: number): void {
  const resolve = () => {
    for (const entry of committed) entry.resolve(entry.value);
  };
  for (const entry of committed) entry.first?.(entry.value);
  if (groupSize <= SMALL_GROUP && committed.some(({ first }) => first)) afterDispatch(resolve);
  else resolve();
}

/** Both throw when nothing of the group is stored. */
function transactions(sqlite: Sqlite.Database, { assertIntact, begun, keep }: Checks) {
  const begin = sqlite.prepare("BEGIN IMMEDIATE");
  const commit = sqlite.prepare("COMMIT");
  const rollback = sqlite.prepare("ROLLBACK");
  const savepoint = sqlite.prepare("SAVEPOINT one");
  const release = sqlite.prepare("RELEASE one");
  const rollbackToOne = sqlite.prepare("ROLLBACK TO one");
  let webhooks: SealedWebhook[] = [];
  let running: PendingWrite | undefined;
  const run = (entry: PendingWrite) => {
    running = entry;
    try {
      entry.value = entry.work();
    } finally {
      running = undefined;
    }
  };
  const onUndo = (each: () => void) => {
    if (!running) return;
    if (running.undos) running.undos.push(each);
    else running.undos = [each];
  };
  const open = () => {
    // Check now: the commit would hide a truncated log by growing it again.
    assertIntact();
    webhooks = [];
    begin.run();
    begun();
  };
  const close = (committed: PendingWrite[]): PendingWrite[] => {
    if (webhooks.length > 0) keep(webhooks);
    commit.run();
    assertIntact();
    return committed;
  };

  /** Fast path without savepoints, which copy every page touched. Undefined when a write failed and all were rolled back. */
  const commitTogether = (group: PendingWrite[], refused: Refused): PendingWrite[] | undefined => {
    open();
    const committed: PendingWrite[] = [];
    for (const entry of group) {
      try {
        run(entry);
        committed.push(entry);
      } catch (error) {
        // Thrown before any change: refusing a flood costs the others nothing.
        if (error instanceof Overload) refused.set(entry, error);
        else if (group.length === 1 || !sqlite.inTransaction) throw error;
        else {
          rollback.run();
          for (const each of group) undo(each);
          return undefined;
        }
      }
    }
    return close(committed);
  };

  /** A savepoint per write; skips writes already refused. */
  const commitSeparately = (group: PendingWrite[], refused: Refused): PendingWrite[] => {
    open();
    const committed: PendingWrite[] = [];
    for (const entry of group.filter((each) => !refused.has(each))) {
      const before = webhooks.length;
      savepoint.run();
      try {
        run(entry);
        release.run();
        committed.push(entry);
      } catch (error) {
        // On a full disk SQLite rolls back the whole transaction by itself.
        if (!sqlite.inTransaction) throw error;
        rollbackToOne.run();
        release.run();
        webhooks.length = before;
        undo(entry);
        refused.set(entry, error);
      }
    }
    return close(committed);
  };
  const atCommit = (webhook: SealedWebhook) => void webhooks.push(webhook);
  return { commitTogether, commitSeparately, onUndo, atCommit };
}

// Database and marker both count accepted events. SQLite silently drops what follows a damaged byte of its log, even if
// it was synced; then the database has fewer. The marker counts only committed events, so a crash never puts it ahead.

const STARTS = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'starts'";
const ACCEPTED = `SELECT (SELECT coalesce(sum(accepted), 0) FROM tally)
  + coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '${ACCEPTED_ERASED}'), 0)`;

function countsIn(sqlite: Sqlite.Database): Counts {
  const count = (query: string) => Number(sqlite.prepare(query).pluck().get() ?? 0);
  return { starts: count(STARTS), accepted: count(ACCEPTED) };
}

/** Lower bound of accepted events that are missing. Reads the marker first: a running server raises both counts. */
export function missingEvents(sqlite: Sqlite.Database, folder: string): number {
  const { accepted } = markedCounts(folder);
  return Math.max(0, accepted - countsIn(sqlite).accepted);
}

/** Sets the marker to the database's counts. */
export const acceptLoss = (sqlite: Sqlite.Database, folder: string): void => writeMarker(folder, countsIn(sqlite));

export function markNew(folder: string): void {
  mark(folder, { starts: 0, accepted: 0 });
}

/** A full disk must not prevent a start; the next mark tries again. */
function mark(folder: string, counts: Counts): void {
  try {
    writeMarker(folder, counts);
  } catch {}
}

/**
 * A database with fewer starts than the marker has lost its log or is an older copy; one with fewer events has lost the end of
 * its log. The write also proves that the file is writable. Throws StoreError.
 */
export function countStart(sqlite: Sqlite.Database, folder: string): void {
  const [counts, marked] = [countsIn(sqlite), markedCounts(folder)];
  if (counts.starts < marked.starts)
    throw lost(`${sqlite.name} is older than the one that was here, or its log was removed`);
  const missing = marked.accepted - counts.accepted;
  if (missing > 0) throw new StoreError(`${missingInWords(missing)}; see gangway doctor`, "incomplete");
  const starts = counts.starts + 1;
  try {
    sqlite.prepare("UPDATE meta SET value = ? WHERE key = 'starts'").run(String(starts));
    mark(folder, { ...counts, starts });
  } catch (error) {
    // A full disk must not prevent a start; it goes uncounted.
    if (!isDiskFull(error)) throw error;
  }
}

/** No transaction may be open: what is counted must be committed. */
export function createMark(sqlite: Sqlite.Database, folder: string, files?: DatabaseFiles): () => void {
  const changes = sqlite.prepare("SELECT total_changes()").pluck();
  let seen: unknown;
  let marked: number | undefined;
  return () => {
    const current = changes.get();
    if (current === seen) return;
    const counts = countsIn(sqlite);
    // The files at these paths may be another database's by now.
    if (files?.check() !== undefined) return;
    if (counts.accepted !== marked) writeMarker(folder, counts);
    [marked, seen] = [counts.accepted, current];
  };
}

/** Statements are compiled once, on first use: compiling one costs more than running it. */
export type Prepared = (text: string) => Sqlite.Statement;

export function statementCache(sqlite: Sqlite.Database): Prepared {
  const statements = new Map<string, Sqlite.Statement>();
  return (text) => {
    const statement = statements.get(text) ?? sqlite.prepare(text);
    statements.set(text, statement);
    return statement;
  };
}

/** Commits of other connections to the database: an operator's command may run beside the server. */
export interface OtherWriters {
  /** How often another connection was found to have written. Within a transaction the answer holds until its end. */
  look(): number;
  /** Looks, but once per tick of the event loop. */
  lookOnceATick(): void;
  onWritten(forget: () => void): void;
}

export function watchOtherWriters(sqlite: Sqlite.Database): OtherWriters {
  const version = sqlite.prepare("PRAGMA data_version").pluck();
  const listeners: (() => void)[] = [];
  let seen = version.get();
  let times = 0;
  let looked = false;
  const look = () => {
    const now = version.get();
    if (now === seen) return times;
    seen = now;
    times += 1;
    for (const forget of listeners) forget();
    return times;
  };
  return {
    look,
    lookOnceATick() {
      if (looked) return;
      looked = true;
      setImmediate(() => {
        looked = false;
      });
      look();
    },
    onWritten: (forget) => void listeners.push(forget),
  };
}

/** What the disk has room for. */
export interface DiskFloor {
  /** Throws Overload when the disk is below the floor. */
  admit(): void;
  /** Throws Overload when the disk is below the floor for files. */
  admitFile(): void;
  /** Subtracts a new file from the free space until the next check. */
  fileAdded(bytes: number): void;
  /** Measures free space; the result holds until the next check. */
  check(): Promise<DiskSpace>;
}

/** Files need this multiple of the floor: they are large, may be refused, and must leave room for messages. */
const FILE_FLOOR_FACTOR = 2;

export function createDiskFloor(folder: string, bounds: Pick<Bounds, "diskFloor">): DiskFloor {
  const refuse = refusing();
  let diskFull = false;
  let freeForFiles = Number.POSITIVE_INFINITY;
  return {
    admit() {
      if (diskFull) refuse("disk");
    },
    admitFile() {
      if (freeForFiles < 0) refuse("disk");
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
