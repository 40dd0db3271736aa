import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { chatOf } from "./webhooks.ts";

/** Of an account's waiting jobs this share stands in one lane; the others stand in lanes of ten. */
const DEEP = 0.25;
const LANE = 10;

const inbound = JSON.stringify({
  direction: "inbound",
  event: {
    ...{ type: "message", key: "update:@id", chat: "@chat", messengerMessageId: "@chat:@id", at: 1_790_000_000_000 },
    originator: "customer",
    customer: { id: "@chat", nickname: "Ana Lima", firstName: "Ana", lastName: "Lima", language: "pt" },
    content: { type: "text", text: "Hello! Is the blue rope of twelve millimetres in stock?" },
  },
});
const outbound = JSON.stringify({
  direction: "outbound",
  act: {
    ...{ type: "message", gatewayMessageId: "@id", chat: "@chat", suggestions: [] },
    content: { type: "text", text: "It is, and it takes four days to Porto." },
    author: { name: "Olga Serova", bot: false },
  },
});

/** `n` counts from 0 within an account; its lane, and whether it is the first there. Lanes take turns in direction. */
const LANES = `
  WITH RECURSIVE
    numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @each),
    places AS (SELECT n,
      CASE WHEN n < @deep THEN 0 ELSE 1 + (n - @deep) / @lane END AS lane,
      CASE WHEN n < @deep THEN n = 0 ELSE (n - @deep) % @lane = 0 END AS head FROM numbers),
    owners AS (SELECT id AS channel, account_id AS account, row_number() OVER () AS number FROM channel)`;
const JOBS = `${LANES}
  INSERT INTO job (account_id, channel_id, direction, lane, head, state, run_at, deadline_at, payload, events, created_at, updated_at)
  SELECT account, channel, direction, channel || '/' || direction || '/' || chat, head, 'ready', @now, @now + 3600000,
    replace(replace(CASE direction WHEN 'inbound' THEN @inbound ELSE @outbound END, '@chat', chat), '@id', number * 10000000 + n), 1, @now, @now
  FROM (SELECT n, head, account, channel, number, @chat + lane AS chat,
      CASE lane % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END AS direction FROM places, owners)`;

/** Long ago settled, and kept for those who ask later. */
const SETTLED = `
  WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @each)
  INSERT INTO job (account_id, channel_id, direction, lane, head, state, run_at, deadline_at, payload, created_at, updated_at)
  SELECT account_id, id, 'inbound', id || '/inbound/' || @chat, 0, 'done', @now, @now, @payload, @now, @now
  FROM channel CROSS JOIN numbers`;

/** Puts so many waiting jobs into the database, evenly over its channels; some lanes are deep. */
export function pileUp(folder: string, jobs: number): void {
  fill(folder, (db, channels) => {
    const each = Math.ceil(jobs / channels);
    const places = { each, deep: Math.floor(each * DEEP), lane: LANE, chat: chatOf(0) };
    db.prepare(JOBS).run({ ...places, now: Date.now(), inbound, outbound });
  });
}

/** Makes the database at least so large, with messages that were delivered. */
export function pileUpSettled(folder: string, mebibytes: number): void {
  const payload = inbound.replaceAll("@chat", String(chatOf(0))).replace("Hello!", "Hello! ".repeat(500));
  fill(folder, (db, channels) => {
    const each = Math.ceil((mebibytes * 1024 ** 2) / payload.length / channels);
    db.prepare(SETTLED).run({ each, chat: chatOf(0), now: Date.now(), payload });
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
