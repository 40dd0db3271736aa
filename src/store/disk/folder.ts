import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errorText } from "../../domain/errors.ts";
import { StoreError } from "../store.ts";
import { lost } from "./faults.ts";

// The data folder: what lies in it, and whether it may be used.

export const DATABASE = "gangway.db";
/** Bytes of kept files. */
export const FILES = "files";
/** What a restore has not yet put in its place. */
export const RESTORING = "restoring";
export const LOCK = "instance.lock";
/** Says that the folder has had a database: it never gets a new, empty one in silence again. */
const MADE = "database.made";

/** File systems whose locks or syncs cannot be trusted: NFS, SMB, CIFS, SMB2, FUSE (statfs magic numbers). */
const REMOTE_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546]);

/** Throws StoreError. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (isFile(folder)) throw noFolder(folder);
    const words = errorText(error);
    throw new StoreError(`the data folder ${folder} cannot be made: ${words}`, "perhaps-full");
  }
}

export const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
export const noFolder = (path: string) => new StoreError(`DATA_FOLDER ${path} is a file: set it to a folder`);

/** A new database here would hide that all is gone. Throws StoreError. */
export function assertNotLost(folder: string): void {
  const file = join(folder, DATABASE);
  const bytes = (path: string) => (existsSync(path) ? statSync(path).size : undefined);
  if (bytes(file) === 0) throw lost(`${file} is empty`);
  if (existsSync(file)) return;
  if (existsSync(join(folder, RESTORING))) throw lost(`a restore into ${folder} was cut short`);
  if (bytes(`${file}-wal`)) throw lost(`only its log is left in ${folder}`);
  const files = join(folder, FILES);
  if (existsSync(files) && readdirSync(files).length > 0) throw lost(`only kept files are left in ${folder}`);
  const made = join(folder, MADE);
  if (existsSync(made))
    throw lost(`${file} is not there any more (to begin anew without what it held, delete ${made} first)`);
}

/** How often a server has begun to work on the folder's database, as far as the mark knows. */
export function startsMarked(folder: string): number {
  if (!existsSync(join(folder, MADE))) return 0;
  return Number(/^starts (\d+)$/m.exec(readFileSync(join(folder, MADE), "utf8"))?.[1] ?? 0);
}

/** `starts`: what the database itself says by now. */
export function markMade(folder: string, starts: number): void {
  const words = "This folder has a database of Gangway. If it is gone, bring back a backup.";
  try {
    writeFileSync(join(folder, MADE), `${words}\nstarts ${starts}\n`);
    syncFolder(folder);
  } catch {
    // A full disk refuses no start for it: the next one tries again.
  }
}

/** Another database is there from now on: a backup. */
export const forgetMade = (folder: string): void => rmSync(join(folder, MADE), { force: true });

export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

export const isRemote = (folder: string) => REMOTE_FILE_SYSTEMS.has(statfsSync(folder).type >>> 0);
