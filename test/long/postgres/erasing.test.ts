import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { byUser } from "../../../src/store/care.ts";
import { erasureStore } from "../../../src/store/erasing/erasure.ts";
import { postgresErasingEngine } from "../../../src/store/postgres/care/erasing.ts";
import { connect } from "../../../src/store/postgres/database/connection.ts";
import { postgresEngine } from "../../../src/store/postgres/database/engine.ts";
import { createSealer } from "../../../src/store/secrets.ts";
import { handClock } from "../../support/clock.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, chatOf, customerSays } from "../../support/events.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, KEY_RING, takeLease } from "../../support/store.ts";
import { tracesInDatabase, withoutTraces } from "../../support/traces.ts";
import { until } from "../../support/until.ts";

const ERASED = byUser("customer erased");
const PATIENCE = 3_600_000;
const EXPIRING = [{ prefix: "said:" }];
const WORDS = ["ann4711", "ann's words"];
const ANN = { chat: "ann4711" as ChatId, customer: "ann4711" as CustomerId };

/** Two processes on a database in which Ann and Bob have written; the second works for the account. */
async function setUp(messages = 5) {
  const clock = handClock();
  const url = await databaseWithTables();
  const open = () => postgresStore(url, clock, { erasableNotes: EXPIRING });
  const [first, second] = [await open(), await open()];
  const account = await addAccount(first);
  const channel = await addChannel(first, account);
  const say = (chat: string, n: number) => {
    const event = customerSays(`${chat}-${n}`, `${chat.slice(0, 3)}'s words`, chat);
    return first.outbox.acceptInbound(channel, {
      events: [event],
      raw: () => ({ path: "", headers: {}, body: JSON.stringify(event) }),
      journal: [{ chat, key: event.key, entry: event }],
      notes: [{ key: `said:${chat}:${n}`, value: `${chat.slice(0, 3)}'s words` }],
    });
  };
  for (let n = 0; n < messages; n++) await say("ann4711", n);
  const lease = await takeLease(second, account.id);
  const jobs = await second.outbox.claim(lease, roomFor(1));
  await say("bob4712", 1);
  const person = { channelId: channel.id, ...ANN };
  return { url, clock, open, first, second, account, channel, lease, jobs, person };
}

/** A process whose transactions fail from the given one on. `pauses`: of an erasure that an older transaction holds up. */
async function dyingProcess(
  url: string,
  clock: ReturnType<typeof handClock>,
  lastWrite: number,
  more: { pauses?: number[] } = {},
) {
  const pool = await connect(url, () => undefined);
  const sealer = createSealer(KEY_RING);
  const engine = postgresEngine(pool, { sealer });
  let writes = 0;
  const dying: typeof engine = {
    ...engine,
    write: (work, how) => (writes++ < lastWrite ? engine.write(work, how) : Promise.reject(new Error("killed"))),
  };
  const notifier = { onErased: () => undefined };
  const erasingEngine = postgresErasingEngine({ pool, engine: dying, notifier, ...more });
  onTestFinished(() => pool.end());
  return {
    pool,
    erasure: erasureStore({ erasingEngine, sealer, clock, notes: EXPIRING }),
    erasingEngine,
    writes: () => writes,
  };
}

const holes = async (store: Awaited<ReturnType<typeof postgresStore>>) =>
  (await store.ledger()).filter(({ hole, acks }) => hole !== 0 || acks.hole !== 0);

