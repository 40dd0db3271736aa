import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { errorText } from "gangway-messenger/errors";
import { StoreError } from "../store.ts";
import { sqliteCode } from "./faults.ts";
import { DATABASE, LOCK } from "./folder.ts";

/**
 * How long a start waits when a database has no lock file, ms: a server whose lock file was deleted still runs, but notices
 * within a second and ends.
 */
const MISSING_LOCK_MS = 1_000;

/**
 * Whether a server runs on the folder. The read lock is brief; a start at the same moment only waits for it. Throws
 * StoreError when the answer is unknown.
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
    throw new StoreError(`cannot tell whether a Gangway runs on the folder: ${lockFault(file, error)}`);
  } finally {
    lock?.close();
  }
}

/**
 * Node has no flock, so hold an exclusive transaction on a side database; SIGKILL releases it. SQLite silently opens an
 * unwritable file read-only, where an exclusive transaction locks nobody out: only a write proves the lock. It is never
 * committed, and the in-memory journal leaves no trace on disk. Throws StoreError.
 */
export function lockInstance(folder: string): () => void {
  const file = join(folder, LOCK);
  const removed = !existsSync(file) && existsSync(join(folder, DATABASE));
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(file, { timeout: 200 });
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    lock.pragma("user_version = 1");
    if (removed) sleep(MISSING_LOCK_MS);
    const held = lock;
    return () => held.close();
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) === "SQLITE_BUSY")
      throw new StoreError(`another Gangway is already running on the data folder ${folder}`);
    if (sqliteCode(error) === "SQLITE_FULL") throw error;
    throw new StoreError(`the data folder cannot be locked: ${lockFault(file, error)}`, "perhaps-full");
  }
}

/** Blocks the thread: nothing else may run meanwhile. */
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function lockFault(file: string, error: unknown): string {
  const code = sqliteCode(error);
  if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT")
    return `the lock file ${file} is damaged: delete it when no Gangway runs on the folder`;
  if (code === "SQLITE_READONLY" || code === "SQLITE_CANTOPEN" || code === "SQLITE_PERM")
    return `this user cannot read and write ${file}: run as the server's user, and chown the folder and the file to that user`;
  return `${file}: ${errorText(error)}`;
}
