import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { errorCode } from "../../domain/errors.ts";
import { RESTORE, StoreError } from "../store.ts";

/** SQLite's code without what it adds, for example `SQLITE_READONLY` of `SQLITE_READONLY_DIRECTORY`; "" of all else. */
export function sqliteCode(error: unknown): string {
  if (error instanceof Sqlite.SqliteError) return error.code.split("_").slice(0, 2).join("_");
  return error instanceof Error && error.cause instanceof Error ? sqliteCode(error.cause) : "";
}

export const damaged = (file: string, how: string): StoreError =>
  new StoreError(
    `the database ${file} is damaged (${how.replace(/\s+/g, " ")}): stop the server and bring back the newest backup with ${RESTORE}`,
    "damaged",
  );

export const lost = (how: string): StoreError =>
  new StoreError(`the database is lost, ${how}: bring back the newest backup with ${RESTORE}`, "lost");

/** Whether it is what a full disk answers; `false` proves nothing of SQLite's errors. */
export function saysFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT" || sqliteCode(error) === "SQLITE_FULL";
}

/** The same error in words when it says that a disk is full, of the folder that was written to; all else as it is. */
export const unlessFull = (error: unknown, folder: string, left: string): unknown =>
  saysFull(error) ? new StoreError(`the disk of ${folder} is full, and ${left}: make room there`) : error;

/** What SQLite says of a database, in words for the operator; all else as it is. */
export function asStoreError(error: unknown, file: string): unknown {
  const message = error instanceof Error ? error.message : "";
  if (saysFull(error)) return new StoreError(`the disk of ${dirname(file)} is full: make room`, "full");
  switch (sqliteCode(error)) {
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
      return damaged(file, message);
    case "SQLITE_CANTOPEN":
    case "SQLITE_READONLY":
    case "SQLITE_PERM":
      return new StoreError(
        `this user cannot read and write the database ${file}: run as the server's user, and give it the folder and all in it (chown)`,
        "perhaps-full",
      );
    case "SQLITE_IOERR":
      return new StoreError(
        `the disk does not read or write the database ${file} (${message}): look at the disk`,
        "perhaps-full",
      );
    default:
      return error;
  }
}
