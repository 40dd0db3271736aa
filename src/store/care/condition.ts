import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Condition, SqliteFigures } from "../care.ts";
import { DATABASE, FILES } from "../disk/folder.ts";
import { isServed } from "../disk/instance-lock.ts";
import { inThread } from "../disk/thread.ts";
import type { KeyRing } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import { acceptLoss, missingEvents } from "../sqlite/database/group-commit.ts";
import { StoreError } from "../store.ts";
import { contentFigures } from "../tables/care/checks.ts";
import { keysOf, runOn, verifyAll } from "./verify.ts";

export function condition({ sqlite }: Database, ring: KeyRing, folder: string): Condition {
  const at = { sqlite, ring, files: join(folder, FILES) };
  return {
    verify: async () => verifyAll(at),
    async acceptLoss() {
      const missing = missingEvents(sqlite, folder);
      if (missing > 0) acceptLoss(sqlite, folder);
      return missing;
    },
    figures: async () => ({ ...(await ofFiles(sqlite, folder)), ...runOn(at, contentFigures(keysOf(at))) }),
  };
}

/** Looks for damage in a worker thread with its own connection. An abort ends it with undefined. */
export const findDamageIn = (folder: string) => (signal: AbortSignal) =>
  inThread<string>(new URL("./find-damage.js", import.meta.url), { database: join(folder, DATABASE) }, signal);

async function ofFiles(sqlite: Database["sqlite"], folder: string): Promise<SqliteFigures> {
  const pragma = (name: string) => sqlite.pragma(name, { simple: true });
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const disk = await statfs(folder);
  return {
    engine: "SQLite",
    served: servedOrWhy(folder),
    quickCheck: String(pragma("quick_check(1)")),
    missing: missingEvents(sqlite, folder),
    bytes: {
      database: size(DATABASE),
      log: size(`${DATABASE}-wal`),
      free: (pragma("freelist_count") as number) * (pragma("page_size") as number),
    },
    disk: { free: disk.bavail * disk.bsize, all: disk.blocks * disk.bsize },
  };
}

function servedOrWhy(folder: string): boolean | string {
  try {
    return isServed(folder);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.message;
  }
}
