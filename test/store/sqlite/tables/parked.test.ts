import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyAll } from "../../../../src/store/care/verify.ts";
import type { NewParked } from "../../../../src/store/parked.ts";
import { openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import { changeRows, rowsOf } from "../../../support/rows.ts";
import { addAccount, addChannel, KEY_RING, oneChannel, temporaryStore } from "../../../support/store.ts";

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;

async function setUp() {
  const made = await oneChannel();
  const { store, channel } = made;
  const other = await addChannel(store, await addAccount(store, "other"));
  const requestOf = (body: string) => ({ path: "", headers: { seal: "s" }, body });
  const park = (body: string, more: Partial<NewParked> = {}) =>
    store.parked.park({ login: "toy:1", request: requestOf(body), channel, ...more });
  const bodies = async (login = "toy:1", account = channel.accountId) => {
    const positions = await store.parked.of(login, account);
    const found = await Promise.all(positions.map((position) => store.parked.read(position, account)));
    return found.map((each) => each?.part?.request.body);
  };
  return { ...made, other, park, bodies };
}

describe("parked parts", () => {
  it("come back whole and in order, and a repeat is not a second one but brings its newer proof", async () => {
    const { store, channel, park, bodies } = await setUp();
    for (const body of ["a", "b", "c"]) await park(body);
    await store.parked.park({
      ...{ login: "toy:1", channel, proven: true },
      request: { path: "", headers: { seal: "newer" }, body: "a" },
    });
    expect(await bodies()).toEqual(["a", "b", "c"]);
    const [first = 0] = await store.parked.of("toy:1", channel.accountId);
    expect(await store.parked.read(first, channel.accountId)).toEqual({
      ...{ position: first, isOwn: true },
      part: { proven: true, request: { path: "", headers: { seal: "newer" }, body: "a" } },
    });
    expect(store.parked.figures()).toMatchObject({ parts: 3, bytes: 3, strangers: 0 });
    await store.parked.remove(first);
    expect(await bodies()).toEqual(["b", "c"]);
  });

  it("are known after a restart, and counted as before", async () => {
    const { store, clock, folder, channel, park } = await setUp();
    await park("a");
    await park("b", { channel: undefined, login: "toy:9" });
    const before = store.parked.figures();
    store.close();
    const again = await temporaryStore(clock, folder);
    expect(again.parked.figures()).toEqual(before);
    expect(again.parked.waits("toy:1", channel.accountId)).toBe(true);
    expect(again.parked.logins().sort()).toEqual(["toy:1", "toy:9"]);
  });

  it("for one account's channel are read by no other account's; what nobody had is anybody's who proves it", async () => {
    const { store, other, park, bodies } = await setUp();
    await park("a");
    await park("stray", { channel: undefined });
    expect(await bodies("toy:1", other.accountId)).toEqual(["stray"]);
    expect(store.parked.waits("toy:1", other.accountId)).toBe(true);
    const positions = await store.parked.of("toy:1", other.accountId);
    await store.parked.remove(positions[0] ?? 0);
    expect(store.parked.waits("toy:1", other.accountId)).toBe(false);
    expect(await bodies()).toEqual(["a"]);
  });

  it("are no repeat of what another account's app brought, whose proof is another", async () => {
    const { other, park, bodies, store } = await setUp();
    await park("a", { channel: undefined, from: other.accountId });
    await park("a", { channel: undefined });
    const positions = await store.parked.of("toy:1", other.accountId);
    expect([await bodies(), await bodies("toy:1", other.accountId)]).toEqual([
      ["a", "a"],
      ["a", "a"],
    ]);
    const found = await Promise.all(positions.map((position) => store.parked.read(position, other.accountId)));
    expect(found.map((each) => each?.isOwn)).toEqual([true, true]);
  });

  it("tell whether another account's app brought them", async () => {
    const { store, channel, other, park } = await setUp();
    await park("the vendor's", { channel: undefined });
    await park("own", { channel: undefined, from: channel.accountId });
    await park("foreign", { channel: undefined, from: other.accountId });
    const positions = await store.parked.of("toy:1", channel.accountId);
    const found = await Promise.all(positions.map((position) => store.parked.read(position, channel.accountId)));
    expect(found.map((each) => each?.isOwn)).toEqual([true, true, false]);
  });

  it("of a channel wait for seven days, of a login that no channel has for an hour", async () => {
    const { store, clock, channel, park, bodies } = await setUp();
    await park("a");
    for (const body of ["stray", "adopted"]) await park(body, { channel: undefined, login: `toy:${body}` });
    await store.parked.adopt("toy:adopted", channel);
    clock.leap(HOUR_MS + 1);
    expect(await store.parked.expire()).toBe(1);
    clock.leap(7 * 24 * HOUR_MS - HOUR_MS - 2);
    expect(await store.parked.expire()).toBe(0);
    expect([await bodies(), await bodies("toy:adopted")]).toEqual([["a"], ["adopted"]]);
    clock.leap(2);
    expect(await store.parked.expire()).toBe(2);
    expect(store.parked.figures()).toEqual({ parts: 0, bytes: 0, strangers: 0, dropped: { full: 0, expired: 3 } });
  });

  it("are sealed at rest, and do not open when moved to another row", async () => {
    const { folder, store, channel, park } = await setUp();
    await park("the words of a customer");
    await park("others");
    changeRows(folder, "UPDATE parked SET sealed = (SELECT sealed FROM parked ORDER BY position LIMIT 1)");
    const [, second = 0] = await store.parked.of("toy:1", channel.accountId);
    expect((await store.parked.read(second, channel.accountId))?.part).toBeUndefined();
    store.close();
    expect(readFileSync(join(folder, "gangway.db"), "latin1")).not.toContain("the words of a customer");
    expect(JSON.stringify(rowsOf(folder, ["parked"]))).not.toContain("words of");
    const db = openDatabase(folder);
    const checks = verifyAll({ sqlite: db.sqlite, ring: KEY_RING, files: folder });
    db.close();
    expect(checks.flatMap(({ faults }) => faults)).toEqual([expect.stringContaining("parked")]);
  });
});

describe("the room for parked parts", () => {
  it("of a login is bounded by number and bytes; the oldest make room, and are counted", async () => {
    const { store, park, bodies } = await setUp();
    const all = Array.from({ length: 1_005 }, (_, n) => park(`m${n}`));
    expect((await Promise.all(all)).reduce((sum, gone) => sum + gone, 0)).toBe(5);
    expect(await bodies()).toHaveLength(1_000);
    expect((await bodies())[0]).toBe("m5");
    const large = ["a", "b", "c", "d", "e", "f"].map((each) => each.repeat(3 * MIB));
    for (const body of large) await park(body, { login: "toy:2" });
    expect((await bodies("toy:2")).map((body) => body?.[0])).toEqual(["b", "c", "d", "e", "f"]);
    expect(store.parked.figures().dropped).toEqual({ full: 6, expired: 0 });
  });

  it("of logins that no channel has is small, and one account's app takes none of the vendor's nor of others'", async () => {
    const { store, channel, other, park, bodies } = await setUp();
    await park("the vendor's", { channel: undefined, login: "toy:new" });
    await park("another's", { channel: undefined, login: "toy:new", from: channel.accountId });
    for (let n = 0; n < 60; n++) await park(`m${n}`, { channel: undefined, login: "toy:x", from: other.accountId });
    expect(await bodies("toy:x")).toHaveLength(50);
    const flood = Array.from({ length: 1_000 }, (_, n) =>
      park(`m${n}`, { channel: undefined, login: `toy:f${n}`, from: other.accountId }),
    );
    await Promise.all(flood);
    expect(store.parked.figures().strangers).toBe(502);
    expect(await bodies("toy:new")).toEqual(["the vendor's", "another's"]);
  });
});

it("a rolled-back write leaves the counts as they were", async () => {
  const { store, folder, channel } = await setUp();
  store.close();
  const db = openDatabase(folder);
  const insert =
    "INSERT INTO parked (id, login, owner, size, created_at, expires_at, sealed) VALUES ('i', 'l', ?, 5, 0, 0, '')";
  expect(db.parking.all()).toEqual({ parts: 0, bytes: 0 });
  const failing = db.write(() => {
    db.sqlite.prepare(insert).run(channel.accountId);
    expect(db.parking.all()).toEqual({ parts: 1, bytes: 5 });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(db.parking.all()).toEqual({ parts: 0, bytes: 0 });
  await db.write(() => db.sqlite.prepare(insert).run(channel.accountId));
  await db.write(() => db.sqlite.prepare("DELETE FROM parked").run());
  expect([db.parking.all(), db.parking.logins()]).toEqual([{ parts: 0, bytes: 0 }, []]);
  db.close();
});
