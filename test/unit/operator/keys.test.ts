import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../src/store/open.ts";
import { createSealer, type KeyRing } from "../../../src/store/secrets.ts";
import type { Store } from "../../../src/store/store.ts";
import { databaseUrl, onPostgres, readRows, writeRows } from "../../support/engine.ts";
import { gangway, KEYS } from "../../support/gangway.ts";
import { LONG } from "../../support/long.ts";
import { addAccount, addChannel, KEY_RING, NEXT_RING, temporaryFolder } from "../../support/store.ts";

const [old, next] = [...KEY_RING.keys, ...NEXT_RING.keys] as [Key, Key];
type Key = KeyRing["keys"][number];
const both = { SECRET_KEYS: `${KEYS.next},${KEYS.test}` };

/** Of a command with `shared`, else of a server; close it. */
async function open(folder: string, keys: Key[], { shared }: { shared?: boolean } = {}): Promise<Store> {
  const stored = { folder, databaseUrl: await databaseUrl(folder) };
  return openStore({ ...stored, keyRing: { keys }, clock: systemClock, shared });
}

/** Of a server that runs, and how it stops. */
async function running(folder: string, keys: Key[]) {
  const store = await open(folder, keys);
  await store.leases.join({ owner: "server", ttlMs: 3_600_000 });
  const stop = () => store.leases.leave("server").then(() => store.close());
  return { store, stop };
}

/** Accounts with four secrets each, and channels with two, sealed with the old key. */
async function sealedOld(accounts: number, channels: number) {
  const folder = temporaryFolder();
  const store = await open(folder, [old]);
  // A few at a time: more than the pool's connections would wait for one, and give up.
  const made: Awaited<ReturnType<typeof addAccount>>[] = [];
  while (made.length < accounts) {
    const names = Array.from({ length: Math.min(10, accounts - made.length) }, (_, n) => `shop-${made.length + n}`);
    made.push(...(await Promise.all(names.map((name) => addAccount(store, name)))));
  }
  const [first] = made;
  if (!first) throw new Error("no account");
  await Promise.all(Array.from({ length: channels }, () => addChannel(store, first)));
  await store.close();
  return { folder, made };
}

const SPOIL = (table: string, column: string) =>
  `UPDATE ${table} SET ${column} = substr(${column}, 1, length(${column}) - 4) || 'AAAA'`;

async function keysIn(folder: string) {
  const { account = [], channel = [] } = await readRows(folder, ["account", "channel"]);
  const values = [
    ...account.flatMap((row) => [row.api_key_sealed, row.gateway_token_sealed]),
    ...channel.flatMap((row) => [row.door_sealed, row.settings_sealed]),
  ];
  return [...new Set(values.map((value) => String(value).split(".")[1]))];
}

