import { existsSync, statSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Clock } from "../../domain/clock.ts";
import type { Check } from "../care.ts";
import { unlessFull } from "../disk/faults.ts";
import { DATABASE, FILES, forgetMade, makeFolder, RESTORING } from "../disk/folder.ts";
import { lockInstance } from "../disk/instance-lock.ts";
import type { KeyRing } from "../secrets.ts";
import { prepare } from "../sqlite/database/db.ts";
import { StoreError } from "../store.ts";
import { backupTime, copySynced, faultOf, filesOf, namesIn, sync, verifyBackup } from "./backup.ts";

export interface RestoreOptions {
  backup: string;
  folder: string;
  keyRing: KeyRing;
  clock: Clock;
  /** Put what is in the folder aside. */
  force: boolean;
  /** Send what the backup has as not yet sent. */
  resend: boolean;
  /** How long what is sent is tried, ms. */
  patienceMs: number;
}
export interface RestoreReport {
  /** Where the old data is now. */
  aside?: string;
  files: number;
  /** Outbound messages that wait for a person. */
  held: number;
  /** When the backup was made, ms. */
  madeAt?: number;
  /** Of the backup; faults of its content are in the folder now. */
  checks: Check[];
}

const BESIDE = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`];

/** Puts a backup into the data folder of a server that does not run. Throws StoreError. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { backup, folder, keyRing } = options;
  const checks = verifyBackup(backup, keyRing);
  refuseUnfit(checks, options);
  makeFolder(folder);
  const unlock = lockInstance(folder);
  try {
    const occupied = await isOccupied(folder);
    if (occupied && !options.force)
      throw new StoreError(`the data folder ${folder} is not empty: with --force its content is put aside first`);
    const made = join(folder, RESTORING);
    const { files, held, madeAt } = await make(made, options);
    const aside = occupied ? await putAside(folder, options.clock.now()) : undefined;
    await rm(join(folder, FILES), { recursive: true, force: true });
    await rename(join(made, FILES), join(folder, FILES));
    // Last: without it the folder counts as one without a database, and the command may be given again.
    forgetMade(folder);
    await rename(join(made, DATABASE), join(folder, DATABASE));
    await sync(folder);
    await rm(made, { recursive: true, force: true });
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
      `the backup has a fault, and nothing was changed: ${fault}; gangway verify ${backup} tells all of them, and with --force it is brought back as it is`,
    );
}

/** The backup as it shall be, beside what is there; nothing is left of it when that fails. */
async function make(made: string, options: RestoreOptions): Promise<Pick<RestoreReport, "files" | "held" | "madeAt">> {
  try {
    const files = await copyTo(made, options.backup);
    const madeAt = backupTime(options.backup);
    const held = settle(join(made, DATABASE), options, madeAt);
    await sync(join(made, DATABASE));
    return { files, held, madeAt };
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw unlessFull(error, options.folder, "nothing was changed");
  }
}

const isOccupied = async (folder: string) =>
  BESIDE.some((name) => existsSync(join(folder, name))) || (await namesIn(join(folder, FILES))).length > 0;

async function copyTo(made: string, backup: string): Promise<number> {
  await rm(made, { recursive: true, force: true });
  await mkdir(join(made, FILES), { recursive: true, mode: 0o700 });
  await chmod(made, 0o700);
  await copySynced(backup, join(made, DATABASE));
  const names = (await namesIn(filesOf(backup))).filter((name) => statSync(join(filesOf(backup), name)).isFile());
  for (const name of names) await copySynced(join(filesOf(backup), name), join(made, FILES, name));
  await sync(join(made, FILES));
  return names.length;
}

/** Brings the tables up to date and decides what becomes of messages that were on their way to customers. */
function settle(file: string, { clock, resend, patienceMs }: RestoreOptions, madeAt: number | undefined): number {
  const sqlite = new Sqlite(file, { fileMustExist: true });
  try {
    prepare(sqlite);
    const now = clock.now();
    return sqlite.transaction(() => {
      const held = resend ? 0 : hold(sqlite, now, madeAt);
      if (resend)
        sqlite
          .prepare(
            "UPDATE job SET deadline_at = ? WHERE direction = 'outbound' AND state IN ('ready','sending','waiting')",
          )
          .run(now + patienceMs);
      sqlite.prepare("DELETE FROM meta WHERE key = 'backup_at'").run();
      const detail = JSON.stringify({ madeAt, held, resend });
      sqlite
        .prepare("INSERT INTO audit (actor, action, detail, at) VALUES ('operator', 'backup restored', ?, ?)")
        .run(detail, now);
      return held;
    })();
  } finally {
    // One plain file, which can be renamed.
    sqlite.pragma("journal_mode = DELETE");
    sqlite.close();
  }
}

/** What the backup has as unsent may have reached the customer since; gateway and acks know a repeat again. */
function hold(sqlite: Sqlite.Database, now: number, madeAt: number | undefined): number {
  const when = madeAt === undefined ? "" : ` of ${new Date(madeAt).toISOString()}`;
  const why = `restored from a backup${when}: it may have been delivered since`;
  return sqlite
    .prepare(
      `UPDATE job SET state = 'held', head = 0, error_code = 'general', error = ?, updated_at = ?
        WHERE direction = 'outbound' AND state IN ('ready','sending','waiting')`,
    )
    .run(why, now).changes;
}

async function putAside(folder: string, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const aside = join(folder, `before-restore-${stamp}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of [...BESIDE, FILES])
    if (existsSync(join(folder, name))) await rename(join(folder, name), join(aside, name));
  await sync(aside);
  return aside;
}
