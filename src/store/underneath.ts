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
  lost: Promise<string>;
}

/** `files` that are not there yet count from when they are first seen. On a `remote` file system numbers of files may change. */
export function watchUnderneath(files: string[], remote: boolean): Underneath {
  const known = new Map<string, string>();
  let found: string | undefined;
  let tell: (why: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const identify = (file: string): string | undefined => {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    return remote ? "there" : `${stat.dev} ${stat.ino}`;
  };
  const faultOf = (file: string): string | undefined => {
    const before = known.get(file);
    const now = identify(file);
    if (before === now) return undefined;
    if (before === undefined) known.set(file, now as string);
    else return `${basename(file)} was ${now === undefined ? "deleted" : "replaced"} while the server ran`;
    return undefined;
  };
  const look = () => {
    if (found !== undefined) return found;
    for (const file of files) found ??= faultOf(file);
    if (found !== undefined) tell(found);
    return found;
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
