import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Client } from "pg";
import { numbered } from "#product/store/postgres/database/engine";
import { chatOf } from "./webhooks.ts";

/** This share of an account's waiting jobs is in one lane; the others are in lanes of ten. */
const DEEP = 0.25;
const LANE = 10;

const inbound = JSON.stringify({
  ...{ type: "message", key: "update:#id", chat: "#chat", messengerMessageId: "#chat:#id", at: 1_790_000_000_000 },
  originator: "customer",
  customer: { id: "#chat", nickname: "Ana Lima", firstName: "Ana", lastName: "Lima", language: "pt" },
  content: { type: "text", text: "Hello! Is the blue rope of twelve millimetres in stock?" },
});
const outbound = JSON.stringify({
  ...{ type: "message", gatewayMessageId: "#id", chat: "#chat", suggestions: [] },
  content: { type: "text", text: "It is, and it takes four days to Porto." },
  author: { name: "Olga Serova", bot: false },
});

/** `n` counts from 0 within an account; `head` marks a lane's first job. Lanes alternate in direction. */
const LANES = `
  WITH RECURSIVE
    numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @each),
    positions AS (SELECT n,
      CASE WHEN n < @deep THEN 0 ELSE 1 + (n - @deep) / @lane END AS lane,
      CASE WHEN n = 0 OR (n >= @deep AND (n - @deep) % @lane = 0) THEN 1 ELSE 0 END AS head FROM numbers),
    owners AS (SELECT id AS channel, account_id AS account, row_number() OVER () AS number FROM channel)`;
const JOBS = `${LANES}
  INSERT INTO message (account_id, channel_id, direction, kind, chat, position, head, state, run_at, deadline_at, payload, events,
    created_at, updated_at)
  SELECT account, channel, direction, 'message', chat, number * 10000000 + n, head, 'ready', CAST(@now AS bigint),
    CAST(@now AS bigint) + 3600000, replace(replace(CASE direction WHEN 'inbound' THEN @inbound ELSE @outbound END, '#chat', chat),
      '#id', CAST(number * 10000000 + n AS text)), 1, CAST(@now AS bigint), CAST(@now AS bigint)
  FROM (SELECT n, head, account, channel, number, CAST(@chat + lane AS text) AS chat,
      CASE lane % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END AS direction FROM positions, owners) AS jobs`;

/** Delivered messages, kept for later look-ups. */
const SETTLED = `
  WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @each)
  INSERT INTO message (account_id, channel_id, direction, kind, chat, position, state, run_at, deadline_at, payload, created_at, updated_at)
  SELECT account_id, id, 'inbound', 'message', @chat, n, 'done', @now, @now, @payload, @now, @now
  FROM channel CROSS JOIN numbers`;

function backlog(jobs: number, channels: number) {
  const each = Math.ceil(jobs / channels);
  const lanes = { each, deep: Math.floor(each * DEEP), lane: LANE, chat: chatOf(0) };
  return { ...lanes, now: Date.now(), inbound, outbound };
}

/** Adds waiting jobs, spread evenly over the channels; some lanes are deep. */
export function addBacklog(folder: string, jobs: number): void {
  fill(folder, (db, channels) => void db.prepare(JOBS).run(backlog(jobs, channels)));
}

/** The same in PostgreSQL, whose statistics know of it. */
export async function addBacklogTo(connectionString: string, jobs: number, channels: number): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(numbered(JOBS, backlog(jobs, channels)));
  await client.query("VACUUM ANALYZE message");
  await client.end();
}

/** Messages delivered from either side, with the ids that later edits and quotes look up. */
const STORED = `
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @each)
  INSERT INTO message (account_id, channel_id, direction, kind, chat, dedupe_key, events, gateway_message_id, messenger_message_id,
    position, state, run_at, deadline_at, payload, created_at, updated_at)
  SELECT account_id, id, CASE n % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END, 'message', @chat + n % @chats, 'seed:' || n, 1, 'g' || n,
    'm' || n, n, 'done', @now, @now, @payload, @now, @now
  FROM channel CROSS JOIN numbers`;

/** Adds delivered messages, spread evenly over the channels and chats. */
export function addStored(folder: string, messages: number, chats: number): void {
  fill(folder, (db, channels) => {
    const each = Math.ceil(messages / channels);
    db.prepare(STORED).run({ each, chats, chat: chatOf(0), now: Date.now(), payload: inbound });
  });
}

/** Fills the database to at least `mebibytes` with delivered messages. */
export function addSettled(folder: string, mebibytes: number): void {
  const payload = inbound.replaceAll("#chat", String(chatOf(0))).replace("Hello!", "Hello! ".repeat(500));
  fill(folder, (db, channels) => {
    const each = Math.ceil((mebibytes * 1024 ** 2) / payload.length / channels);
    db.prepare(SETTLED).run({ each, chat: chatOf(0), now: Date.now(), payload });
  });
}

/** Messages that were not delivered, by turns to the customer and to the CRM, for the reasons that a messenger gives. */
const FAILED = `
  WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @each)
  INSERT INTO message (account_id, channel_id, direction, kind, chat, position, state, payload, error_code, error, created_at, updated_at)
  SELECT account_id, id, CASE n % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END, 'message', @chat + n % @chats, n, 'dead',
    CASE n % 2 WHEN 0 THEN @inbound ELSE @outbound END,
    CASE n % 3 WHEN 0 THEN 'general' WHEN 1 THEN 'access_restricted' ELSE 'reply_timed_out' END,
    'the messenger refused it', @now, @now
  FROM channel CROSS JOIN numbers`;

/** Adds undelivered messages, spread evenly over the channels and chats. */
export function addFailed(folder: string, messages: number, chats: number): void {
  fill(folder, (db, channels) => {
    const each = Math.ceil(messages / channels);
    db.prepare(FAILED).run({ each, chats, chat: chatOf(0), now: Date.now(), inbound, outbound });
  });
}

function fill(folder: string, work: (db: Sqlite.Database, channels: number) => void): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.pragma("synchronous = OFF");
  const { channels } = db.prepare("SELECT count(*) AS channels FROM channel").get() as { channels: number };
  work(db, channels);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}
