import { existsSync, mkdirSync, statSync } from "node:fs";
import { chmod, copyFile, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "../../domain/clock.ts";
import { errorCode, errorText } from "../../domain/errors.ts";
import type { BackupStore, Check } from "../care.ts";
import { sqliteCode, unlessFull } from "../disk/faults.ts";
import { DATABASE, FILES } from "../disk/folder.ts";
import type { KeyRing } from "../secrets.ts";
import { StoreError } from "../store.ts";
import { verifyAll } from "./verify.ts";

/** Pages of a step: each step reads and then lets go of the disk (measured: 15 ms at the most). */
const PAGES = 200;
export const filesOf = (backup: string): string => `${backup}.files`;

export function backupStore(folder: string, ring: KeyRing, clock: Clock): BackupStore {
  return {
    async write(target) {
      if (existsSync(target)) throw new StoreError(`${target} is there already: choose another name for the backup`);
      if (existsSync(filesOf(target)))
        throw new StoreError(
          `${filesOf(target)} is there already, the kept files of a backup ${target} that is gone: choose another name`,
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
            `the copy is damaged, and was thrown away: ${fault}; gangway verify tells whether the database itself is`,
          );
        await rename(filesOf(part), filesOf(target));
        await rename(part, target);
        await sync(dirname(target));
        return { file: target, bytes: statSync(target).size, files, checks };
      } catch (error) {
        await discard(part);
        throw unlessFull(error, dirname(target), `the backup ${target} was not written`);
      }
    },
  };
}

async function discard(part: string): Promise<void> {
  for (const file of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) await rm(file, { force: true });
  await rm(filesOf(part), { force: true, recursive: true });
}

/** Without a read transaction of its own a backup begins anew whenever the server writes, and under load never ends. */
async function copyPages(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM meta").get();
    await source.backup(to, { progress: () => PAGES });
  } finally {
    source.close();
  }
}

/** Makes it one plain file, and brings the kept files that it names. */
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
    // What was deleted while the copy was made belonged to nothing any more; all else is lost, and its row says so.
    for (const id of deletedOf(folder, gone)) sqlite.prepare("DELETE FROM kept_file WHERE id = ?").run(id);
    await sync(filesOf(part));
    return ids.length - gone.length;
  } finally {
    sqlite.close();
    await sync(part);
  }
}

/** Which of these kept files the live database does not have any more: their rows go before their bytes. */
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

/** False when there is no such file. */
export async function copySynced(from: string, to: string): Promise<boolean> {
  try {
    const { size } = statSync(from);
    await copyFile(from, to);
    if (statSync(to).size !== size) throw new StoreError(`the copy of ${from} is not whole`);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  await chmod(to, 0o600);
  await sync(to);
  return true;
}

/** Of a folder: without it a power cut may forget the names in it. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

/** The first fault of a kind. */
export const faultOf = (kind: Check["kind"], checks: Check[]): string | undefined =>
  checks.filter((check) => check.kind === kind).flatMap(({ faults }) => faults)[0];

/** Looks a backup through. Throws StoreError when it is none. */
export function verifyBackup(file: string, ring: KeyRing): Check[] {
  if (!existsSync(file)) throw new StoreError(`there is no file ${file}`);
  if (statSync(file).isDirectory())
    throw new StoreError(`${file} is a folder: name the file of a backup, the one beside its folder .files`);
  return verifyFile(openPlain(file), filesOf(file), ring);
}

/** Looks a database through that is too damaged to be opened as one, as far as it can be read. */
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
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    sqlite.prepare("SELECT key FROM meta").get();
    return sqlite;
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_CORRUPT") return sqlite;
    sqlite.close();
    const words = errorText(error);
    throw new StoreError(`${file} is no database of Gangway: ${words}`);
  }
}

/** When a backup was made, ms; undefined for a plain copy of a database. */
export function backupTime(file: string): number | undefined {
  const sqlite = openPlain(file);
  const value = sqlite.prepare("SELECT value FROM meta WHERE key = 'backup_at'").pluck().get();
  sqlite.close();
  return value === undefined ? undefined : Number(value);
}

/** Names in a folder that may not be there. */
export const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
