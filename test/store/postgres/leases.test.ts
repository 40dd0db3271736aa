import { describe, expect, it } from "vitest";
import { postgresStore } from "../../support/engines.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { addAccount } from "../../support/store.ts";

/** Long enough for any test. */
const ttlMs = 3_600_000;

/** Two processes on one database, both members, and the end of a member's time. */
async function twoMembers() {
  const url = await databaseWithTables();
  const [one, two] = [await postgresStore(url), await postgresStore(url)];
  const { id } = await addAccount(one);
  await one.leases.join({ owner: "one", ttlMs });
  await two.leases.join({ owner: "two", ttlMs });
  const outlast = async (owner: string) =>
    void (await command(url, `UPDATE member SET expires_at = expires_at - ${ttlMs} WHERE owner = '${owner}'`));
  return { one: one.leases, two: two.leases, store: one, id, outlast };
}

describe("an account's lease", () => {
  it("is one member's at a time, however they meet", async () => {
    const { one, two, store } = await twoMembers();
    for (let n = 0; n < 20; n++) {
      const { id } = await addAccount(store, `shop-${n}`);
      const both = await Promise.all([one.take(id, "one"), two.take(id, "two")]);
      expect(both.filter((lease) => lease)).toEqual([{ accountId: id, fence: 1 }]);
    }
  });

  it("is kept while its holder renews, and taken under a higher fence once its time is over", async () => {
    const { one, two, id, outlast } = await twoMembers();
    expect(await one.take(id, "one")).toEqual({ accountId: id, fence: 1 });
    expect(await one.renew({ owner: "one", ttlMs })).toBe(true);
    expect(await two.take(id, "two")).toBeUndefined();
    await outlast("one");
    expect(await two.take(id, "two")).toEqual({ accountId: id, fence: 2 });
    // It was paused, and comes back.
    expect(await one.renew({ owner: "one", ttlMs })).toBe(false);
    expect(await one.take(id, "one")).toBeUndefined();
    await one.release({ accountId: id, fence: 1 });
    expect((await one.free()).accounts).toEqual([]);
    await one.join({ owner: "one again", ttlMs });
    expect(await one.take(id, "one again")).toBeUndefined();
  });

  it("that was released, or whose holder has left, is free at once", async () => {
    const { one, two, id } = await twoMembers();
    const lease = await one.take(id, "one");
    expect(await two.free()).toEqual({ accounts: [], members: 2 });
    if (lease) await one.release(lease);
    expect(await two.free()).toEqual({ accounts: [id], members: 2 });
    expect(await two.take(id, "two")).toEqual({ accountId: id, fence: 2 });
    await two.leave("two");
    expect(await one.free()).toEqual({ accounts: [id], members: 1 });
    expect(await one.take(id, "one")).toEqual({ accountId: id, fence: 3 });
  });

  it("is given to no one who has not joined", async () => {
    const { one, id } = await twoMembers();
    expect(await one.take(id, "a stranger")).toBeUndefined();
    expect((await one.free()).accounts).toEqual([id]);
  });
});
