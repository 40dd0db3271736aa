import type { ChannelId, ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { byUser } from "../../../../../src/store/care.ts";
import { openPostgres } from "../../../../../src/store/postgres/open.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import type { Store } from "../../../../../src/store/store.ts";
import { ERASURE_KEY, nameHash } from "../../../../../src/store/tables/erasing/erasures.ts";
import { fileOf } from "../../../../support/channel-context.ts";
import { handClock } from "../../../../support/clock.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { customerSays } from "../../../../support/events.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel, KEY_RING, NEXT_RING } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";

/** Two processes on one database. */
async function twoStores() {
  const url = await databaseWithTables();
  const [one, two] = [await postgresStore(url), await postgresStore(url)];
  const account = await addAccount(one);
  return { url, one, two, account, channel: await addChannel(one, account) };
}

/** Whether it is read from memory: the same object again. */
async function isKept({ channels }: Store, id: ChannelId): Promise<boolean> {
  const before = await channels.ofJob(id);
  return before === (await channels.ofJob(id));
}

describe("two processes on one database", () => {
  it("give a login to one channel, however they meet", async () => {
    const { one, two, account, channel } = await twoStores();
    const second = await addChannel(one, account);
    for (let n = 0; n < 20; n++) {
      const both = [
        one.channels.reserveIdentity(channel.id, `toy:${n}`),
        two.channels.reserveIdentity(second.id, `toy:${n}`),
      ];
      expect((await Promise.all(both)).filter((got) => got)).toHaveLength(1);
    }
  });

  it("lose nothing of notes that both merge", async () => {
    const { one, two, channel } = await twoStores();
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const merge = (n: number) => ({ key: "album:1", value: JSON.stringify({ [n]: n }), merge: true as const });
    await Promise.all(numbers.map((n) => (n % 2 ? one : two).notes.set(channel.id, [merge(n)])));
    const merged = JSON.parse((await one.notes.get(channel.id, "album:1")) ?? "");
    expect(merged).toEqual(Object.fromEntries(numbers.map((n) => [n, n])));
  });

  it("see at once what they have changed themselves, and soon what the other has", async () => {
    const { one, two, account, channel } = await twoStores();
    const seen = (store: typeof one) => store.channels.ofJob(channel.id);
    await until("both to hear", async () => (await isKept(one, channel.id)) && (await isKept(two, channel.id)));
    await one.channels.setState(channel.id, "paused");
    expect((await seen(one))?.state).toBe("paused");
    await until("the change of the other", async () => (await seen(two))?.state === "paused");
    await two.accounts.setGatewayToken(account.id, "new");
    expect((await two.accounts.byId(account.id))?.gatewayToken).toBe("new");
    await until("the token of the other", async () => (await one.accounts.byId(account.id))?.gatewayToken === "new");
  });

  it("keep no row while they do not hear of changes", async () => {
    const { url, one, channel } = await twoStores();
    await until("the row to be kept", () => isKept(one, channel.id));
    await command(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await until("the end of hearing", async () => !(await isKept(one, channel.id)));
    await until("the row to be kept again", () => isKept(one, channel.id));
  });
});

it("a read that fails says nothing of its values", async () => {
  const { url, one } = await twoStores();
  await command(url, "ALTER TABLE account RENAME COLUMN crm_url TO elsewhere");
  const error = await one.accounts
    .byCrmUrl("https://the-words-of-a-customer.example")
    .catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("crm_url");
  expect(String(error)).not.toContain("customer");
});

it("a write that fails leaves nothing, and no values in its error", async () => {
  const { url, one, account, channel } = await twoStores();
  await command(url, "ALTER TABLE channel ADD CONSTRAINT no_more CHECK (name <> 'the words of a customer')");
  const by = { actor: "operator", action: "changed" } as const;
  const change = { name: "the words of a customer", settings: {} };
  const error = await one.channels.change(channel.id, change, by).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("no_more");
  expect(String(error)).not.toContain("words of a customer");
  expect(await one.audit.list({ accountId: account.id, limit: 9 })).toEqual([]);
  expect((await one.channels.ofJob(channel.id))?.name).toBe("Toy");
});

it("goes on, without a failure, after all of its connections were cut", async () => {
  const { url, one, account } = await twoStores();
  const CUT =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gangway' AND datname = current_database()";
  // Several at once, so that the pool has several.
  await Promise.all([1, 2, 3, 4].map(() => one.accounts.list()));
  await command(url, CUT);
  expect((await one.accounts.byId(account.id))?.id).toBe(account.id);
  await command(url, CUT);
  await one.accounts.setGatewayToken(account.id, "new");
  expect((await one.accounts.byId(account.id))?.gatewayToken).toBe("new");
});

it("a write whose commit was cut off fails once: it may be stored", async () => {
  const { url, one, account } = await twoStores();
  await command(
    url,
    `CREATE SEQUENCE commits;
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('commits'), pg_terminate_backend(pg_backend_pid()), pg_sleep(60);
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()`,
  );
  await expect(one.audit.record(account.id, { actor: "operator", action: "seen" })).rejects.toThrow("terminat");
  expect(await command(url, "SELECT last_value::int AS commits FROM commits")).toEqual([{ commits: 1 }]);
});

it("refuses keys that do not fit the database", async () => {
  const { url } = await twoStores();
  const wrong = { keys: [{ id: "test", key: Buffer.alloc(32, 9) }] };
  for (const [keyRing, words] of [
    [wrong, "SECRET_KEYS does not fit this database"],
    [NEXT_RING, 'it lacks the key "test"'],
  ] as const)
    await expect(openPostgres({ url, keyRing, clock: handClock() })).rejects.toThrow(words);
  await (
    await openPostgres({ url, keyRing: { keys: [...NEXT_RING.keys, ...KEY_RING.keys] }, clock: handClock() })
  ).close();
});

it("stores nothing about whom was erased, nor for an account that was", async () => {
  const { url, one: store, account, channel } = await twoStores();
  const erase = (channelId: string, hash: string) =>
    command(url, `INSERT INTO erased VALUES ('${channelId}', '${hash}', 1)`);
  const about = async (chat: string) => {
    await store.notes.set(channel.id, [{ key: `said:${chat}:1`, value: "x" }]);
    await store.journal.append(channel.id, [{ chat, key: chat, entry: 1 }]);
    const rows = await store.journal.latest(channel.id, chat, { entries: 9, bytes: 999 });
    return [await store.notes.get(channel.id, `said:${chat}:1`), rows.length];
  };
  const sealed = createSealer(KEY_RING).seal("the hashes' key", ERASURE_KEY);
  await command(url, `INSERT INTO meta VALUES ('erasure_key', '${sealed}')`);
  await erase(channel.id, nameHash("the hashes' key", channel.id, "ann"));
  expect([await about("ann"), await about("bob")]).toEqual([
    [undefined, 0],
    ["x", 1],
  ]);
  await erase(channel.id, "*");
  expect(await about("eve")).toEqual([undefined, 0]);
  const act = { actor: "operator", action: "seen" } as const;
  await store.audit.record(account.id, act);
  await erase("accounts", nameHash("the hashes' key", "accounts", account.id));
  await store.audit.record(account.id, act);
  expect(await store.audit.list({ accountId: account.id, limit: 9 })).toHaveLength(1);
});

it("deletes chunks that a crash left without a row", async () => {
  const { url, one, channel } = await twoStores();
  const chunk = (id: string, at: number) => command(url, `INSERT INTO kept_chunk VALUES ('${id}', 0, '\\x00', ${at})`);
  const kept = await one.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error());
  await command(url, "UPDATE kept_chunk SET created_at = 1");
  for (const [id, at] of [
    ["old", 1],
    ["old, too", 2],
    ["young", 10],
  ] as const)
    await chunk(id, at);
  expect(await one.retention.sweepFolder(10)).toBe(2);
  const left = await command(url, "SELECT file_id FROM kept_chunk");
  expect(left.map((row) => row.file_id).sort()).toEqual([kept.id, "young"].sort());
});

