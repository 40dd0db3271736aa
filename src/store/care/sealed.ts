import type Sqlite from "better-sqlite3";
import * as shared from "../tables/care/sealed.ts";
import type { Statement, Verb } from "../tables/engine.ts";

interface Connection {
  sqlite: Sqlite.Database;
}

/** Runs a shared verb of plain SQL on any connection: a backup's, or a damaged database's. */
export function runOn<T>({ sqlite }: Connection, work: Verb<T>): T {
  let step = work.next();
  while (!step.done) step = work.next(rowsOf(sqlite, step.value));
  return step.value;
}

function rowsOf(sqlite: Sqlite.Database, { query, values = {}, rows }: Statement): unknown[] {
  const statement = sqlite.prepare(query as string);
  if (rows) return statement.all(values);
  statement.run(values);
  return [];
}

/** The sealed columns that a database has; it may be of an older version. */
export function sealedIn({ sqlite }: Connection): shared.SealedColumn[] {
  const has = sqlite.prepare<[string]>("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return shared.SEALED_COLUMNS.filter(({ table }) => has.get(table) !== undefined);
}

/** Rows after the number `after`, in order. */
export const sealedRows = (at: Connection, column: shared.SealedColumn, after: number, limit: number) =>
  runOn(at, shared.sealedRows(column, after, limit));