describe("an erasure that a process on PostgreSQL has begun", () => {
  it("waits for no program that holds rows of another customer", async () => {
    const { url, first, account, channel, person } = await setUp();
    const console = new Client({ connectionString: url });
    await console.connect();
    onTestFinished(() => console.end());
    await console.query("BEGIN");
    await console.query("UPDATE message SET tries = tries WHERE channel_id = $1 AND chat = 'bob4712'", [channel.id]);
    expect(await first.erasure.customer(account.id, person, ERASED)).toMatchObject({ messages: 5 });
    await console.query("ROLLBACK");
    expect(await holes(first)).toEqual([]);
  });

  it("is in force in the others from its first transaction on, and another finishes it", async () => {
    const { url, clock, second, account, channel, lease, jobs, person } = await setUp();
    let told = 0;
    second.erasure.onErased(() => {
      told += 1;
    });
    const { erasure } = await dyingProcess(url, clock, 1);
    await expect(erasure.customer(account.id, person, ERASED)).rejects.toThrow("killed");
    await until("word of the erasure", () => told > 0);
    expect(await second.outbox.revoked(jobs)).toEqual(jobs);
    // What is left says whom it is about only under its seal.
    expect(JSON.stringify(await command(url, "SELECT * FROM erasure"))).not.toContain("4711");
    const [job] = jobs;
    if (!job) throw new Error("nothing was under way");
    const id = "late" as MessengerMessageId;
    const note = { ...customerSays("n", "", "ann4711"), type: "note" as const, text: "ann's words" };
    const parts = [{ messengerMessageId: id, holds: "text" as const, words: "ann's words" }];
    expect(await second.outbox.done(job, { parts, note })).toBe(false);
    expect(await second.outbox.failed(job, { state: "dead", code: "general" }, "refused")).toBe(false);
    expect(await second.outbox.postponed(job, 0)).toBe(false);
    expect(await second.outbox.callStarted(job)).toBe(false);
    const next = await second.outbox.claim(lease, roomFor(10));
    expect(next.map(chatOf)).toEqual(["bob4712"]);
    const again = customerSays("ann4711-1", "ann's words", "ann4711");
    const arrival = { events: [again], journal: [{ chat: "ann4711", key: "late", entry: "ann's words" }] };
    expect(await second.outbox.acceptInbound(channel, arrival)).toBe(0);
    const act = agentSays("2", "ann's words", "ann4711");
    const late = { key: "o:2", act, patienceMs: PATIENCE, toKnown: true };
    expect(await second.outbox.acceptOutbound(channel, late)).toBe(false);
    await second.journal.append(channel.id, [{ chat: "ann4711", key: "late", entry: "ann's words" }]);
    await second.notes.set(channel.id, [{ key: "said:ann4711:late", value: "ann's words" }]);
    expect(await second.journal.under(channel.id, "ann4711", "late")).toEqual([]);
    expect(await second.notes.get(channel.id, "said:ann4711:late")).toBeUndefined();
    // A new message begins a new conversation, which the rest of the erasure leaves alone.
    const anew = customerSays("ann4711-new", "hello again", "ann4711");
    await second.outbox.acceptInbound(channel, { events: [anew] });
    expect(await second.erasure.resume()).toMatchObject([{ messages: 5 }]);
    await withoutTraces(second);
    expect(await tracesInDatabase(url, ["ann's words"])).toEqual([]);
    expect(await second.messages.knowsChat(channel.id, ANN.chat)).toBe(true);
    expect(await second.outbox.claim(lease, roomFor(10))).toMatchObject([
      { task: { event: { content: { text: "hello again" } } } },
    ]);
    expect(await holes(second)).toEqual([]);
  });

  it("of an account takes it from its holder, whose results are recorded no more", async () => {
    const { url, clock, second, account, channel, lease, jobs } = await setUp();
    await second.vendorEvents.listen(true);
    await second.accounts.setActivity(account.id, { active: false, frozen: false }, PATIENCE);
    expect(await second.vendorEvents.list(9)).toHaveLength(1);
    await second.shared?.remembered.set(account.id, "name", "text", PATIENCE);
    expect(await second.shared?.sharedPermits.enter(account.id, 1, PATIENCE)).toBeDefined();
    const { erasure } = await dyingProcess(url, clock, 1);
    await expect(erasure.account(account.id, ERASED)).rejects.toThrow("killed");
    expect(await second.outbox.revoked(jobs)).toEqual(jobs);
    for (const table of ["guest_call", "remembered", "vendor_event"])
      expect([table, await command(url, `SELECT * FROM ${table}`)]).toEqual([table, []]);
    for (const job of jobs) expect(await second.outbox.done(job, {})).toBe(false);
    expect(await second.outbox.claim(lease, roomFor(10)).catch(() => [])).toEqual([]);
    expect(await second.outbox.endOverdue(() => ({}))).toBe(0);
    expect(await second.erasure.goneChannels()).toEqual([channel.id]);
    expect(await second.outbox.acceptInbound(channel, { events: [customerSays("new", "hello", "cid4713")] })).toBe(0);
    expect(await second.erasure.resume()).toMatchObject([{ messages: 6 }]);
    await withoutTraces(second);
    expect(await tracesInDatabase(url, [...WORDS, "bob's words", account.id])).toEqual([]);
  });

  it("is carried on by one process at a time, and by the next when that one dies", async () => {
    const { url, clock, second, account, person } = await setUp();
    const { erasure, erasingEngine } = await dyingProcess(url, clock, 1);
    await expect(erasure.customer(account.id, person, ERASED)).rejects.toThrow("killed");
    const [row] = await command(url, "SELECT id FROM erasure");
    await erasingEngine.alone(`${row?.id}`, async () => {
      expect(await second.erasure.resume()).toEqual([]);
      expect(await command(url, "SELECT id FROM erasure")).toHaveLength(1);
    });
    const dying = erasingEngine.alone(`${row?.id}`, () => Promise.reject(new Error("died")));
    await expect(dying).rejects.toThrow("died");
    expect(await second.erasure.resume()).toMatchObject([{ messages: 5 }]);
  });

  it("is finished wherever it was interrupted, and counted once", async () => {
    const made = await setUp(1);
    const { url, clock, second, account, person, channel } = made;
    for (let killedAt = 1, isDone = false; !isDone; killedAt++) {
      const { erasure } = await dyingProcess(url, clock, killedAt);
      const how = await erasure.customer(account.id, person, ERASED).catch((error: Error) => error.message);
      isDone = how !== "killed";
      const left = await command(url, "SELECT id FROM erasure");
      // Whoever has just died may have its last transaction open for a moment.
      const rest = left.map(() => expect.objectContaining({ messages: 1, gone: expect.any(Boolean) }));
      expect(await second.erasure.resume()).toEqual(rest);
      await withoutTraces(second);
      expect([killedAt, await tracesInDatabase(url, ["ann's words"])]).toEqual([killedAt, []]);
      const [entry] = await second.audit.list({ limit: 1 });
      expect(entry).toMatchObject({ action: "customer erased", detail: { messages: 1 } });
      const event = customerSays(`again-${killedAt}`, "ann's words", "ann4711");
      await second.outbox.acceptInbound(channel, {
        events: [event],
        journal: [{ chat: "ann4711", key: event.key, entry: event }],
      });
    }
    expect(await holes(second)).toEqual([]);
  });
});

