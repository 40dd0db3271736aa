import { describe, expect, it } from "vitest";
import type { NewParked } from "../../../../../src/store/messages.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;

async function setUp(engine: (typeof ENGINES)[number]) {
  const made = await oneChannelOn(engine);
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

describe.each(ENGINES)("parked parts in $name", (engine) => {
  it("come back whole and in order, and a repeat is not a second one but brings its newer proof", async () => {
    const { store, channel, park, bodies } = await setUp(engine);
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
    expect(await store.parked.figures()).toMatchObject({ parts: 3, bytes: 3, strangers: 0 });
    await store.parked.remove(first);
    expect(await bodies()).toEqual(["b", "c"]);
  });

  it("for one account's channel are read by no other account's; what nobody had is anybody's who proves it", async () => {
    const { store, other, park, bodies } = await setUp(engine);
    await park("a");
    await park("stray", { channel: undefined });
    expect(await bodies("toy:1", other.accountId)).toEqual(["stray"]);
    expect(await store.parked.waits("toy:1", other.accountId)).toBe(true);
    const positions = await store.parked.of("toy:1", other.accountId);
    await store.parked.remove(positions[0] ?? 0);
    expect(await store.parked.waits("toy:1", other.accountId)).toBe(false);
    expect(await bodies()).toEqual(["a"]);
  });

  it("are no repeat of what another account's app brought, whose proof is another", async () => {
    const { other, park, bodies, store } = await setUp(engine);
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
    const { store, channel, other, park } = await setUp(engine);
    await park("the vendor's", { channel: undefined });
    await park("own", { channel: undefined, from: channel.accountId });
    await park("foreign", { channel: undefined, from: other.accountId });
    const positions = await store.parked.of("toy:1", channel.accountId);
    const found = await Promise.all(positions.map((position) => store.parked.read(position, channel.accountId)));
    expect(found.map((each) => each?.isOwn)).toEqual([true, true, false]);
  });

  it("of a channel wait for seven days, of a login that no channel has for an hour", async () => {
    const { store, clock, channel, park, bodies } = await setUp(engine);
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
    expect(await store.parked.figures()).toEqual({
      parts: 0,
      bytes: 0,
      strangers: 0,
      dropped: { full: 0, expired: 3 },
    });
  });

  it("are sealed at rest, and do not open when moved to another row", async () => {
    const { store, rows, change, channel, park } = await setUp(engine);
    await park("the words of a customer");
    await park("others");
    await change("UPDATE parked SET sealed = (SELECT sealed FROM parked ORDER BY position LIMIT 1)");
    const [, second = 0] = await store.parked.of("toy:1", channel.accountId);
    expect((await store.parked.read(second, channel.accountId))?.part).toBeUndefined();
    expect(JSON.stringify(await rows("parked"))).not.toContain("words of");
  });
});

describe.each(ENGINES)("the room for parked parts in $name", (engine) => {
  it("of a login is bounded by number and bytes; the oldest make room, and are counted", async () => {
    const { store, channel, change, rows, park, bodies } = await setUp(engine);
    await change(`INSERT INTO parked (id, login, owner, size, created_at, expires_at, sealed)
      WITH RECURSIVE old (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM old WHERE n < 999)
      SELECT 'old ' || n, 'toy:1', '${channel.accountId}', 1, 0, 0, '' FROM old`);
    const gone = await Promise.all(["a", "b", "c", "d", "e"].map((body) => park(body)));
    expect(gone.reduce((sum, each) => sum + each, 0)).toBe(5);
    const left = await rows("parked");
    expect(left).toHaveLength(1_000);
    expect(left.map(({ id }) => id)).not.toContain("old 4");
    expect(left.map(({ id }) => id)).toContain("old 5");
    expect((await bodies()).slice(-5).sort()).toEqual(["a", "b", "c", "d", "e"]);
    const large = ["a", "b", "c", "d", "e", "f"].map((each) => each.repeat(3 * MIB));
    for (const body of large) await park(body, { login: "toy:2" });
    expect((await bodies("toy:2")).map((body) => body?.[0])).toEqual(["b", "c", "d", "e", "f"]);
    expect((await store.parked.figures()).dropped).toEqual({ full: 6, expired: 0 });
  });

  it("of logins that no channel has is small, and one account's app takes none of the vendor's nor of others'", async () => {
    const { store, channel, other, park, bodies } = await setUp(engine);
    await park("the vendor's", { channel: undefined, login: "toy:new" });
    await park("another's", { channel: undefined, login: "toy:new", from: channel.accountId });
    for (let n = 0; n < 60; n++) await park(`m${n}`, { channel: undefined, login: "toy:x", from: other.accountId });
    expect(await bodies("toy:x")).toHaveLength(50);
    // Some at a time: who waits long for a connection gives up.
    for (let n = 0; n < 520; n += 20) {
      const some = Array.from({ length: 20 }, (_, m) =>
        park(`m${n + m}`, { channel: undefined, login: `toy:f${n + m}`, from: other.accountId }),
      );
      await Promise.all(some);
    }
    expect((await store.parked.figures()).strangers).toBe(502);
    expect(await bodies("toy:new")).toEqual(["the vendor's", "another's"]);
  });
});
