import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ExpiringNotes, OldestLive, Retention, RetentionKind, Swept } from "../care.ts";
import { FILES } from "../disk/folder.ts";
import type { Database } from "../sqlite/database/db.ts";
import { unsentFiles } from "./unsent.ts";

/** Rows checked per transaction. */
const BATCH = 500;
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

function oldestLive({ sqlite }: Database): OldestLive {
  const rows = sqlite
    .prepare<[], { channel: string; at: number }>(
      `SELECT channel_id AS channel, min(created_at) AS at FROM (
        SELECT channel_id, created_at FROM message INDEXED BY message_lane WHERE state IN ('ready','sending','waiting')
        UNION ALL SELECT channel_id, created_at FROM message INDEXED BY message_ended
          WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
      ) GROUP BY channel_id`,
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
  /** Keep rows that live messages may need. */
  needed?: boolean;
  /** What becomes of an old row (default: it is deleted). */
  set?: string;
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
/** Ended messages lose their content and keep their ids and keys. States exactly as in the index `message_age`. */
const emptied = (state: string, set: string): SweepQuery => ({
  table: "message",
  key: "id",
  select: `SELECT id AS key, updated_at AS at, NULL AS channel FROM message
    WHERE state IN ('done','dead') AND payload IS NOT NULL AND state = '${state}' AND updated_at < :before
    AND coalesce(ack, '') NOT IN ('due','sending') ORDER BY updated_at LIMIT ${BATCH}`,
  set: `payload = NULL, work = NULL, tries = NULL, ack_tries = NULL, ${set}`,
});

/** Not ended, its ack not given, or a part of such a message. */
const KEPT = `(state IN ('ready','sending','waiting','held','dead') OR ack IN ('due','sending')
  OR (state = 'carried' AND EXISTS (SELECT 1 FROM message AS album WHERE album.id = message.carrier AND album.payload IS NOT NULL)))`;

const QUERIES: Record<RetentionKind, SweepQuery> = {
  settled: emptied("done", "album = NULL"),
  dead: emptied("dead", "state = 'dropped', ack = nullif(ack, 'refused')"),
  dedupe: inOrder("message", "id", "created_at", "channel_id", KEPT),
  audit: inOrder("audit", "id", "at"),
  webhooks: inOrder("raw_webhook", "id", "received_at"),
  journal: inOrder("journal", "position", "created_at", "channel_id"),
  files: inOrder("kept_file", "rowid", "created_at", "channel_id"),
  erased: inOrder("erased", "rowid", "at"),
  requests: {
    table: "erasure_request",
    key: "rowid",
    select: `SELECT rowid AS key, done_at AS at, NULL AS channel FROM erasure_request
      WHERE rowid > :after AND done_at IS NOT NULL ORDER BY rowid LIMIT ${BATCH}`,
  },
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
  { table, key, select, needed, inOrder, set }: SweepQuery,
  { before, oldestLive, after, expiring }: { before: number; oldestLive: OldestLive; after: number; expiring: string },
): Swept {
  const rows = sqlite.prepare<[object], Row>(select).all({ before, after, expiring });
  const isNeeded = ({ channel, at }: Row) =>
    needed && at >= (oldestLive.get(channel ?? "") ?? Number.POSITIVE_INFINITY);
  const old = rows.filter((row) => row.at < before && !row.kept && !isNeeded(row));
  const remove = sqlite.prepare(
    set ? `UPDATE ${table} SET ${set} WHERE ${key} = ?` : `DELETE FROM ${table} WHERE ${key} = ?`,
  );
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
