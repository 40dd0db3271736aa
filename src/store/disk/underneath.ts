import { statSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { StoreError, type Underneath } from "../store.ts";

/** Above this size SQLite cuts its log when it begins it anew. */
export const MOST_LOG_BYTES = 64 * 1024 * 1024;

type Finding = Awaited<Underneath["lost"]>;

/** The files may be whole: a backup would take away what came since. */
const REACH = "give the server's user the data folder with all in it, or look at its disk, and start the server again";

interface File {
  id: string;
  /** Bytes. */
  size: number;
}

function whatHappened(file: string, before: File, now: File | undefined): string | undefined {
  if (!now) return "deleted";
  if (now.id !== before.id) return "replaced";
  // SQLite itself cuts nothing but a log that has grown beyond its limit, and that to the limit.
  const least = file.endsWith("-wal") ? Math.min(before.size, MOST_LOG_BYTES) : before.size;
  return now.size < least ? "overwritten" : undefined;
}

/** `files` that are not there yet count from when they are first seen. On a `remote` file system numbers of files may change. */
export function watchUnderneath(files: string[], remote: boolean): Underneath {
  const known = new Map<string, File>();
  let found: Finding | undefined;
  let tell: (found: Finding) => void = () => {};
  const lost = new Promise<Finding>((resolve) => {
    tell = resolve;
  });
  const identify = (file: string): File | undefined => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat && { id: remote ? "there" : `${stat.dev} ${stat.ino}`, size: stat.size };
  };
  const changeOf = (file: string): string | undefined => {
    const before = known.get(file);
    const now = identify(file);
    const happened = before && whatHappened(file, before, now);
    if (happened) return `${basename(file)} was ${happened} while the server ran`;
    if (now) known.set(file, now);
    return undefined;
  };
  const faultOf = (file: string): Finding | undefined => {
    try {
      const why = changeOf(file);
      return why === undefined ? undefined : { why, todo: "stop, and bring back the newest backup" };
    } catch (error) {
      return { why: `${basename(file)} cannot be looked at any more (${errorCode(error) ?? error})`, todo: REACH };
    }
  };
  const look = () => {
    if (found !== undefined) return found.why;
    for (const file of files) found ??= faultOf(file);
    if (found !== undefined) tell(found);
    return found?.why;
  };
  look();
  return {
    look,
    lost,
    assertThere() {
      const why = look();
      if (why !== undefined) throw new StoreError(why, "lost");
    },
  };
}
