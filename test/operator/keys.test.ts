import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/domain/clock.ts";
import { createSealer } from "../../src/store/secrets.ts";
import { openStore } from "../../src/store/store.ts";
import { gangway, KEYS } from "../support/gangway.ts";
import { addAccount, addChannel, KEY_RING, temporaryFolder } from "../support/store.ts";

// Each command is a process of its own; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 90_000 });

const [old] = KEY_RING.keys;
if (!old) throw new Error("the tests have no key");
const next = { id: "next", key: Buffer.alloc(32, 8) };
const both = { SECRET_KEYS: `${KEYS.next},${KEYS.test}` };
const open = (folder: string, keys: (typeof next)[]) => openStore({ folder, keyRing: { keys }, clock: systemClock });

/** Accounts with four secrets each, and channels with two, sealed with the old key. */
async function sealedOld(accounts: number, channels: number) {
  const folder = temporaryFolder();
  const store = await open(folder, [old as typeof next]);
  const made = await Promise.all(Array.from({ length: accounts }, (_, n) => addAccount(store, `shop-${n}`)));
  const [first] = made;
  if (!first) throw new Error("no account");
  await Promise.all(Array.from({ length: channels }, () => addChannel(store, first)));
  store.close();
  return { folder, made };
}

const keysIn = (folder: string) => {
  const tables = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const columns = [
    "account.api_key_sealed",
    "account.gateway_token_sealed",
    "channel.door_sealed",
    "channel.settings_sealed",
  ];
  const values = columns.flatMap((name) => {
    const [table, column] = name.split(".");
    return tables.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as string[];
  });
  tables.close();
  return [...new Set(values.map((value) => value.split(".")[1]))];
};

describe("gangway keys rotate", () => {
  it("seals ten thousand secrets anew beside the running server, and the old key may go", async () => {
    const { folder, made } = await sealedOld(2_000, 1_000);
    const running = await open(folder, [next, old as typeof next]);
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 10_000 } });
    expect((await running.accounts.byId(made[7]?.id as never))?.apiKey).toBe(made[7]?.apiKey);
    expect((await running.audit.list({ most: 1 }))[0]).toMatchObject({
      action: "keys rotated",
      detail: { to: "next" },
    });
    running.close();
    expect(keysIn(folder)).toEqual(["next"]);
    const without = await open(folder, [next]);
    expect((await without.accounts.byId(made[1_999]?.id as never))?.gatewayToken).toBe(made[1_999]?.gatewayToken);
    without.close();
    expect((await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next })).code).toBe(0);
    expect((await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: KEYS.next })).out).toContain("Nothing was sealed");
  });

  it("opens kept webhooks, whose seal names their time", async () => {
    const { folder } = await sealedOld(1, 0);
    const sealer = createSealer(KEY_RING);
    const tables = new Sqlite(join(folder, "gangway.db"));
    const insert = tables.prepare("INSERT INTO raw_webhook (sealed, received_at) VALUES (?, ?)");
    for (const at of [1_795_000_000_001, 1_795_000_000_002]) {
      const place = { table: "raw_webhook", row: String(at), column: "sealed" };
      insert.run(sealer.seal("webhooks", place), at);
    }
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 6 } });
    expect((await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next })).code).toBe(0);
    tables.exec("UPDATE raw_webhook SET received_at = received_at + 2");
    tables.close();
    const moved = await gangway(folder, ["verify"], { SECRET_KEYS: KEYS.next });
    expect(moved.out).toContain("raw_webhook.sealed does not open");
  });

  it("goes on where it was cut, and until it has ended the server wants the old key", async () => {
    const { folder } = await sealedOld(300, 0);
    const beside = await openStore({
      folder,
      keyRing: { keys: [next, old as typeof next] },
      clock: systemClock,
      shared: true,
    });
    const { next: place } = await beside.rotation.batch({ column: 0, after: -1 });
    expect(place).toEqual({ column: 0, after: 200 });
    beside.close();
    await expect(open(folder, [next])).rejects.toThrow(/SECRET_KEYS/);
    const ran = await gangway(folder, ["keys", "rotate", "--json"], both);
    expect(ran.json()).toEqual({ ok: true, key: "next", moved: { test: 1_000 } });
    (await open(folder, [next])).close();
  });

  it("refuses a ring that does not open the database, and one that the running server does not have", async () => {
    const { folder } = await sealedOld(1, 1);
    expect((await gangway(folder, ["keys", "rotate"], { SECRET_KEYS: KEYS.next })).err).toContain(
      "SECRET_KEYS does not fit this database",
    );
    const running = await open(folder, [old as typeof next]);
    const refused = await gangway(folder, ["keys", "rotate"], both);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('the running server seals with the key "test" and not with "next": restart it');
    running.close();
    const another = await open(folder, [{ ...next, key: Buffer.alloc(32, 9) }, old as typeof next]);
    expect((await gangway(folder, ["keys", "rotate"], both)).err).toContain('another key under the name "next"');
    another.close();
    expect(keysIn(folder)).toEqual(["test"]);
  });

  it("does not start the server when accounts or channels need a key that is gone", async () => {
    const { folder } = await sealedOld(1, 0);
    const later = await open(folder, [next, old as typeof next]);
    await addAccount(later, "newer");
    later.close();
    await expect(open(folder, [old as typeof next])).rejects.toThrow('SECRET_KEYS lacks "next"');
  });
});
