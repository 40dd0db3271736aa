import { createClock } from "gangway-messenger/clock";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { postgresStore } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { command, databaseWithTables } from "../../../support/postgres.ts";
import { seeded } from "../../../support/random.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

/** Two processes on one database; the first holds the account's lease. */
async function twoStores() {
  const url = await databaseWithTables();
  const [one, two] = [await postgresStore(url), await postgresStore(url)];
  const account = await addAccount(one);
  const channel = await addChannel(one, account);
  const lease = await takeLease(one, account.id);
  const say = (store: typeof one, id: string, chat = "a") =>
    store.outbox.acceptInbound(channel, { events: [customerSays(id, id, chat)] });
  const claim = () => one.outbox.claim(lease, roomFor(100));
  return { url, one, two, account, channel, lease, say, claim };
}

const GONE = { at: 0, error: { code: "general" as const, message: "no longer there" } };

/** The accounts of which other processes are told that they have work, so far. */
async function hearing(url: string): Promise<() => string[]> {
  const ear = new Client({ connectionString: url });
  await ear.connect();
  onTestFinished(() => ear.end());
  const told: string[] = [];
  // A trigger, which names nobody, tells of changed rows.
  ear.on("notification", ({ payload = "" }) => payload.startsWith(" ") || told.push(...payload.split(" ").slice(1)));
  await ear.query("LISTEN gangway");
  return () => told;
}

/** Lanes without their one head, which is the oldest. */
const BROKEN = `SELECT chat FROM message WHERE state IN ('ready','sending','waiting') GROUP BY channel_id, direction, chat
  HAVING sum(head) <> 1 OR min(position) <> max(CASE WHEN head = 1 THEN position END)`;

describe("two processes that accept into one lane", () => {
  it("keep its order, and one head", async () => {
    const { url, one, two, say, claim } = await twoStores();
    const each = async (store: typeof one, name: string) => {
      for (let n = 0; n < 10; n++) await say(store, `${name}${n}`);
    };
    await Promise.all([each(one, "one "), each(two, "two ")]);
    expect(await command(url, BROKEN)).toEqual([]);
    await one.outbox.refresh();
    const delivered: string[] = [];
    for (let n = 0; n < 20; n++) {
      const [job, ...others] = (await claim()) as [Job];
      expect(others).toEqual([]);
      if (job.task.direction === "inbound") delivered.push(job.task.event.key);
      expect(await one.outbox.done(job, {})).toBe(true);
    }
    for (const name of ["one ", "two "]) {
      const own = delivered.filter((key) => key.startsWith(name));
      expect(own).toEqual(Array.from({ length: 10 }, (_, n) => `${name}${n}`));
    }
  });

  it("store each event once, whoever gets it", async () => {
    const { one, two, say, account } = await twoStores();
    const twice = Array.from({ length: 40 }, (_, n) => [say(one, `${n}`, `${n % 7}`), say(two, `${n}`, `${n % 7}`)]);
    const added = await Promise.all(twice.flat());
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(await one.ledger(account.id)).toMatchObject([{ accepted: 40, waiting: 40, hole: 0 }]);
  });

  it("never wait for each other in a circle", async () => {
    const { url, one, two, claim, say } = await twoStores();
    const { int } = seeded(3);
    const groups = Array.from({ length: 50 }, async (_, n) => {
      for (let m = 0; m < 8; m++) await say(n % 2 ? one : two, `${n} ${m}`, `chat ${int(12)}`);
    });
    const ends = (async () => {
      for (let n = 0; n < 20; n++) for (const job of await claim()) await one.outbox.done(job, {});
    })();
    await Promise.all([...groups, ends]);
    expect(await command(url, BROKEN)).toEqual([]);
    expect(
      await command(url, "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()"),
    ).toEqual([{ deadlocks: 0 }]);
    expect(await one.ledger()).toMatchObject([{ accepted: 400, hole: 0 }]);
  });
});

