import { existsSync, statSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "gangway-messenger/clock";
import type { Check } from "../care.ts";
import { explainFullDisk } from "../disk/faults.ts";
import { ASIDE, DATABASE, FILES, makeFolder, RESTORING, removeMarker } from "../disk/folder.ts";
import { lockInstance } from "../disk/instance-lock.ts";
import type { KeyRing } from "../secrets.ts";
import { prepare } from "../sqlite/database/db.ts";
import { StoreError } from "../store.ts";
import { afterRestore } from "../tables/care/retention.ts";
import { backupTime, copySynced, faultOf, filesOf, namesIn, sync, verifyBackup } from "./backup.ts";
import { runOn } from "./verify.ts";

interface RestoreOptions {
  backup: string;
  folder: string;
  keyRing: KeyRing;
  clock: Clock;
  /** Move existing data aside. */
  force: boolean;
  /** Send the backup's unsent messages instead of holding them. */
  resend: boolean;
  /** Delivery deadline of resent messages, from now, ms. */
  patienceMs: number;
}
interface RestoreReport {
  /** Folder with the old data. */
  aside?: string;
  files: number;
  /** Number of outbound messages held for a person. */
  held: number;
  /** When the backup was made, ms. */
  madeAt?: number;
  /** Checks of the backup; its content faults were restored with it. */
  checks: Check[];
}

const DATABASE_FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`];

/** Restores a backup into the data folder; no server may run on it. Throws StoreError. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { backup, folder, keyRing } = options;
  const checks = verifyBackup(backup, keyRing);
  refuseUnfit(checks, options);
  makeFolder(folder);
  const unlock = lockInstance(folder);
  try {
    const occupied = await isOccupied(folder);
    if (occupied && !options.force)
      throw new StoreError(`the data folder ${folder} is not empty: with --force its content is moved aside first`);
    const staged = join(folder, RESTORING);
    const { files, held, madeAt } = await stage(staged, options);
    const aside = occupied ? await moveAside(folder, options.clock.now()) : undefined;
    await rm(join(folder, FILES), { recursive: true, force: true });
    await rename(join(staged, FILES), join(folder, FILES));
    // Move the database last: until then the folder has none, and the command can be repeated.
    removeMarker(folder);
    await rename(join(staged, DATABASE), join(folder, DATABASE));
    await sync(folder);
    await rm(staged, { recursive: true, force: true });
    return { aside, files, held, madeAt, checks };
  } finally {
    unlock();
  }
}

function refuseUnfit(checks: Check[], { backup, force }: RestoreOptions): void {
  const damage = faultOf("file", checks);
  if (damage) throw new StoreError(`the backup ${backup} is damaged, and nothing was changed: ${damage}`);
  const key = faultOf("keys", checks);
  if (key)
    throw new StoreError(`${key}, and nothing was changed: set them as they were when the backup was made`, "keys");
  const fault = faultOf("content", checks);
  if (fault && !force)
    throw new StoreError(
      `the backup has a fault, and nothing was changed: ${fault}; gangway verify ${backup} lists them all, and with --force it is restored as it is`,
    );
}

/** Builds the restored data in a staging folder; removes it on failure. */
async function stage(
  staged: string,
  options: RestoreOptions,
): Promise<Pick<RestoreReport, "files" | "held" | "madeAt">> {
  try {
    const files = await copyTo(staged, options.backup);
    const madeAt = backupTime(options.backup);
    const held = finish(join(staged, DATABASE), options, madeAt);
    await sync(join(staged, DATABASE));
    return { files, held, madeAt };
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw explainFullDisk(error, options.folder, "nothing was changed");
  }
}

const isOccupied = async (folder: string) =>
  DATABASE_FILES.some((name) => existsSync(join(folder, name))) || (await namesIn(join(folder, FILES))).length > 0;

async function copyTo(staged: string, backup: string): Promise<number> {
  await rm(staged, { recursive: true, force: true });
  await mkdir(join(staged, FILES), { recursive: true, mode: 0o700 });
  await chmod(staged, 0o700);
  await copySynced(backup, join(staged, DATABASE));
  const names = (await namesIn(filesOf(backup))).filter((name) => statSync(join(filesOf(backup), name)).isFile());
  for (const name of names) await copySynced(join(filesOf(backup), name), join(staged, FILES, name));
  await sync(join(staged, FILES));
  return names.length;
}

/** Migrates the tables, and holds or resends the unsent outbound messages. */
function finish(file: string, { clock, ...how }: RestoreOptions, madeAt: number | undefined): number {
  const sqlite = new Sqlite(file, { fileMustExist: true });
  try {
    prepare(sqlite);
    return sqlite.transaction(() => {
      sqlite.prepare("DELETE FROM meta WHERE key = 'backup_at'").run();
      return runOn({ sqlite }, afterRestore(clock.now(), { ...how, madeAt }));
    })();
  } finally {
    // A single file can be renamed.
    sqlite.pragma("journal_mode = DELETE");
    sqlite.close();
  }
}

async function moveAside(folder: string, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const aside = join(folder, `${ASIDE}${stamp}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of [...DATABASE_FILES, FILES])
    if (existsSync(join(folder, name))) await rename(join(folder, name), join(aside, name));
  await sync(aside);
  return aside;
}