it("what another process is storing when an erasure begins on PostgreSQL is erased, or not stored", async () => {
  const { url, first, second, account, channel, person } = await setUp(1);
  for (let n = 0; n < 5; n++) {
    const entry = { chat: "ann4711", key: `race-${n}`, entry: "ann's words" };
    const body = new Blob(["ann's words"]).stream() as ReadableStream<Uint8Array>;
    const file = { body, name: "ann's words", mediaType: "text/plain" };
    await Promise.all([
      second.notes.set(channel.id, [{ key: `said:ann4711:race-${n}`, value: "ann's words" }]),
      second.journal.append(channel.id, [entry]),
      second.keptFiles.keep(channel.id, file, 100, () => new Error("too large"), { chat: "ann4711" as ChatId }),
      first.erasure.customer(account.id, person, ERASED),
    ]);
    await withoutTraces(first);
    expect([n, await tracesInDatabase(url, ["ann's words"])]).toEqual([n, []]);
    await first.outbox.acceptInbound(channel, { events: [customerSays(`again-${n}`, "ann's words", "ann4711")] });
  }
});

/** A transaction that still needs whatever is deleted from now on. */
async function readerOf(url: string): Promise<Client> {
  const reader = new Client({ connectionString: url });
  await reader.connect();
  onTestFinished(() => reader.end());
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query("SELECT count(*) FROM message");
  return reader;
}
const VACUUMED = "SELECT vacuum_count AS times FROM pg_stat_user_tables WHERE relname = 'erasure_request'";
const SESSIONS = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend'`;

