import Sqlite from "better-sqlite3";

/** What a fault is about, where that decides what to do: a file that is damaged or lost, or keys that do not fit it. */
export type FaultKind = "damaged" | "keys";

/** The database cannot be used safely; the message is for the operator. */
export class StoreError extends Error {
  readonly kind: FaultKind | undefined;
  constructor(message: string, kind?: FaultKind) {
    super(message);
    this.name = "StoreError";
    this.kind = kind;
  }
}

/** SQLite's code without what it adds, for example `SQLITE_READONLY` of `SQLITE_READONLY_DIRECTORY`; "" of all else. */
export function sqliteCode(error: unknown): string {
  if (!(error instanceof Sqlite.SqliteError)) return "";
  return error.code.split("_").slice(0, 2).join("_");
}
