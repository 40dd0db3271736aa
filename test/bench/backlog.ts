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

/** Puts so many waiting jobs into the database, evenly over its channels; some lanes are deep. */
export function pileUp(folder: string, jobs: number): void {
  const db = new Sqlite(join(folder, "gangway.db"));
  db.pragma("synchronous = OFF");
  const { channels } = db.prepare("SELECT count(*) AS channels FROM channel").get() as { channels: number };
  const each = Math.ceil(jobs / channels);
  const places = { each, deep: Math.floor(each * DEEP), lane: LANE, chat: chatOf(0) };
  db.prepare(JOBS).run({ ...places, now: Date.now(), inbound, outbound });
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}