it("deletes the bytes of many files in small transactions: of an erasure, and those without a row", async () => {
  const { url, one, account, channel } = await twoStores();
  const file = await one.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error(), { chat: "ann" as ChatId });
  await one.outbox.acceptInbound(channel, { events: [customerSays("a", "words", "ann")] });
  for (const id of [file.id, "old"])
    await command(url, `INSERT INTO kept_chunk SELECT '${id}', part, '\\x00', 1 FROM generate_series(1, 200) AS part`);
  await command(url, "CREATE TABLE deleted (file_id text, tx text)");
  await command(
    url,
    `CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO deleted VALUES (OLD.file_id, pg_current_xact_id()); RETURN NULL; END $$`,
  );
  await command(url, "CREATE TRIGGER noted AFTER DELETE ON kept_chunk FOR EACH ROW EXECUTE FUNCTION noted()");
  expect(await one.retention.sweepFolder(10)).toBe(1);
  const person = { channelId: channel.id, chat: "ann" as ChatId };
  expect(await one.erasure.customer(account.id, person, byUser("customer erased"))).toMatchObject({ files: 1 });
  const rows = await command(url, "SELECT file_id, count(*)::int AS count FROM deleted GROUP BY file_id, tx");
  const all = (id: string) =>
    rows.filter((row) => row.file_id === id).reduce((sum, { count }) => sum + Number(count), 0);
  expect([all("old"), all(file.id)]).toEqual([200, 201]);
  expect(Math.max(...rows.map(({ count }) => Number(count)))).toBeLessThanOrEqual(64);
});
