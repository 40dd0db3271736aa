import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { errorCode } from "gangway-messenger/errors";
import { RESTORE_COMMAND, StoreError } from "../store.ts";

/** SQLite's primary code, for example `SQLITE_READONLY` for `SQLITE_READONLY_DIRECTORY`; "" for other errors. */
export function sqliteCode(error: unknown): string {
  if (error instanceof Sqlite.SqliteError) return error.code.split("_").slice(0, 2).join("_");
  return error instanceof Error && error.cause instanceof Error ? sqliteCode(error.cause) : "";
}

export const damaged = (file: string, how: string): StoreError =>
  new StoreError(
    `the database ${file} is damaged (${how.replace(/\s+/g, " ")}): stop the server and restore the newest backup with ${RESTORE_COMMAND}`,
    "damaged",
  );

export const lost = (how: string): StoreError =>
  new StoreError(`the database is lost, ${how}: restore the newest backup with ${RESTORE_COMMAND}`, "lost");

/** Whether the error means a full disk. `false` is not conclusive for errors of SQLite. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT" || sqliteCode(error) === "SQLITE_FULL";
}

/** Turns a full-disk error into a StoreError; `left` says what was not done. Returns other errors unchanged. */
export const explainFullDisk = (error: unknown, folder: string, left: string): unknown =>
  isDiskFull(error) ? new StoreError(`the disk of ${folder} is full, and ${left}: free some space there`) : error;

export const fullDisk = (folder: string): StoreError =>
  new StoreError(`the disk of ${folder} is full: free some space`, "full");

/** Turns SQLite's errors into StoreErrors for the operator; returns other errors unchanged. */
export function asStoreError(error: unknown, file: string): unknown {
  const message = error instanceof Error ? error.message : "";
  if (isDiskFull(error)) return fullDisk(dirname(file));
  switch (sqliteCode(error)) {
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
      return damaged(file, message);
    case "SQLITE_CANTOPEN":
    case "SQLITE_READONLY":
    case "SQLITE_PERM":
      return new StoreError(
        `this user cannot read and write the database ${file}: run as the server's user, and chown the folder and its files to that user`,
        "perhaps-full",
      );
    case "SQLITE_IOERR":
      return new StoreError(
        `the disk fails to read or write the database ${file} (${message}): check the disk`,
        "perhaps-full",
      );
    default:
      return error;
  }
}
