import { sql } from "drizzle-orm";
import type { NotePrefix, OldestLive, Retention, RetentionKind, Swept } from "../../care.ts";
import { unsentFiles } from "../channels/raw-webhooks.ts";
import { all, type Engine, first, OF_MESSAGE, run, type Transaction, type Verb } from "../engine.ts";
import { forgetEdit } from "../messages/messages.ts";

/** Rows checked per transaction. */
const BATCH = 500;
/** Files per transaction: on PostgreSQL their bytes are deleted with them. */
const FILES = 20;
/** A job dates from its first event; parts of an album come a little later, ms. */
const SLACK_MS = 60_000;

interface Parts {
  engine: Engine;
  notes?: NotePrefix[];
  sweepFolder: Retention["sweepFolder"];
}

export function retention({ engine, notes: known = [], sweepFolder }: Parts): Retention {
  const notes = known.filter(({ stays, days }) => !stays && days === undefined);
  const lasting = known.filter(({ days }) => days !== undefined);
  const queries = { ...QUERIES, notes: notesQuery(notes), lasting: notesQuery(lasting) };
  const prefixes: Record<string, object> = { notes: prefixesOf(notes), lasting: prefixesOf(lasting) };
  return {
    oldestLive: async () => {
      const rows = await engine.read(oldestLive);
      return new Map(rows.map(({ channel, at }) => [channel, at - SLACK_MS]));
    },
    sweep: (kind, before, oldestLive, after) =>
      engine.write(() => sweep(queries[kind], { ...prefixes[kind], before, after }, oldestLive)),
    sweepUnsent: unsentFiles(engine),
    sweepFolder,
  };
}

/** When each channel's oldest live or held message was accepted. Conditions repeat those of the partial indexes. */
const oldestLive = ({ indexedBy }: Transaction) =>
  all<{ channel: string; at: number }>(sql`SELECT channel_id AS channel, min(created_at) AS at FROM (
      SELECT channel_id, created_at FROM message ${indexedBy("message_lane")} WHERE state IN ('ready','sending','waiting')
      UNION ALL SELECT channel_id, created_at FROM message ${indexedBy("message_ended")}
        WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
    ) AS live GROUP BY channel_id`);

interface SweepQuery {
  table: string;
  key: string;
  /** Rows as `key`, `at` and `channel`, at most `limit` (default: BATCH), after `@after`. */
  select: string;
  limit?: number;
  /** Rows come in time order: stop at the first young one. */
  inOrder?: boolean;
  /** Keep rows that live messages may need. */
  needed?: boolean;
  /** SET clause for old rows; default: delete them. */
  set?: string;
  /** Also removes excerpts of its text from its parts and, for an edit, from the message it changed. */
  wordless?: boolean;
}

/** A sweep over all rows, by key. */
const visited = (
  table: string,
  key: string,
  time: string,
  channel = "NULL",
  { kept = "0", limit = BATCH } = {},
): SweepQuery => ({
  table,
  key,
  limit,
  select: `SELECT ${key} AS key, ${time} AS at, ${channel} AS channel, ${kept} AS kept FROM ${table}
    WHERE ${key} > @after ORDER BY ${key} LIMIT ${limit}`,
  needed: channel !== "NULL",
});
/** Ids, and numbers of rows, follow time, so no index on time is needed. */
const inOrder = (...of: Parameters<typeof visited>): SweepQuery => ({ ...visited(...of), inOrder: true });

/** Messages lose their content and keep their ids and keys. `which`: exactly as in an index on `time`. */
const emptied = (time: string, which: string, set: string): SweepQuery => ({
  table: "message",
  key: "id",
  select: `SELECT id AS key, ${time} AS at, channel_id AS channel,
      CASE WHEN direction = 'outbound' AND kind = 'edited' THEN payload END AS edit FROM message
    WHERE ${which} AND ${time} < @before AND coalesce(ack, '') NOT IN ('due','sending') ORDER BY ${time} LIMIT ${BATCH}`,
  set: `payload = NULL, work = NULL, tries = NULL, ack_tries = NULL, ${set}`,
});
const ended = (state: string, set: string): SweepQuery =>
  emptied("updated_at", `state IN ('done','dead') AND payload IS NOT NULL AND state = '${state}'`, set);

