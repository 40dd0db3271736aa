import type Sqlite from "better-sqlite3";
import { isDiskFull } from "../../disk/faults.ts";
import type { DatabaseFiles } from "../../store.ts";

// Deleted rows may stay legible in the files. `secure_delete` overwrites them in place, but SQLite also moves rows between
// pages and leaves copies in unused space (measured), and the log keeps old pages. Only a rewrite of the file removes all.

/** Rewriting takes about 11 ms per MiB, in which nothing else happens: a larger database waits for the next start. */
const MAX_AT_ONCE = 64 * 1024 * 1024;

/** Within a write that erases. Stored, so that a crash cannot forget it. */
export function oweRewrite(sqlite: Sqlite.Database): void {
  sqlite.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('traces', '1')").run();
}

export const owesRewrite = (sqlite: Sqlite.Database): boolean =>
  sqlite.prepare("SELECT 1 FROM meta WHERE key = 'traces'").get() !== undefined;

/** At a start, before anybody else uses the file. A new file holds no traces; a full disk leaves it to the next start. */
export function rewriteAtStart(sqlite: Sqlite.Database, isNew: boolean): void {
  if (!owesRewrite(sqlite)) return;
  try {
    if (isNew) settle(sqlite);
    else rewrite(sqlite);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/**
 * While the server runs. False when the database is too large for that, or somebody else reads or writes: it does not wait.
 */
export function rewriteNow(sqlite: Sqlite.Database, files: DatabaseFiles): boolean {
  const read = (name: string) => sqlite.pragma(name, { simple: true }) as number;
  if (!owesRewrite(sqlite)) return true;
  if (read("page_count") * read("page_size") > MAX_AT_ONCE) return false;
  files.assertIntact();
  const wait = read("busy_timeout");
  sqlite.pragma("busy_timeout = 0");
  try {
    return rewrite(sqlite);
  } catch (error) {
    if (isDiskFull(error) || (error as { code?: unknown }).code === "SQLITE_BUSY") return false;
    throw error;
  } finally {
    files.resized();
    sqlite.pragma(`busy_timeout = ${wait}`);
  }
}

const settle = (sqlite: Sqlite.Database) => sqlite.prepare("DELETE FROM meta WHERE key = 'traces'").run();

/** False when the log could not be emptied. */
function rewrite(sqlite: Sqlite.Database): boolean {
  const emptied = () => (sqlite.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }])[0].busy === 0;
  sqlite.exec("VACUUM");
  if (!emptied()) return false;
  settle(sqlite);
  return emptied();
}