describe("gangway keys rotate", () => {
  it("reseals every secret next to the running server, after which the old key can go", async () => {
    const [accounts, channels] = LONG && !onPostgres ? [2_000, 1_000] : [210, 100];
    const { folder, made } = await sealedOld(accounts, channels);
    const { store, stop } = await running(folder, [next, old]);
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 4 * accounts + 2 * channels }, unopened: [] });
    expect((await store.accounts.byId(made[7]?.id as never))?.apiKey).toBe(made[7]?.apiKey);
    expect((await store.audit.list({ limit: 1 }))[0]).toMatchObject({
      action: "keys rotated",
      detail: { to: "next" },
    });
    await stop();
    expect(await keysIn(folder)).toEqual(["next"]);
    const without = await open(folder, [next]);
    expect((await without.accounts.byId(made[accounts - 1]?.id as never))?.gatewayToken).toBe(
      made[accounts - 1]?.gatewayToken,
    );
    await without.close();
    expect((await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next })).code).toBe(0);
    expect((await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: KEYS.next })).out).toContain("Nothing was sealed");
  });

  it("opens kept webhooks, whose seal names their time", async () => {
    const { folder } = await sealedOld(1, 0);
    const sealer = createSealer(KEY_RING);
    for (const at of [1_795_000_000_001, 1_795_000_000_002]) {
      const place = { table: "raw_webhook", row: String(at), column: "sealed" };
      const sealed = sealer.seal("webhooks", place);
      await writeRows(folder, "INSERT INTO raw_webhook (sealed, received_at) VALUES (?, ?)", sealed, at);
    }
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 6 }, unopened: [] });
    expect((await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next })).code).toBe(0);
    await writeRows(folder, "UPDATE raw_webhook SET received_at = received_at + 2");
    const moved = await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next });
    expect(moved.out).toContain("raw_webhook.sealed does not open");
  });

  it("resumes after an interruption, and until it ends the server needs the old key", async () => {
    const { folder } = await sealedOld(300, 0);
    const beside = await open(folder, [next, old], { shared: true });
    // On PostgreSQL the keys of files come first.
    const column = onPostgres ? 1 : 0;
    const { next: place } = await beside.rotation.batch({ column, after: -1 });
    expect(place).toEqual({ column, after: onPostgres ? expect.any(Number) : 200 });
    await beside.close();
    await expect(open(folder, [next])).rejects.toThrow(/SECRET_KEYS/);
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 1_000 }, unopened: [] });
    await (await open(folder, [next])).close();
  });

  it("skips values that do not open, with a remedy for each, and the old key can still go", async () => {
    const { folder, made } = await sealedOld(2, 2);
    const [bad] = made;
    const before = await open(folder, [old]);
    const [channel] = await before.channels.list(bad?.id as never);
    await before.close();
    await writeRows(folder, `${SPOIL("account", "gateway_token_sealed")} WHERE id = ?`, bad?.id);
    await writeRows(folder, `${SPOIL("channel", "settings_sealed")} WHERE id = ?`, channel?.id);
    await writeRows(folder, "UPDATE channel SET door_sealed = 'garbage' WHERE id = ?", channel?.id);
    await writeRows(folder, "INSERT INTO raw_webhook (sealed, received_at) VALUES ('v1.lost.a.b', 1795000000001)");
    const rotated = () => gangway(folder, ["keys", "rotate", "--json"], both);
    const ran = await rotated();
    expect([ran.code, ran.err]).toEqual([1, ""]);
    const report = ran.json() as unknown as { moved: object; unopened: { todo: string }[] };
    expect(report).toMatchObject({ ok: false, moved: { test: 9 } });
    const what = (table: string, row: unknown, column: string, key: string) => ({ table, row, column, key });
    expect(report.unopened).toMatchObject([
      what("account", bad?.id, "gateway_token", "test"),
      what("channel", channel?.id, "door", ""),
      what("channel", channel?.id, "settings", "test"),
      what("raw_webhook", "1", "sealed", "lost"),
    ]);
    expect(report.unopened.map(({ todo }) => todo.split(" ")[0])).toEqual(["reconnect", "remove", "remove", "only"]);
    const again = await gangway(folder, ["keys", "rotate"], both);
    expect(again.code).toBe(1);
    expect(again.out).toContain("4 values cannot be opened and were left unchanged:");
    expect(again.out).toContain(`  channel ${channel?.id}: channel.settings does not open`);
    expect(again.out).toContain('All other values are sealed with "next" now: you can remove the other keys');
    expect(again.out).toContain('Values that cannot be opened name the key "test": make sure');
    const without = await open(folder, [next]);
    expect((await without.audit.list({ limit: 1 }))[0]?.detail).toEqual({ to: "next", unopened: 4 });
    await without.channels.setState(channel?.id as never, "removed");
    await without.accounts.setGatewayToken(bad?.id as never, "a new one");
    await without.close();
    await writeRows(folder, "DELETE FROM raw_webhook");
    const mended = await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: KEYS.next });
    expect([mended.code, mended.out.includes("Everything is sealed")]).toEqual([0, true]);
    expect((await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next })).code).toBe(0);
  });

  it("lets a lost key go, once it has skipped the values that name it", async () => {
    const { folder } = await sealedOld(2, 0);
    await writeRows(folder, "UPDATE account SET api_key_sealed = replace(api_key_sealed, 'v1.test.', 'v1.lost.')");
    await expect(open(folder, [old])).rejects.toThrow('SECRET_KEYS lacks "lost"');
    const standIn = `lost:${Buffer.alloc(32, 9).toString("base64")}`;
    expect((await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: `${KEYS.test},${standIn}` })).code).toBe(1);
    await (await open(folder, [old])).close();
    const other = "UPDATE account SET client_id_sealed = replace(client_id_sealed, 'v1.test.', 'v1.lost.')";
    await writeRows(folder, other);
    await expect(open(folder, [old])).rejects.toThrow('SECRET_KEYS lacks "lost"');
  });

  it("also reports a value that does not open with the newest key", async () => {
    const { folder, made } = await sealedOld(1, 0);
    await writeRows(folder, SPOIL("account", "api_key_sealed"));
    const ran = await gangway(folder, ["keys", "rotate"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(`  account ${made[0]?.id}: account.api_key does not open`);
    expect(ran.out).toContain("1 value cannot be opened and was left unchanged:\n");
    expect(ran.out).not.toContain("Everything");
  });

  it("refuses a ring that does not open the database, and one that the running server does not have", async () => {
    const { folder } = await sealedOld(1, 1);
    expect((await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: KEYS.next })).err).toContain(
      "SECRET_KEYS does not fit this database",
    );
    const { stop } = await running(folder, [old]);
    const refused = await gangway(folder, ["keys", "rotate"], both);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('a running server seals with the key "test" and not with "next": restart it');
    await stop();
    const another = await running(folder, [{ ...next, key: Buffer.alloc(32, 9) }, old]);
    expect((await gangway(folder, ["keys", "rotate"], both)).err).toContain('another key under the name "next"');
    await another.stop();
    expect(await keysIn(folder)).toEqual(["test"]);
  });

  it("does not start the server when accounts or channels need a missing key", async () => {
    const { folder } = await sealedOld(1, 0);
    const later = await open(folder, [next, old]);
    await addAccount(later, "newer");
    await later.close();
    await expect(open(folder, [old])).rejects.toThrow('SECRET_KEYS lacks "next"');
    // Values without a key name need no key.
    await writeRows(folder, "UPDATE account SET api_key_sealed = 'garbage', client_id_sealed = 'v1.next'");
    await writeRows(folder, "UPDATE account SET webhook_sealed = 'v1..a.b', gateway_token_sealed = ''");
    await (await open(folder, [old])).close();
  });
});