describe("dead rows on PostgreSQL", () => {
  it("are there as long as an older transaction reads, which the answer says, and go after it", async () => {
    const { url, open, first, second, account, person } = await setUp();
    const reader = await readerOf(url);
    expect(await first.erasure.customer(account.id, person, ERASED)).toMatchObject({ messages: 5, gone: false });
    // It has looked again for one that ends soon.
    expect(await command(url, VACUUMED)).toEqual([{ times: expect.toSatisfy((times: number) => times > 1) }]);
    expect(await first.erasure.removeTraces()).toBe(false);
    await reader.query("COMMIT");
    // A session may count what it deleted only when it ends.
    for (const store of [first, second]) await store.close();
    await reader.end();
    await until("the sessions' ends", async () => (await command(url, SESSIONS)).length === 0);
    const third = await open();
    await withoutTraces(third);
    const dead = "SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE relname IN ('journal','note','erasure')";
    for (const row of await command(url, dead)) expect(row).toMatchObject({ n_dead_tup: 0 });
  });

  it("go in the same answer when the older transaction ends soon after", async () => {
    const { url, clock, account, person } = await setUp();
    const pauses = Array<number>(2_000).fill(50);
    const { erasure } = await dyingProcess(url, clock, Number.POSITIVE_INFINITY, { pauses });
    const reader = await readerOf(url);
    const answer = erasure.customer(account.id, person, ERASED);
    await until("VACUUM", async () => ((await command(url, VACUUMED))[0]?.times as number) > 0);
    await reader.query("COMMIT");
    expect(await answer).toMatchObject({ messages: 5, gone: true });
  });

  it("leave no samples of theirs in the statistics, not even of a table that is empty now", async () => {
    const { url, first, account, channel, person } = await setUp(60);
    await first.erasure.customer(account.id, { channelId: channel.id, chat: "bob4712" as ChatId }, ERASED);
    await command(url, "ANALYZE");
    expect((await tracesInDatabase(url, WORDS)).filter((found) => found.endsWith("pg_stats"))).not.toEqual([]);
    await first.erasure.customer(account.id, person, ERASED);
    await withoutTraces(first);
    expect(await tracesInDatabase(url, WORDS)).toEqual([]);
  });

  it("leave none of a table that was empty, and has a row again by the time they are looked for", async () => {
    const { url, clock, first, account, channel, person } = await setUp(60);
    await first.erasure.customer(account.id, { channelId: channel.id, chat: "bob4712" as ChatId }, ERASED);
    await command(url, "ANALYZE");
    const { pool, erasure } = await dyingProcess(url, clock, Number.POSITIVE_INFINITY);
    let rows = 0;
    const known = new WeakSet<object>();
    pool.on("acquire", (client) => {
      if (known.has(client)) return;
      known.add(client);
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      const patched = async (...given: unknown[]) => {
        const answer = await query(...given);
        if (!/^VACUUM \(ANALYZE.*"journal"$/.test(`${given[0]}`)) return answer;
        rows += 1;
        await first.journal.append(channel.id, [{ chat: "cleo", key: `${rows}`, entry: "hello" }]);
        return answer;
      };
      Object.assign(client, { query: patched });
    });
    expect(await erasure.customer(account.id, person, ERASED)).toMatchObject({ gone: true });
    expect([rows, await tracesInDatabase(url, WORDS)]).toEqual([1, []]);
  });
});
