import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ExpiringNotes, OldestLive, Retention, RetentionKind, Swept } from "../care.ts";
import { FILES } from "../disk/folder.ts";
import type { Database } from "../sqlite/database/db.ts";
import { unsentFiles } from "./unsent.ts";

/** Rows checked per transaction. */
export const BATCH = 500;
/** A job dates from its first event; parts of an album come a little later, ms. */
const SLACK_MS = 60_000;

export function retention(db: Database, folder: string, notes: ExpiringNotes[] = []): Retention {
  const expiring = JSON.stringify(notes);
  return {
    oldestLive: async () => oldestLive(db),
    sweep: (kind, before, oldestLive, after) =>
      db.write(() => sweep(db, QUERIES[kind], { before, oldestLive, after, expiring })),
    sweepUnsent: unsentFiles(db),
    sweepFolder: (before) => sweepFolder(db, join(folder, FILES), before),
  };
}

/** A resent job is as old as its origin; if that row is gone, nothing of the channel counts as old. */
function oldestLive({ sqlite }: Database): OldestLive {
  const oldest = (index: string, states: string) => `
    SELECT job.channel_id AS channel,
      min(CASE WHEN job.origin IS NULL THEN job.created_at ELSE coalesce(root.created_at, 0) END) AS at
    FROM job INDEXED BY ${index} LEFT JOIN job AS root ON root.id = job.origin
    WHERE job.state IN (${states}) AND job.state <> 'dead' GROUP BY job.channel_id`;
  const live = oldest("job_lane", "'ready','sending','waiting'");
  const rows = sqlite
    .prepare<[], { channel: string; at: number }>(
      `SELECT channel, min(at) AS at FROM (${live} UNION ALL ${oldest("job_ended", "'held','dead'")}) GROUP BY channel`,
    )
    .all();
  return new Map(rows.map(({ channel, at }) => [channel, at - SLACK_MS]));
}

interface SweepQuery {
  table: string;
  key: string;
  /** Rows as `key`, `at` and `channel`, at most BATCH, after `:after`. */
  select: string;
  /** Rows come in time order: stop at the first young one. */
  inOrder?: boolean;
  /** Keep rows that live jobs may need. */
  needed?: boolean;
}

/** AUTOINCREMENT ids follow time, so no index on time is needed. */
const inOrder = (table: string, key: string, time: string, channel = "NULL", kept = "0"): SweepQuery => ({
  table,
  key,
  select: `SELECT ${key} AS key, ${time} AS at, ${channel} AS channel, ${kept} AS kept FROM ${table}
    WHERE ${key} > :after ORDER BY ${key} LIMIT ${BATCH}`,
  inOrder: true,
  needed: channel !== "NULL",
});
/** `state IN` exactly as in the index `job_age`, so that SQLite uses it. */
const jobs = (state: string): SweepQuery => ({
  table: "job",
  key: "id",
  select: `SELECT id AS key, updated_at AS at, NULL AS channel FROM job
    WHERE state IN ('done','replayed','dead') AND state ${state} AND updated_at < :before ORDER BY updated_at LIMIT ${BATCH}`,
});

const QUERIES: Record<RetentionKind, SweepQuery> = {
  settled: jobs("<> 'dead'"),
  dead: jobs("= 'dead'"),
  dedupe: inOrder("inbox", "id", "received_at", "channel_id"),
  messages: inOrder(
    "message",
    "id",
    "created_at",
    "channel_id",
    // Keep each chat's newest message for ever: agents may write only to known chats.
    `NOT EXISTS (SELECT 1 FROM message AS later WHERE later.channel_id = message.channel_id
      AND later.gateway_chat = message.gateway_chat AND later.id > message.id)`,
  ),
  audit: inOrder("audit", "id", "at"),
  webhooks: inOrder("raw_webhook", "id", "received_at"),
  journal: inOrder("journal", "position", "created_at", "channel_id"),
  files: inOrder("kept_file", "rowid", "created_at", "channel_id"),
  notes: {
    table: "note",
    key: "rowid",
    select: `SELECT note.rowid AS key, note.updated_at AS at, NULL AS channel, NOT EXISTS (
        SELECT 1 FROM json_each(:expiring) AS each
        WHERE coalesce(each.value ->> 'kind' = channel.kind, each.value ->> 'kind' IS NULL)
          AND substr(note.key, 1, length(each.value ->> 'prefix')) = each.value ->> 'prefix') AS kept
      FROM note LEFT JOIN channel ON channel.id = note.channel_id
      WHERE note.rowid > :after ORDER BY note.rowid LIMIT ${BATCH}`,
  },
  sessions: {
    table: "web_session",
    key: "rowid",
    select: `SELECT rowid AS key, expires_at AS at, NULL AS channel FROM web_session
      WHERE rowid > :after ORDER BY rowid LIMIT ${BATCH}`,
  },
};

interface Row {
  key: number;
  at: number;
  channel: string | null;
  kept?: number;
}

function sweep(
  { sqlite }: Database,
  { table, key, select, needed, inOrder }: SweepQuery,
  { before, oldestLive, after, expiring }: { before: number; oldestLive: OldestLive; after: number; expiring: string },
): Swept {
  const rows = sqlite.prepare<[object], Row>(select).all({ before, after, expiring });
  const isNeeded = ({ channel, at }: Row) =>
    needed && at >= (oldestLive.get(channel ?? "") ?? Number.POSITIVE_INFINITY);
  const old = rows.filter((row) => row.at < before && !row.kept && !isNeeded(row));
  const remove = sqlite.prepare(`DELETE FROM ${table} WHERE ${key} = ?`);
  for (const row of old) remove.run(row.key);
  const last = rows.at(-1);
  const isLast = rows.length < BATCH || !last || (inOrder && last.at >= before);
  return { deleted: old.length, next: isLast ? undefined : last.key };
}

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
