import { statSync } from "node:fs";
import { basename } from "node:path";
import { StoreError } from "./store-error.ts";

/**
 * The files under an open database. SQLite goes on writing into one that was deleted or replaced, and all of that is lost with
 * the process; so whoever is answered that something is stored is answered only after a look at them.
 */
export interface Underneath {
  /** What has happened to a file, in words for the operator. */
  look(): string | undefined;
  /** Throws StoreError when something has. */
  assertThere(): void;
  /** Resolves with the first thing that was found. */
  lost: Promise<Finding>;
}
interface Finding {
  why: string;
  /** For the operator. */
  todo: string;
}

/** The files may be whole: a backup would take away what came since. */
const REACH = "give the server's user the data folder with all in it, or look at its disk, and start the server again";

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : error);

/** `files` that are not there yet count from when they are first seen. On a `remote` file system numbers of files may change. */
export function watchUnderneath(files: string[], remote: boolean): Underneath {
  const known = new Map<string, string>();
  let found: Finding | undefined;
  let tell: (found: Finding) => void = () => {};
  const lost = new Promise<Finding>((resolve) => {
    tell = resolve;
  });
  const identify = (file: string): string | undefined => {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    return remote ? "there" : `${stat.dev} ${stat.ino}`;
  };
  const changeOf = (file: string): string | undefined => {
    const before = known.get(file);
    const now = identify(file);
    if (before === now) return undefined;
    if (before === undefined) known.set(file, now as string);
    else return `${basename(file)} was ${now === undefined ? "deleted" : "replaced"} while the server ran`;
    return undefined;
  };
  const faultOf = (file: string): Finding | undefined => {
    try {
      const why = changeOf(file);
      return why === undefined ? undefined : { why, todo: "stop, and bring back the newest backup" };
    } catch (error) {
      return { why: `${basename(file)} cannot be looked at any more (${codeOf(error)})`, todo: REACH };
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