describe("the holder of a lease", () => {
  it("records nothing once another has taken it over", async () => {
    const { one, two, account, lease, say, claim } = await twoStores();
    await say(one, "a");
    await say(one, "b", "b");
    const [job, other] = (await claim()) as [Job, Job];
    await one.leases.release([lease]);
    const next = await takeLease(two, account.id);
    expect(await two.outbox.takeOver(next)).toHaveLength(2);
    expect(await one.outbox.done(job, {})).toBe(false);
    expect(await one.outbox.failed(other, { state: "dead", code: "general" }, "no")).toBe(false);
    expect(await one.outbox.postponed(other, 0)).toBe(false);
    await expect(one.outbox.claim(lease, roomFor(1))).resolves.toEqual([]);
    expect(await one.ledger(account.id)).toMatchObject([{ accepted: 2, waiting: 2, delivered: 0, hole: 0 }]);
  });

  it("gives nothing to who has lost it, however due", async () => {
    const { one, two, account, lease, say } = await twoStores();
    await say(one, "a");
    await one.leases.release([lease]);
    const next = await takeLease(two, account.id);
    await expect(one.outbox.claim(lease, roomFor(1))).rejects.toThrow("another process has the account");
    expect(await two.outbox.claim(next, roomFor(1))).toHaveLength(1);
  });

  it("is told of what others accept, and finds what it was not told of at the next sweep", async () => {
    const { url, one, two, account, say, claim } = await twoStores();
    const due = () => one.outbox.nextDue(account.id).due.length > 0;
    await say(two, "told");
    await until("the holder knows of it", due);
    expect(await claim()).toHaveLength(1);
    await one.outbox.refresh();
    await command(
      url,
      `INSERT INTO message (account_id, channel_id, direction, kind, chat, dedupe_key, events, state, position, head, payload, created_at, updated_at)
        SELECT account_id, channel_id, direction, kind, 'untold', 'untold', 0, 'ready', 1000, 1, payload, 0, 0 FROM message`,
    );
    await until("a sweep has found it", due);
  });

  it("is told of failures that another process accepts late, also when no requests are kept", async () => {
    const { url, one, two, channel, account, lease } = await twoStores();
    const told = await hearing(url);
    await one.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 60_000 });
    const [job] = (await one.outbox.claim(lease, roomFor(1))) as [Job];
    const messengerMessageId = "w1" as MessengerMessageId;
    await one.outbox.done(job, { parts: [{ messengerMessageId, holds: "text" }] });
    await two.outbox.acceptInbound(channel, {
      events: [{ type: "failed", key: "f", chat: "chat-1" as ChatId, messengerMessageId, ...GONE }],
    });
    await until("the holder is told", () => told().includes(account.id));
  });

  it("is told of what another process ends as overdue", async () => {
    const { url, one, two, channel, account } = await twoStores();
    await one.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 1 });
    const told = await hearing(url);
    await command(url, "UPDATE message SET deadline_at = 0");
    const ack = { gatewayMessageId: "1" as GatewayMessageId, error: GONE.error };
    expect(await two.outbox.endOverdue(() => ({ ack }))).toBe(1);
    await until("the holder is told", () => told().includes(account.id));
  });

  it("hears of a paused channel", async () => {
    const { one, two, account, channel, say } = await twoStores();
    await say(one, "a");
    expect(one.outbox.nextDue(account.id).due).toHaveLength(1);
    await two.channels.setState(channel.id, "paused");
    await until("the holder knows of it", () => one.outbox.nextDue(account.id).due.length === 0);
  });
});

it("a message is due at once, whatever the clocks of the machines say", async () => {
  const url = await databaseWithTables();
  const at = (ms: number) => createClock(() => Date.now() + ms);
  const [one, two] = [await postgresStore(url, at(-600_000)), await postgresStore(url, at(600_000))];
  const account = await addAccount(one);
  const channel = await addChannel(one, account);
  const lease = await takeLease(one, account.id);
  await two.outbox.acceptInbound(channel, { events: [customerSays("a", "a", "a")] });
  await one.outbox.refresh();
  await until("it is due", async () => (await one.outbox.claim(lease, roomFor(1))).length === 1);
});

it("a commit that is cut off leaves all or nothing, and can be repeated", async () => {
  const { url, one, account, say } = await twoStores();
  await command(
    url,
    `CREATE SEQUENCE commits;
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('commits') <= 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60); END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON message DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()`,
  );
  await expect(say(one, "a")).rejects.toThrow("terminat");
  const both = await Promise.allSettled([say(one, "a"), say(one, "b", "b")]);
  // The group was cut off, and each is stored apart.
  expect(both).toEqual([
    { status: "fulfilled", value: 1 },
    { status: "fulfilled", value: 1 },
  ]);
  expect(await say(one, "a")).toBe(0);
  expect(await one.ledger(account.id)).toMatchObject([{ accepted: 2, waiting: 2, hole: 0 }]);
});

it("a takeover that is cut off runs again, and nothing of the first run ends the process", async () => {
  const { url, one, lease, say, claim } = await twoStores();
  await say(one, "a");
  expect(await claim()).toHaveLength(1);
  await command(
    url,
    `CREATE SEQUENCE updates;
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('updates') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER cut BEFORE UPDATE ON message FOR EACH STATEMENT EXECUTE FUNCTION cut()`,
  );
  // Vitest reports a rejection that nobody has heard.
  expect(await one.outbox.takeOver(lease)).toMatchObject([{ attempts: 1 }]);
});

it("one write that fails does not fail the others of its group", async () => {
  const { url, one, channel, say } = await twoStores();
  await command(url, "ALTER TABLE message ADD CONSTRAINT no_b CHECK (dedupe_key <> 'b')");
  const results = await Promise.allSettled([say(one, "a", "a"), say(one, "b", "b"), say(one, "c", "c")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await one.outbox.unknown(channel.id, "inbound", ["a", "b", "c"])).toEqual(["b"]);
});
