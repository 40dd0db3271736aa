import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errorText } from "../../domain/errors.ts";
import { StoreError } from "../store.ts";
import { lost } from "./faults.ts";

// The data folder: its files, and whether it is usable.

export const DATABASE = "gangway.db";
/** Folder of kept files. */
export const FILES = "files";
/** Staging folder of a restore. */
export const RESTORING = "restoring";
/** Beginning of the folders in which a restore puts the database that was there. */
export const ASIDE = "before-restore-";
export const LOCK = "instance.lock";
/** Marker: the folder has had a database, so a new, empty one is never created silently. It tells what that one had counted. */
const MARKER = "database.made";
/** Marker: the last check found damage, so the next start checks before it is ready. */
const SUSPECT = "database.damaged";

/** File systems with unreliable locks or syncs: NFS, SMB, CIFS, SMB2, FUSE (statfs magic numbers). */
const REMOTE_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546]);

/** Throws StoreError. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (isFile(folder)) throw notAFolder(folder);
    const words = errorText(error);
    throw new StoreError(`cannot create the data folder ${folder}: ${words}`, "perhaps-full");
  }
}

export const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
export const notAFolder = (path: string) => new StoreError(`DATA_FOLDER ${path} is a file: set it to a folder`);

/** A new database would hide the loss of the old one. Throws StoreError. */
export function assertNotLost(folder: string): void {
  const file = join(folder, DATABASE);
  const bytes = (path: string) => (existsSync(path) ? statSync(path).size : undefined);
  if (bytes(file) === 0) throw lost(`${file} is empty`);
  if (existsSync(file)) return;
  if (existsSync(join(folder, RESTORING))) throw lost(`a restore into ${folder} was interrupted`);
  if (bytes(`${file}-wal`)) throw lost(`only its log is left in ${folder}`);
  const files = join(folder, FILES);
  if (existsSync(files) && readdirSync(files).length > 0) throw lost(`only kept files are left in ${folder}`);
  const marker = join(folder, MARKER);
  if (existsSync(marker)) throw lost(`${file} is missing (to start with an empty database, delete ${marker} first)`);
}

/** What the database has counted; it never has less, unless commits are lost. */
export interface Counts {
  starts: number;
  /** Events, in both directions. */
  accepted: number;
}

/** The counts in the marker; 0 where it has none, or cannot be read. */
export function markedCounts(folder: string): Counts {
  let text = "";
  try {
    text = readFileSync(join(folder, MARKER), "utf8");
  } catch {}
  const count = (name: keyof Counts) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  return { starts: count("starts"), accepted: count("accepted") };
}

/** `counts`: what is committed. The marker is replaced as a whole; if that fails, the old one stays, and it throws. */
export function writeMarker(folder: string, { starts, accepted }: Counts): void {
  const words = "This folder has a Gangway database. If it is missing, restore a backup.";
  const [file, temporary] = [join(folder, MARKER), join(folder, `${MARKER}.new`)];
  writeFileSync(temporary, `${words}\nstarts ${starts}\naccepted ${accepted}\n`, { flush: true });
  renameSync(temporary, file);
  syncFolder(folder);
}

/** For a restore: the backup has its own counts. */
export const removeMarker = (folder: string): void => rmSync(join(folder, MARKER), { force: true });

export const isSuspect = (folder: string): boolean => existsSync(join(folder, SUSPECT));
export const clearSuspicion = (folder: string): void => rmSync(join(folder, SUSPECT), { force: true });
export function markSuspect(folder: string): void {
  try {
    writeFileSync(join(folder, SUSPECT), "");
    syncFolder(folder);
  } catch {
    // The next start finds the damage again, after it is ready.
  }
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

export const isRemote = (folder: string) => REMOTE_FILE_SYSTEMS.has(statfsSync(folder).type >>> 0);
