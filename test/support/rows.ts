import { join } from "node:path";
import Sqlite from "better-sqlite3";

type Row = Record<string, unknown>;

/** What stands in the tables of a server's database, also of one that runs. */
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

/** Changes the tables behind the back of whoever has them open. */
export function changeRows(folder: string, statement: string, ...values: unknown[]): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.prepare(statement).run(...values);
  db.close();
}
