import { join } from "node:path";
import Sqlite from "better-sqlite3";

export type Row = Record<string, unknown>;

/** Rows of the tables in SQLite's file, also while a server runs on it. */
export function rowsOf(folder: string, tables?: string[]): Record<string, Row[]> {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  try {
    const all = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
    return Object.fromEntries(
      (tables ?? all).map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all() as Row[]]),
    );
  } finally {
    db.close();
  }
}

/** Changes a table in SQLite's file behind a running server's back. */
export function changeRows(folder: string, statement: string, ...values: unknown[]): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.prepare(statement).run(...values);
  db.close();
}