/** Messages to keep: not ended, ack not given, recently discarded, or a part of such a message. */
const KEPT = `(state IN ('ready','sending','waiting','held','dead') OR ack IN ('due','sending') OR discarded_at IS NOT NULL
  OR (state = 'carried' AND EXISTS (SELECT 1 FROM message AS album WHERE album.id = message.carrier AND album.payload IS NOT NULL)))`;
const HAS_WORDS = `(payload IS NULL AND state IN ('done','dropped')
  AND (words IS NOT NULL OR EXISTS (SELECT 1 FROM part WHERE part.message_id = message.id AND part.words IS NOT NULL)))`;
/** How much longer events are kept that were not delivered or were refused, ms. */
const UNTOLD_MS = 3 * 86_400_000;

const QUERIES: Record<Exclude<RetentionKind, "notes" | "lasting">, SweepQuery> = {
  settled: ended("done", "album = NULL"),
  delivered: { ...ended("done", "words = NULL, album = NULL"), wordless: true },
  dead: { ...ended("dead", "state = 'dropped', words = NULL, ack = nullif(ack, 'refused')"), wordless: true },
  // Includes delivered messages whose refused ack was discarded.
  discarded: {
    ...emptied("discarded_at", "discarded_at IS NOT NULL", "words = NULL, album = NULL, discarded_at = NULL"),
    wordless: true,
  },
  words: {
    ...visited("message", "id", "updated_at", "NULL", { kept: `NOT ${HAS_WORDS}` }),
    ...{ set: "words = NULL", wordless: true },
  },
  dedupe: inOrder("message", "id", "created_at", "channel_id", { kept: KEPT }),
  audit: inOrder("audit", "id", "at"),
  webhooks: inOrder("raw_webhook", "id", "received_at"),
  journal: inOrder("journal", "position", "created_at", "channel_id"),
  files: inOrder("kept_file", "rowid", "created_at", "channel_id", { limit: FILES }),
  erased: inOrder("erased", "rowid", "at"),
  requests: visited("erasure_request", "rowid", "done_at", "NULL", { kept: "done_at IS NULL" }),
  events: visited("vendor_event", "id", `coalesce(ended_at, created_at + ${UNTOLD_MS})`),
  sessions: visited("web_session", "rowid", "expires_at"),
};

const prefixesOf = (notes: NotePrefix[]): object =>
  Object.assign({}, ...notes.map(({ kind, prefix }, n) => ({ [`kind${n}`]: kind, [`prefix${n}`]: prefix })));

const DAY_MS = 86_400_000;

/** Notes with their own retention are old once that has passed. */
function notesQuery(notes: NotePrefix[]): SweepQuery {
  const expires = notes.map(({ kind }, n) => {
    const begins = `substr(note.key, 1, length(@prefix${n})) = @prefix${n}`;
    return kind === undefined ? begins : `(channel.kind = @kind${n} AND ${begins})`;
  });
  const days = notes.map((note, n) => `WHEN ${expires[n]} THEN ${(note.days ?? 0) * DAY_MS}`);
  return {
    table: "note",
    key: "rowid",
    select: `SELECT note.rowid AS key, note.updated_at + CASE WHEN false THEN 0 ${days.join(" ")} ELSE 0 END AS at,
        NULL AS channel, NOT coalesce(${["false", ...expires].join(" OR ")}, false) AS kept
      FROM note LEFT JOIN channel ON channel.id = note.channel_id
      WHERE note.rowid > @after ORDER BY note.rowid LIMIT ${BATCH}`,
  };
}

interface Row {
  key: number;
  at: number;
  channel: string | null;
  kept?: number | boolean;
  /** The payload of an agent's edit. */
  edit?: string | null;
}

