import { describe, expect, it } from "vitest";
import type { Lease } from "../../../../../src/domain/account.ts";
import type { AccountId } from "../../../../../src/domain/ids.ts";
import type { LeaseStore } from "../../../../../src/store/accounts.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { customerSays } from "../../../../support/events.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { doorTo } from "../../../../support/postgres-door.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";

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

const OPEN = "SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()";

const taken = async (leases: LeaseStore, id: AccountId, owner: string) => (await leases.take([id], owner))[0]?.lease;

describe("an account's lease", () => {
  it("is one member's at a time, however they meet", async () => {
    const { one, two, store } = await twoMembers();
    for (let n = 0; n < 20; n++) {
      const { id } = await addAccount(store, `shop-${n}`);
      const both = await Promise.all([taken(one, id, "one"), taken(two, id, "two")]);
      expect(both.filter((lease) => lease)).toEqual([{ accountId: id, fence: 1 }]);
    }
  });

  it("is kept while its holder renews, and taken under a higher fence once its time is over", async () => {
    const { one, two, id, outlast } = await twoMembers();
    expect(await taken(one, id, "one")).toEqual({ accountId: id, fence: 1 });
    expect(await one.renew({ owner: "one", ttlMs })).toBe(true);
    expect(await taken(two, id, "two")).toBeUndefined();
    await outlast("one");
    expect(await taken(two, id, "two")).toEqual({ accountId: id, fence: 2 });
    // It was paused, and comes back.
    expect(await one.renew({ owner: "one", ttlMs })).toBe(false);
    expect(await taken(one, id, "one")).toBeUndefined();
    await one.release([{ accountId: id, fence: 1 }]);
    expect((await one.shares()).free).toEqual([]);
    await one.join({ owner: "one again", ttlMs });
    expect(await taken(one, id, "one again")).toBeUndefined();
  });

  it("can be taken although its holder stands still in a transaction, before its time is over", async () => {
    const url = await databaseWithTables();
    const { url: byDoor, stops } = await doorTo(url);
    const [one, two] = [await postgresStore(byDoor), await postgresStore(url)];
    const account = await addAccount(one);
    const channel = await addChannel(one, account);
    await one.leases.join({ owner: "one", ttlMs: 7_000 });
    await two.leases.join({ owner: "two", ttlMs });
    const lease = (await taken(one.leases, account.id, "one")) as Lease;
    const stopped = stops("COMMIT");
    const accepted = one.outbox.acceptInbound(
      channel,
      { events: [customerSays("m", "", "chat")] },
      { lease, most: 5, begin: () => undefined },
    );
    await stopped;
    await until("the lease's time is over", async () => (await two.leases.shares()).free.length > 0);
    expect(await taken(two.leases, account.id, "two")).toMatchObject({ fence: 2 });
    await until("its transaction has ended", async () => (await command(url, OPEN)).length === 0);
    // It has run again: once.
    expect(await accepted).toBe(1);
  });

  it("that was released, or whose holder has left, is free at once", async () => {
    const { one, two, id } = await twoMembers();
    const lease = await taken(one, id, "one");
    expect(await two.shares()).toEqual({ free: [], members: 2, accounts: 1 });
    if (lease) await one.release([lease]);
    expect(await two.shares()).toEqual({ free: [id], members: 2, accounts: 1 });
    expect(await taken(two, id, "two")).toEqual({ accountId: id, fence: 2 });
    await two.leave("two");
    expect(await one.shares()).toEqual({ free: [id], members: 1, accounts: 1 });
    expect(await taken(one, id, "one")).toEqual({ accountId: id, fence: 3 });
  });

  it("is given to no one who has not joined", async () => {
    const { one, id } = await twoMembers();
    expect(await taken(one, id, "a stranger")).toBeUndefined();
    expect((await one.shares()).free).toEqual([id]);
  });

  it("says whether the last holder gave it back", async () => {
    const { one, two, id, outlast } = await twoMembers();
    const lost = async (leases: LeaseStore, owner: string) => (await leases.take([id], owner)).map((each) => each.lost);
    expect(await lost(one, "one")).toEqual([false]);
    await outlast("one");
    expect(await lost(two, "two")).toEqual([true]);
    await two.leave("two");
    await one.join({ owner: "one again", ttlMs });
    expect(await lost(one, "one again")).toEqual([false]);
  });

  it("is taken for many accounts at once, except those of others", async () => {
    const { one, two, store, id } = await twoMembers();
    const ids = await Promise.all([1, 2, 3].map(async (n) => (await addAccount(store, `shop-${n}`)).id));
    await one.take([id], "one");
    const mine = (await two.take([id, ...ids], "two")).map(({ lease }) => lease.accountId);
    expect(mine.sort()).toEqual([...ids].sort());
    await two.release([
      { accountId: ids[0] as AccountId, fence: 1 },
      { accountId: id, fence: 0 },
    ]);
    expect(await two.shares()).toEqual({ free: [ids[0]], members: 2, accounts: 4 });
  });
});
