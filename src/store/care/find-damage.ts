import { parentPort, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

/** Checks a database table by table, each in a read of its own so that checkpoints proceed. Returns the first damage. */
export function findDamage(file: string): string | undefined {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    const tables = sqlite.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    // The schema's own check covers the list of free pages.
    for (const table of ["sqlite_schema", ...tables]) {
      const found = String(sqlite.pragma(`quick_check("${table}")`, { simple: true }));
      if (found !== "ok") return `${table}: ${found}`;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error;
    return error.message;
  } finally {
    sqlite.close();
  }
}

// As the program of a thread.
if (parentPort && typeof workerData?.database === "string") parentPort.postMessage(findDamage(workerData.database));
