import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createPermits, PER_SECOND, type Permits } from "../../../../src/gateway/limiter.ts";
import { SHARED_PERMITS, withSharedPermits } from "../../../../src/relay/limits/limits.ts";
import type { Store } from "../../../../src/store/store.ts";
import { postgresStore } from "../../../support/engines.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { addAccount } from "../../../support/store.ts";

const sharedOf = ({ shared }: Pick<Store, "shared">) => shared as NonNullable<Store["shared"]>;

/** The permits of processes on one database: the first works for the account. */
async function processes(count: number) {
  const url = await databaseWithTables();
  const { id } = await addAccount(await postgresStore(url));
  const all: Permits[] = [];
  for (let n = 0; n < count; n++) {
    const store = await postgresStore(url);
    const lease = n === 0 ? { accountId: id, fence: 1 } : undefined;
    const holdings = { leaseOf: () => lease, take: async () => lease };
    const permits = createPermits(systemClock, undefined, PER_SECOND - SHARED_PERMITS);
    all.push(withSharedPermits({ permits, ...sharedOf(store), holdings, clock: systemClock }));
  }
  return { id, all, store: await postgresStore(url) };
}

describe("calls with one token by several processes", () => {
  it("arrive at most thirty a second, and nobody waits for ever", async () => {
    const { id, all } = await processes(3);
    const arrivals: number[] = [];
    const call = (permits: Permits) =>
      permits.run(id, "message", async () => {
        arrivals.push(performance.now());
      });
    await Promise.all(all.flatMap((permits, n) => Array.from({ length: n === 0 ? 60 : 4 }, () => call(permits))));
    expect(arrivals).toHaveLength(68);
    arrivals.sort((a, b) => a - b);
    for (const [n, at] of arrivals.slice(PER_SECOND).entries())
      expect(at - (arrivals[n] as number)).toBeGreaterThanOrEqual(1_000);
  });

  it("have few places for those who do not work for the account, also if one of them dies", async () => {
    const { id, all, store } = await processes(2);
    const taken = [];
    for (let n = 0; n < SHARED_PERMITS; n++)
      taken.push(await sharedOf(store).sharedPermits.enter(id, SHARED_PERMITS, 60_000));
    expect(new Set(taken.map((sharedPermit) => sharedPermit?.place)).size).toBe(SHARED_PERMITS);
    expect(await sharedOf(store).sharedPermits.enter(id, SHARED_PERMITS, 60_000)).toBeUndefined();
    const late = (all[1] as Permits).run(id, "message", async () => "called", AbortSignal.timeout(300));
    await expect(late).rejects.toThrow("no permit in time");
  });

  it("keep their place for as long as a proxy may hold them, if they got no answer", async () => {
    const { id, all, store } = await processes(2);
    for (const how of ["unanswered", "unsent"] as const)
      await (all[1] as Permits).run(id, "message", async (ended) => ended(how));
    const places = [];
    for (;;) {
      const sharedPermit = await sharedOf(store).sharedPermits.enter(id, SHARED_PERMITS, 60_000);
      if (!sharedPermit) break;
      places.push(sharedPermit.place);
    }
    expect(places).toEqual([2, 3, 4]);
  });
});

describe("what processes remember for each other", () => {
  it("is read by any, taken by one, and sealed", async () => {
    const { id, store } = await processes(1);
    const { remembered } = sharedOf(store);
    await remembered.set(id, "a", "text", 60_000);
    expect(await remembered.get("a")).toBe("text");
    const both = await Promise.all([remembered.take("a"), remembered.take("a")]);
    expect(both.filter((text) => text === "text")).toHaveLength(1);
    await remembered.set(id, "b", "late", -1);
    expect(await remembered.get("b")).toBeUndefined();
    expect(id satisfies AccountId).toBeDefined();
  });
});
