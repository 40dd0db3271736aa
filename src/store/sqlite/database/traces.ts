import type Sqlite from "better-sqlite3";
import { isDiskFull } from "../../disk/faults.ts";
import { inThread } from "../../disk/thread.ts";
import type { DatabaseFiles } from "../../store.ts";
import type { GroupCommit } from "./group-commit.ts";
import { rewrite } from "./rewrite-file.ts";

/** Rewriting takes about 11 ms per MiB, in which writes wait: a larger database waits for the next start. */
const MAX_AT_ONCE = 64 * 1024 * 1024;

export const owesRewrite = (sqlite: Sqlite.Database): boolean =>
  sqlite.prepare("SELECT 1 FROM meta WHERE key = 'traces'").get() !== undefined;

/** Rewrites at a start, before anybody else uses the file. On a full disk the rewrite waits for the next start. */
export function rewriteAtStart(sqlite: Sqlite.Database): void {
  if (!owesRewrite(sqlite)) return;
  try {
    rewrite(sqlite);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/** Rewrites the file of a connection; returns the code of SQLite's error, if any. */
export type Rewrite = (sqlite: Sqlite.Database) => Promise<boolean | string>;

/** Rewrites in a thread, so that all but writes goes on. The thread's program is a file of the build. */
export const rewriteInThread: Rewrite = async ({ name }) =>
  (await inThread<boolean | string>(new URL("./rewrite-file.js", import.meta.url), { rewrite: name })) ?? false;

/** Rewrites on this thread, for where the build's files are missing. */
export const rewriteHere: Rewrite = async (sqlite) => {
  const wait = sqlite.pragma("busy_timeout", { simple: true });
  sqlite.pragma("busy_timeout = 0");
  try {
    return rewrite(sqlite);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    return code;
  } finally {
    sqlite.pragma(`busy_timeout = ${wait}`);
  }
};

interface Served extends Pick<GroupCommit, "hold"> {
  sqlite: Sqlite.Database;
  databaseFiles: DatabaseFiles;
}

/** Rewrites while the server runs, waiting for nobody. False if the database is too large, or in use elsewhere. */
export async function rewriteNow({ sqlite, databaseFiles, hold }: Served, rewriteWith: Rewrite): Promise<boolean> {
  const read = (name: string) => sqlite.pragma(name, { simple: true }) as number;
  if (!owesRewrite(sqlite)) return true;
  if (read("page_count") * read("page_size") > MAX_AT_ONCE) return false;
  databaseFiles.assertIntact();
  const release = hold();
  try {
    const done = await databaseFiles.resizing(() => rewriteWith(sqlite));
    if (typeof done === "boolean") return done;
    if (/^SQLITE_(BUSY|FULL)/.test(done)) return false;
    throw new Error(`the database could not be rewritten: ${done}`);
  } finally {
    release();
  }
}
