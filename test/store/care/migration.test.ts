import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AccountId, ChannelId } from "../../../src/domain/ids.ts";
import { verifyAll } from "../../../src/store/care/verify.ts";
import type { Source } from "../../../src/store/outbox.ts";
import { openDatabase } from "../../../src/store/sqlite/database/db.ts";
import { handClock } from "../../support/clock.ts";
import { customerSays } from "../../support/events.ts";
import { brokenRows } from "../../support/invariants.ts";
import { storedDatabase } from "../../support/old-database.ts";
import { roomFor } from "../../support/room.ts";
import { changeRows, rowsOf } from "../../support/rows.ts";
import { KEY_RING, takeLease, temporaryFolder, temporaryStore } from "../../support/store.ts";

type Row = Record<string, string | number | null>;
const LIVE = ["ready", "sending", "waiting"];

/** The stored old database, migrated by opening it. */
async function migrated() {
  const folder = temporaryFolder();
  const { sqlite, stored } = storedDatabase(folder);
  sqlite.close();
  const clock = handClock();
  await clock.forward(stored.before.now - clock.now());
  const store = await temporaryStore(clock, folder);
  const { before, rows } = stored;
  const account = before.account as AccountId;
  const [first] = before.channels as [ChannelId];
  const messages = () => rowsOf(folder, ["message"]).message as Row[];
  return { folder, store, clock, before, rows, account, first, messages };
}
type Stored = Awaited<ReturnType<typeof migrated>>;

const work = ({ rows }: Pick<Stored, "rows">) =>
  (rows.job ?? []).filter(({ direction, state }) => direction !== "ack" && state !== "replayed");
const byLane = (rows: Row[], lane: (row: Row) => string, order: string) =>
  rows.sort((a, b) => lane(a).localeCompare(lane(b)) || Number(a[order]) - Number(b[order]));

/** Runs the migration's statements in one transaction, says when all but the commit is done, and waits. */
const SLOW = `
  const { readFileSync } = require("node:fs");
  const db = require("better-sqlite3")(process.argv[1] + "/gangway.db");
  db.pragma("cache_size = -100");
  db.exec("BEGIN");
  for (const statement of readFileSync("migrations/sqlite/0014_one_row.sql", "utf8").split("--> statement-breakpoint")) db.exec(statement);
  console.log("all but the commit");
  setInterval(() => {}, 1000);
`;

const KEPT = ["state", "head", "known", "attempts", "unsure", "crashes", "run_at", "deadline_at", "fence", "events"];
const kept = (row: Row) => Object.fromEntries(KEPT.map((name) => [name, row[name] ?? null]));

it("keeps all work once, in its lane's order, under its key", async () => {
  const { rows, messages } = await migrated();
  const old = byLane(work({ rows }), ({ lane }) => String(lane), "id");
  const lane = ({ channel_id, direction, chat }: Row) => `${channel_id}/${direction}/${chat}`;
  const now = byLane(
    messages().filter(({ payload }) => payload !== null),
    lane,
    "position",
  );
  expect(now.map((row) => ({ key: row.id, lane: lane(row), ...kept(row) }))).toEqual(
    old.map((row) => ({ key: row.origin ?? row.id, lane: row.lane, ...kept(row) })),
  );
  expect(now.map(({ work }) => work)).toEqual(old.map(({ work }) => work ?? null));
  const subject = ({ payload, direction }: Row) => {
    const text = String(payload);
    return text.endsWith("}") ? JSON.parse(text)[direction === "inbound" ? "event" : "act"] : text;
  };
  const content = ({ payload }: Row) => (String(payload).endsWith("}") ? JSON.parse(String(payload)) : payload);
  expect(now.map(content)).toEqual(old.map(subject));
});

it("keeps progress and doubt", async () => {
  const { rows, messages } = await migrated();
  const doubted = work({ rows }).flatMap(({ id, work }) => {
    const since = work && JSON.parse(String(work)).progress.since;
    return since ? [[id, since]] : [];
  });
  expect(doubted).toHaveLength(1);
  expect(messages().flatMap(({ id, doubt_at }) => (doubt_at === null ? [] : [[id, doubt_at]]))).toEqual(doubted);
});

it("knows every key, and accepts no repeat", async () => {
  const { store, rows, account, first } = await migrated();
  for (const { channel_id, source, dedupe_key } of rows.inbox ?? [])
    expect(await store.outbox.unknown(channel_id as ChannelId, source as Source, [String(dedupe_key)])).toEqual([]);
  const channel = (await store.channels.byId(account, first)) ?? expect.fail("no channel");
  const events = (rows.inbox ?? [])
    .filter(({ channel_id, source }) => channel_id === first && source === "messenger")
    .map(({ dedupe_key }) => ({ ...customerSays(String(dedupe_key)), key: String(dedupe_key) }));
  expect(await store.outbox.acceptInbound(channel, { events })).toBe(0);
});

