import { existsSync, mkdirSync, type Stats, statSync } from "node:fs";
import { chmod, copyFile, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "gangway-messenger/clock";
import { errorCode, errorText } from "gangway-messenger/errors";
import type { BackupStore, Check } from "../care.ts";
import { explainFullDisk, sqliteCode } from "../disk/faults.ts";
import { DATABASE, FILES } from "../disk/folder.ts";
import type { KeyRing } from "../secrets.ts";
import { StoreError } from "../store.ts";
import { verifyAll } from "./verify.ts";

/** Pages copied per step; a step takes at most 15 ms (measured), then yields. */
const PAGES_PER_STEP = 200;
export const filesOf = (backup: string): string => `${backup}.files`;

export function backupStore(folder: string, ring: KeyRing, clock: Clock): BackupStore {
  return {
    async write(target) {
      if (existsSync(target)) throw new StoreError(`${target} already exists: choose another name for the backup`);
      if (existsSync(filesOf(target)))
        throw new StoreError(
          `${filesOf(target)} already exists, with the kept files of a deleted backup ${target}: choose another name`,
        );
      if (!existsSync(dirname(target))) throw new StoreError(`there is no folder ${dirname(target)}`);
      const part = `${target}.part`;
      await discard(part);
      try {
        await writeFile(part, "", { mode: 0o600, flag: "wx" });
        await copyPages(join(folder, DATABASE), part);
        const files = await finish(part, folder, clock.now());
        const checks = verifyBackup(part, ring);
        const fault = faultOf("file", checks);
        if (fault)
          throw new StoreError(
            `the copy is damaged and was deleted: ${fault}; gangway verify shows whether the database itself is damaged`,
          );
        await rename(filesOf(part), filesOf(target));
        await rename(part, target);
        await sync(dirname(target));
        return { file: target, bytes: statSync(target).size, files, checks };
      } catch (error) {
        await discard(part);
        throw explainFullDisk(error, dirname(target), `the backup ${target} was not written`);
      }
    },
  };
}

async function discard(part: string): Promise<void> {
  for (const file of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) await rm(file, { force: true });
  await rm(filesOf(part), { force: true, recursive: true });
}

/** Holds a read transaction: without it SQLite restarts the backup on every write of the server, under load for ever. */
async function copyPages(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM meta").get();
    await source.backup(to, { progress: () => PAGES_PER_STEP });
  } finally {
    source.close();
  }
}

/** Turns the copy into a single file and copies the kept files it names. Returns their number. */
async function finish(part: string, folder: string, now: number): Promise<number> {
  const from = join(folder, FILES);
  const sqlite = new Sqlite(part, { fileMustExist: true });
  try {
    sqlite.pragma("journal_mode = DELETE");
    sqlite.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('backup_at', ?)").run(String(now));
    mkdirSync(filesOf(part), { mode: 0o700 });
    const ids = sqlite.prepare("SELECT id FROM kept_file").pluck().all() as string[];
    const gone = [];
    for (const id of ids) if (!(await copySynced(join(from, id), join(filesOf(part), id)))) gone.push(id);
    // Drop rows of files deleted during the backup. Rows of lost files stay, so the checks report them.
    for (const id of deletedOf(folder, gone)) sqlite.prepare("DELETE FROM kept_file WHERE id = ?").run(id);
    await sync(filesOf(part));
    return ids.length - gone.length;
  } finally {
    sqlite.close();
    await sync(part);
  }
}

/** Kept files deleted from the live database meanwhile: rows are deleted before bytes. */
function deletedOf(folder: string, ids: string[]): string[] {
  if (ids.length === 0) return [];
  const live = new Sqlite(join(folder, DATABASE), { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    const isKept = live.prepare("SELECT 1 FROM kept_file WHERE id = ?");
    return ids.filter((id) => !isKept.get(id));
  } finally {
    live.close();
  }
}

/** False when `from` does not exist. */
export async function copySynced(from: string, to: string): Promise<boolean> {
  try {
    const { size } = statSync(from);
    await copyFile(from, to);
    if (statSync(to).size !== size) throw new StoreError(`the copy of ${from} is incomplete`);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  await chmod(to, 0o600);
  await sync(to);
  return true;
}

/** Sync folders, too: a power cut may lose the names in them. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

export const faultOf = (kind: Check["kind"], checks: Check[]): string | undefined =>
  checks.filter((check) => check.kind === kind).flatMap(({ faults }) => faults)[0];

/** Checks a backup. Throws StoreError when the file is not one. */
export function verifyBackup(file: string, ring: KeyRing): Check[] {
  if (kindOf(file).isDirectory())
    throw new StoreError(`${file} is a folder: name the backup's file, next to its folder .files`);
  return verifyFile(openPlain(file), filesOf(file), ring);
}

/** Throws StoreError when it is not there, or may not be looked at. */
function kindOf(file: string): Stats {
  try {
    return statSync(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new StoreError(`there is no file ${file}`);
    throw new StoreError(`${file} cannot be read: ${errorText(error)}`);
  }
}

/** Checks the readable parts of a database that is too damaged to open normally. */
export function verifyDamaged(folder: string, ring: KeyRing): Check[] {
  const sqlite = new Sqlite(join(folder, DATABASE), { readonly: true, fileMustExist: true });
  return verifyFile(sqlite, join(folder, FILES), ring);
}

function verifyFile(sqlite: Sqlite.Database, files: string, ring: KeyRing): Check[] {
  try {
    return verifyAll({ sqlite, ring, files });
  } finally {
    sqlite.close();
  }
}

function openPlain(file: string): Sqlite.Database {
  const sqlite = opened(file);
  try {
    sqlite.prepare("SELECT key FROM meta").get();
    return sqlite;
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_CORRUPT") return sqlite;
    sqlite.close();
    const words = errorText(error);
    throw new StoreError(`${file} is not a Gangway database: ${words}`);
  }
}

function opened(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new StoreError(`${file} cannot be read: ${errorText(error)}`);
  }
}

/** Time of a backup, ms; undefined for a plain copy of a database. */
export function backupTime(file: string): number | undefined {
  const sqlite = openPlain(file);
  const value = sqlite.prepare("SELECT value FROM meta WHERE key = 'backup_at'").pluck().get();
  sqlite.close();
  return value === undefined ? undefined : Number(value);
}

/** Empty when the folder cannot be read. */
export const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