function* sweep(
  { table, key, select, needed, inOrder, set, wordless, limit = BATCH }: SweepQuery,
  values: { before: number; after: number },
  oldestLive: OldestLive,
): Verb<Swept> {
  const { before } = values;
  const rows = yield* all<Row>(select, values);
  const isNeeded = ({ channel, at }: Row) =>
    needed && at >= (oldestLive.get(channel ?? "") ?? Number.POSITIVE_INFINITY);
  const old = rows.filter((row) => row.at < before && !row.kept && !isNeeded(row));
  const act = sql.raw(set ? `UPDATE ${table} SET ${set}` : `DELETE FROM ${table}`);
  const [column, keys] = [sql.raw(key), old.map((row) => row.key)];
  // One statement keeps the transaction short where each costs a round trip.
  if (keys.length > 0) yield* all(sql`${act} WHERE ${column} IN ${keys} RETURNING ${column} AS key`);
  if (wordless && keys.length > 0) yield* forgetWords(old);
  const last = rows.at(-1);
  const isLast = rows.length < limit || !last || (inOrder && last.at >= before);
  return { deleted: old.length, next: isLast ? undefined : last.key };
}

function* forgetWords(rows: Row[]): Verb<void> {
  const ids = rows.map(({ key }) => key);
  yield* all(
    sql`UPDATE part SET words = NULL WHERE message_id IN ${ids} AND words IS NOT NULL RETURNING message_id AS key`,
  );
  for (const { channel, edit = null } of rows)
    if (channel !== null && edit !== null) yield* forgetEdit({ channelId: channel, payload: edit });
}

interface Restored {
  /** When the backup was made, ms, where that is known. */
  madeAt?: number;
  /** Send what was unsent instead of holding it. */
  resend: boolean;
  /** Delivery deadline of what is sent, from now, ms. */
  patienceMs: number;
}

const UNSENT = "direction = 'outbound' AND state IN ('ready','sending','waiting')";
const COUNT = `SELECT count(*) AS count FROM message WHERE ${UNSENT} AND ${OF_MESSAGE}`;
const end = (
  state: string,
) => `UPDATE message SET state = '${state}', head = 0, error_code = 'general', error = @why, updated_at = @now,
  ended_at = @now WHERE ${UNSENT}`;
const HOLD = `${end("held")} AND ${OF_MESSAGE}`;
/** Books the rest as refused: after HOLD only reactions and read marks are left, on which nobody decides. */
const BOOK_REST = `UPDATE tally SET refused = refused + (
    SELECT sum(events) FROM message WHERE message.channel_id = tally.channel_id AND ${UNSENT})
  WHERE channel_id IN (SELECT channel_id FROM message WHERE ${UNSENT})`;
const END_REST = end("dead");
const RESEND = `UPDATE message SET deadline_at = @deadline WHERE ${UNSENT}`;
const AUDIT = "INSERT INTO audit (actor, action, detail, at) VALUES ('operator', 'backup restored', @detail, @now)";

/**
 * Prepares a restored database before a server runs on it. Unsent messages to customers are held for a person, since
 * they may have arrived after the backup; the gateway deduplicates messages and acks. Returns how many are held.
 */
export function* afterRestore(now: number, { madeAt, resend, patienceMs }: Restored): Verb<number> {
  const unsent = (yield* first<{ count: number }>(COUNT))?.count ?? 0;
  const held = resend ? 0 : unsent;
  if (resend) yield* run(RESEND, { deadline: now + patienceMs });
  else {
    const how = { now, why: reason(madeAt) };
    yield* run(HOLD, how);
    yield* run(BOOK_REST, {});
    yield* run(END_REST, how);
  }
  yield* run(AUDIT, { now, detail: JSON.stringify({ madeAt, held, resend }) });
  return held;
}

function reason(madeAt: number | undefined): string {
  const when = madeAt === undefined ? "" : ` of ${new Date(madeAt).toISOString()}`;
  return `restored from a backup${when}: it may have been delivered since`;
}
