import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { errorCode, errorText } from "gangway-messenger/errors";
import { type DatabaseFiles, RESTORE_COMMAND, StoreError } from "../store.ts";
import { asStoreError, fullDisk, isDiskFull, lost } from "./faults.ts";

// The data folder: its files, and whether it is usable.

export const DATABASE = "gangway.db";
/** Folder of kept files. */
export const FILES = "files";
/** Staging folder of a restore. */
export const RESTORING = "restoring";
/** Prefix of the folders where a restore sets the old database aside. */
export const ASIDE = "before-restore-";
export const LOCK = "instance.lock";
/** Marker: the folder has had a database, so an empty one is never created silently. Holds that database's counts. */
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

/** The database's counts. They never decrease unless commits are lost. */
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

/** Replaces the marker atomically; on failure the old one stays and it throws. `counts` must be committed. */
export function writeMarker(folder: string, { starts, accepted }: Counts): void {
  const words = "This folder has a Gangway database. If it is missing, restore a backup.";
  const [file, temporary] = [join(folder, MARKER), join(folder, `${MARKER}.new`)];
  writeFileSync(temporary, `${words}\nstarts ${starts}\naccepted ${accepted}\n`, { flush: true });
  renameSync(temporary, file);
  syncFolder(folder);
}

/** For a restore, since the backup has its own counts. */
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

const PROBE = "room.probe";
const PROBE_BYTES = 64 * 1024;

/** `asStoreError` for the database in `folder`; it names a full disk whatever SQLite calls it. */
export function asStoreErrorIn(folder: string, error: unknown): unknown {
  const fault = asStoreError(error, join(folder, DATABASE));
  const isFull = fault instanceof StoreError && fault.kind === "perhaps-full" && !hasSpace(folder);
  return isFull ? fullDisk(folder) : fault;
}

/** Whether `error`, from opening or writing the database in `folder`, is due to a full disk. */
export function isOutOfSpace(error: unknown, folder: string): boolean {
  const fault = asStoreErrorIn(folder, error);
  return fault instanceof StoreError && fault.kind === "full";
}

/** Only a write proves free space: SQLite reports a full disk in several ways, and free blocks may be reserved. */
function hasSpace(folder: string): boolean {
  const file = join(folder, PROBE);
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flush: true });
    return true;
  } catch (error) {
    return !isDiskFull(error);
  } finally {
    rmSync(file, { force: true });
  }
}

/** SQLite truncates its log to this size when it restarts it (`journal_size_limit`). */
export const MAX_LOG_BYTES = 64 * 1024 * 1024;

type Finding = Awaited<DatabaseFiles["lost"]>;

/** The files may be intact, and restoring a backup would lose newer data. */
const RESTORE_ACCESS =
  "give the server's user access to the data folder and its files, or check the disk, then start the server again";

interface File {
  id: string;
  /** Bytes. */
  size: number;
}

function changeBetween(file: string, before: File, now: File | undefined): string | undefined {
  if (!now) return "deleted";
  if (now.id !== before.id) return "replaced";
  // SQLite itself shrinks only an oversized log, down to the limit.
  const minSize = isLog(file) ? Math.min(before.size, MAX_LOG_BYTES) : before.size;
  if (now.size < minSize) return "overwritten";
  // A commit that was under way has grown a truncated log beyond its old size, but does not repeat its header.
  return isLog(file) && now.size > before.size && !hasLogHeader(file) ? "overwritten" : undefined;
}

const isLog = (file: string) => file.endsWith("-wal");

/** The first bytes of SQLite's log; the last bit says how it counts its checksums. */
const LOG_HEADER = 0x377f0682;

/** Never for the database itself: closing it would drop SQLite's locks. */
function hasLogHeader(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const header = Buffer.alloc(4);
    readSync(handle, header, 0, header.length, 0);
    return (header.readUInt32BE() & ~1) === LOG_HEADER;
  } finally {
    closeSync(handle);
  }
}

/** Missing `files` are watched once they appear. On a `remote` file system inode numbers may change and are ignored. */
export function watchFiles(files: string[], remote: boolean): DatabaseFiles {
  const known = new Map<string, File>();
  let found: Finding | undefined;
  let resizers = 0;
  let resolveLost: (found: Finding) => void = () => {};
  const lost = new Promise<Finding>((resolve) => {
    resolveLost = resolve;
  });
  const identify = (file: string): File | undefined => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat && { id: remote ? "there" : `${stat.dev} ${stat.ino}`, size: stat.size };
  };
  const describeChange = (file: string): string | undefined => {
    const before = known.get(file);
    const now = identify(file);
    // Ignore its size while this process resizes it.
    const change = before && changeBetween(file, before, resizers > 0 && now ? { ...now, size: before.size } : now);
    if (change) return `${basename(file)} was ${change} while the server ran`;
    if (now) known.set(file, now);
    return undefined;
  };
  const findingOf = (file: string): Finding | undefined => {
    try {
      const why = describeChange(file);
      return why === undefined ? undefined : { why, todo: "stop the server and restore the newest backup" };
    } catch (error) {
      // Out of descriptors: that says nothing about the file.
      if (/^E[MN]FILE$/.test(errorCode(error) ?? "")) return undefined;
      return {
        why: `${basename(file)} can no longer be read (${errorCode(error) ?? error})`,
        todo: RESTORE_ACCESS,
      };
    }
  };
  const check = () => {
    if (found !== undefined) return found.why;
    for (const file of files) found ??= findingOf(file);
    if (found !== undefined) resolveLost(found);
    return found?.why;
  };
  check();
  return {
    check,
    lost,
    condemn(how) {
      found ??= {
        why: `the database is damaged (${how.replace(/\s+/g, " ")})`,
        todo: `restore the newest backup with ${RESTORE_COMMAND}`,
      };
      resolveLost(found);
    },
    async resizing(work) {
      resizers += 1;
      try {
        return await work();
      } finally {
        resizers -= 1;
        for (const file of files) {
          const now = identify(file);
          if (now) known.set(file, now);
        }
      }
    },
    assertIntact() {
      const why = check();
      if (why !== undefined) throw new StoreError(why, "lost");
    },
  };
}
