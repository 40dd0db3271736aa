import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ExpiringNotes, Retention } from "../care.ts";
import { FILES } from "../disk/folder.ts";
import type { Database } from "../sqlite/database/db.ts";
import { sqliteEngine } from "../sqlite/tables/engine.ts";
import * as shared from "../tables/care/retention.ts";

/** Files looked at between pauses. */
const BATCH = 500;
const OLDEST_LIVE = `SELECT channel_id AS channel, min(created_at) AS at FROM (
    SELECT channel_id, created_at FROM message INDEXED BY message_lane WHERE state IN ('ready','sending','waiting')
    UNION ALL SELECT channel_id, created_at FROM message INDEXED BY message_ended
      WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
  ) GROUP BY channel_id`;

export const retention = (db: Database, folder: string, notes?: ExpiringNotes[]): Retention =>
  shared.retention({
    ...{ engine: sqliteEngine(db), notes, oldestLive: OLDEST_LIVE },
    sweepFolder: (before) => sweepFolder(db, join(folder, FILES), before),
  });

async function sweepFolder({ sqlite }: Database, folder: string, before: number): Promise<number> {
  const isKept = sqlite.prepare("SELECT 1 FROM kept_file WHERE id = ?");
  let deleted = 0;
  for (const [n, name] of (await readdir(folder)).entries()) {
    if (n % BATCH === 0) await setImmediate();
    if (isKept.get(name)) continue;
    // Bytes come before their row: a young file may still get one.
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (!found || found.mtimeMs >= before) continue;
    await rm(join(folder, name), { force: true });
    deleted += 1;
  }
  return deleted;
}
