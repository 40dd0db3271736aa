import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Condition, Figures } from "../care.ts";
import { DATABASE, FILES } from "../disk/folder.ts";
import { isServed } from "../disk/instance-lock.ts";
import type { KeyRing } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import { StoreError } from "../store.ts";
import { unopened, verifyAll } from "./verify.ts";

export function condition({ sqlite }: Database, ring: KeyRing, folder: string): Condition {
  const number = (text: string) => sqlite.prepare(text).pluck().get() as number | null;
  const pragma = (name: string) => sqlite.pragma(name, { simple: true });
  const count = (state: string) => number(`SELECT count(*) FROM message WHERE ${state}`) ?? 0;
  return {
    verify: async () => verifyAll({ sqlite, ring, files: join(folder, FILES) }),
    async figures() {
      const pageSize = pragma("page_size") as number;
      const disk = await statfs(folder);
      const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
      return {
        served: servedOrWhy(folder),
        quickCheck: String(pragma("quick_check(1)")),
        bytes: {
          database: size(DATABASE),
          log: size(`${DATABASE}-wal`),
          free: (pragma("freelist_count") as number) * pageSize,
        },
        disk: { free: disk.bavail * disk.bsize, all: disk.blocks * disk.bsize },
        jobs: {
          waiting: count("state IN ('ready','sending','waiting')") + count("ack IN ('due','sending')"),
          held: count("(state IN ('held','dead') OR ack = 'refused') AND state = 'held'"),
          dead: count("(state IN ('held','dead') OR ack = 'refused') AND state <> 'held'"),
        },
        parked: {
          ofChannels: number("SELECT count(*) FROM parked WHERE channel_id IS NOT NULL") ?? 0,
          strangers: number("SELECT count(*) FROM parked WHERE channel_id IS NULL") ?? 0,
        },
        oldestWaiting:
          number("SELECT min(created_at) FROM message WHERE state IN ('ready','sending','waiting')") ?? undefined,
        newest: newestRow(number),
        unopened: unopened({ sqlite, ring, files: join(folder, FILES) }),
        troubled: sqlite
          .prepare<[], Figures["troubled"][number]>(
            `SELECT id, account_id AS accountId, name, state, coalesce(trouble, '') AS trouble FROM channel
              WHERE state <> 'removed' AND (state = 'stopped' OR trouble IS NOT NULL) LIMIT 100`,
          )
          .all(),
      };
    },
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

/** The newest time in the last rows of each growing table: reveals a clock that ran ahead. */
function newestRow(number: (text: string) => number | null): number | undefined {
  const last = (table: string, key: string, column: string) =>
    number(`SELECT max(${column}) FROM (SELECT ${column} FROM ${table} ORDER BY ${key} DESC LIMIT 100)`);
  const times = [
    last("message", "id", "created_at"),
    last("journal", "position", "created_at"),
    last("audit", "id", "at"),
  ].filter((time) => time !== null);
  return times.length === 0 ? undefined : Math.max(...times);
}
