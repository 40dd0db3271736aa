import { parentPort, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

// Deleted rows may stay legible in the files. `secure_delete` overwrites them in place, but SQLite also moves rows between
// pages and leaves copies in unused space (measured), and the log keeps old pages. Only a rewrite of the file removes all.

/** False when the log could not be emptied. */
export function rewrite(sqlite: Sqlite.Database): boolean {
  const emptied = () => (sqlite.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }])[0].busy === 0;
  sqlite.exec("VACUUM");
  if (!emptied()) return false;
  sqlite.prepare("DELETE FROM meta WHERE key = 'traces'").run();
  return emptied();
}

/** Uses a connection of its own, and waits for no other. Returns the code of SQLite's error, if any. */
function rewriteFile(file: string): boolean | string {
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    for (const pragma of ["synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"]) sqlite.pragma(pragma);
    return rewrite(sqlite);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return error.code;
  } finally {
    sqlite.close();
  }
}

// Entry point as a thread's program.
if (parentPort && typeof workerData?.rewrite === "string") parentPort.postMessage(rewriteFile(workerData.rewrite));
