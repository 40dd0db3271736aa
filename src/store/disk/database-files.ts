import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { type DatabaseFiles, RESTORE_COMMAND, StoreError } from "../store.ts";

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
    // Its own size says nothing while this process resizes it.
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
      // No descriptor is free: that says nothing about the file.
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