it("finds every message by its ids, and every chat", async () => {
  const { store, before, rows, first } = await migrated();
  for (const [id, was] of Object.entries(before.ids)) {
    const [gatewayId, parts, head, current] = await Promise.all([
      store.messages.gatewayId(first, id as never),
      store.messages.parts(first, id as never),
      store.messages.head(first, id as never),
      store.messages.current(first, id as never),
    ]);
    expect({ id, gatewayId: gatewayId ?? null, parts, head, current }).toEqual({ id, ...was });
  }
  for (const { channel_id, gateway_chat } of rows.message ?? [])
    expect(await store.messages.knowsChat(channel_id as ChannelId, gateway_chat as never)).toBe(true);
});

it("keeps the ledger, and breaks no rule but that of the row that was damaged before", async () => {
  const { folder, store, before, account } = await migrated();
  expect(await store.ledger(account)).toEqual(before.ledger);
  await store.close();
  expect(brokenRows(folder).filter((fault) => !fault.startsWith("a message whose payload is no JSON"))).toEqual([]);
  const { sqlite, close } = openDatabase(folder);
  const faults = verifyAll({ sqlite, ring: KEY_RING, files: folder }).flatMap(({ faults }) => faults);
  close();
  expect(faults).toEqual(["message 50 (ready) cannot be read"]);
});

it("gives the acks that are owed, and lists those that were refused", async () => {
  const { store, rows, account, first } = await migrated();
  const lane = ({ lane, channel_id }: Row) => String(lane).slice(String(channel_id).length + "/ack/".length);
  const acks = (rows.job ?? []).filter(({ direction }) => direction === "ack");
  const owed = acks.filter(({ state, payload }) => LIVE.includes(String(state)) && String(payload).startsWith("{"));
  const lease = await takeLease(store, account, "test");
  const jobs = [...(await store.outbox.takeOver(lease)), ...(await store.outbox.claim(lease, roomFor(99)))];
  const given = jobs.flatMap(({ task }) => (task.direction === "ack" ? [task.ack.gatewayMessageId] : []));
  expect(given.sort()).toEqual(owed.map(lane).sort());
  for (const job of jobs.filter(({ direction }) => direction === "ack"))
    expect(await store.outbox.done(job, {})).toBe(true);
  const refused = (await store.outbox.ended(account, 99)).filter(({ direction }) => direction === "ack");
  // The content of one was damaged.
  expect(refused.length).toBe(acks.filter(({ state }) => state === "dead").length + 1);
  // Retention had removed its message's job: it keeps its own id.
  expect(refused.map(({ id }) => Number(id))).toContain(36);
  const { acks: ledger } = (await store.ledger(account)).find(({ channelId }) => channelId === first) ?? {};
  expect(ledger).toMatchObject({ waiting: 0, hole: 0 });
});

it("needs room on the disk, says how much, and leaves the old tables without it", async () => {
  const folder = temporaryFolder();
  const { sqlite } = storedDatabase(folder);
  sqlite.close();
  const before = rowsOf(folder);
  const statfs = () => ({ bavail: 100, bsize: 1024 });
  expect(() => openDatabase(folder, { statfs })).toThrow(
    /MiB must be free on its disk, and 0 MiB are: free some space/,
  );
  expect(rowsOf(folder)).toEqual(before);
});

it("leaves the old tables when it is killed in the middle, and the next start migrates", async () => {
  const folder = temporaryFolder();
  const { sqlite } = storedDatabase(folder);
  // Enough that the log is on the disk before the transaction ends.
  sqlite.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO inbox (channel_id, source, dedupe_key, received_at) SELECT (SELECT id FROM channel), 'gateway', 'bulk:' || i, i FROM n`);
  sqlite.close();
  const log = join(folder, "gangway.db-wal");
  const before = rowsOf(folder);
  const child = spawn(process.execPath, ["-e", SLOW, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  expect(statSync(log).size).toBeGreaterThan(1_000_000);
  child.kill("SIGKILL");
  await ended;
  expect(rowsOf(folder)).toEqual(before);
  openDatabase(folder).close();
  const { message, inbox } = rowsOf(folder);
  expect(inbox).toBeUndefined();
  expect(message?.filter(({ dedupe_key }) => String(dedupe_key).startsWith("bulk:"))).toHaveLength(20_000);
});

it("refuses the tables of a newer version in words", async () => {
  const folder = temporaryFolder();
  await (await temporaryStore(undefined, folder)).close();
  changeRows(folder, "UPDATE __drizzle_migrations SET created_at = created_at + 9e12");
  expect(() => openDatabase(folder)).toThrow(
    "is from a newer version of Gangway than this program: start that version",
  );
});

it("lets older versions refuse in words: they insert their count of starts", async () => {
  const folder = temporaryFolder();
  await (await temporaryStore(undefined, folder)).close();
  const start = "INSERT OR REPLACE INTO meta (key, value) VALUES ('starts', '9')";
  expect(() => changeRows(folder, start)).toThrow("the database is from a newer version of Gangway");
});
