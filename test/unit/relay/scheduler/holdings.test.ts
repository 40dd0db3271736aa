import { hostname } from "node:os";
import type { Call } from "gangway-messenger/call";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import type { Fields } from "../../../../src/log.ts";
import { createHoldings, type HoldingsParts } from "../../../../src/relay/scheduler/holdings.ts";
import type { LeaseStore, Taken } from "../../../../src/store/accounts.ts";
import { postgresStore } from "../../../support/engines.ts";
import { silentLog } from "../../../support/log.ts";
import { command, databaseWithTables } from "../../../support/postgres.ts";
import { addAccount } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

const answered: Call = async () => ({ type: "answer", status: 200, headers: {}, bytes: new Uint8Array() });
const request = { method: "GET", url: "https://gateway.example", timeoutMs: 1_000 } as const;

/** Processes on one database with `count` accounts. */
async function processes(count: number) {
  const url = await databaseWithTables();
  const store = await postgresStore(url);
  for (let n = 0; n < count; n++) await addAccount(store, `shop-${n}`);
  const begin = async (changes: Partial<HoldingsParts> = {}) => {
    // A pool of its own, as a process has.
    const { leases } = await postgresStore(url);
    const held = new Set<AccountId>();
    const recovered: Taken[] = [];
    const events = { lost: 0, finished: [] as AccountId[], outdated: [] as string[] };
    const holdings = createHoldings({
      ...{ leases, clock: systemClock, log: silentLog },
      async recover(taken) {
        recovered.push(...taken);
        return [];
      },
      async finish(id) {
        held.delete(id);
        events.finished.push(id);
      },
      isIdle: () => true,
      lost() {
        held.clear();
        events.lost += 1;
      },
      outdated: (why) => void events.outdated.push(why),
      ...changes,
    });
    holdings.onTaken((accounts) => {
      for (const id of accounts) held.add(id);
    });
    await holdings.start();
    onTestFinished(() => holdings.stop());
    return { holdings, held, recovered, events };
  };
  return { url, store, begin };
}

const sizes = (...all: { held: Set<AccountId> }[]) => all.map(({ held }) => held.size);
const union = (...all: { held: Set<AccountId> }[]) => new Set(all.flatMap(({ held }) => [...held])).size;

/** Whose answer to the first call of `verb` is lost after it was done. */
function withLostAnswer(leases: LeaseStore, verb: "take" | "release"): LeaseStore {
  let isLost = false;
  const act = leases[verb] as (...given: unknown[]) => Promise<unknown>;
  return {
    ...leases,
    async [verb](...given: unknown[]) {
      const done = await act(...given);
      if (isLost) return done;
      isLost = true;
      throw new Error("the connection was lost");
    },
  };
}

describe("no account stays with nobody", () => {
  it("though the answer to its taking is lost", async () => {
    const { store, begin } = await processes(0);
    const one = await begin({ leases: withLostAnswer(store.leases, "take") });
    for (const name of ["first", "second"]) await addAccount(store, name);
    await until("all to be held", () => one.held.size === 2);
    expect(one.recovered.some(({ lost }) => lost)).toBe(false);
  });

  it("though the answer to its release is lost", async () => {
    const { store, begin } = await processes(4);
    const one = await begin({ leases: withLostAnswer(store.leases, "release") });
    const two = await begin();
    await until("even shares", () => String(sizes(one, two)) === "2,2" && union(one, two) === 4);
  });
});

describe("accounts that cannot be recovered", () => {
  it("hold up neither the others nor the renewal", async () => {
    const { store, begin } = await processes(9);
    const [well] = await store.accounts.list();
    const { clock, jumps } = pausableClock();
    let tries = 0;
    // Each takes a sixth of the lease, by the holder's clock: all eight in a row outlast it.
    const recover = async (taken: Taken[]) => {
      const ill = taken.filter(({ lease }) => lease.accountId !== well?.id);
      if (ill.length > 0) jumps(100_000);
      tries += ill.length;
      return ill.map(({ lease: { accountId } }) => ({ accountId, error: new Error("a row of its messages is held") }));
    };
    const { held, events } = await begin({ recover, clock, ttlMs: 600_000 });
    await until("the other to be held", () => held.size === 1);
    await until("four rounds of tries", () => tries >= 32 || events.lost > 0);
    expect([[...held], events.lost]).toEqual([[well?.id], 0]);
  });
});

describe("many accounts", () => {
  it("are taken in several rounds if recovering them outlasts the lease", async () => {
    const url = await databaseWithTables();
    const { leases } = await postgresStore(url);
    const { clock, jumps } = pausableClock();
    const all = Array.from({ length: 1_000 }, (_, n) => `a${n}` as AccountId);
    const held = new Set<AccountId>();
    let [losses, rounds] = [0, 0];
    const holdings = createHoldings({
      leases: {
        ...leases,
        async shares() {
          rounds += 1;
          return { free: all.filter((id) => !held.has(id)), members: 1, accounts: all.length };
        },
        take: async (accounts) => accounts.map((accountId) => ({ lease: { accountId, fence: 1 }, lost: true })),
      },
      ...{ clock, log: silentLog, ttlMs: 600_000 },
      // All in a row take twice the lease, by the holder's clock.
      async recover(taken) {
        jumps(taken.length * 1_200);
        return [];
      },
      finish: async () => {},
      isIdle: () => true,
      lost: () => {
        held.clear();
        losses += 1;
      },
      outdated: () => {},
    });
    holdings.onTaken((accounts) => {
      for (const id of accounts) held.add(id);
    });
    await holdings.start();
    onTestFinished(() => holdings.stop());
    await until("some rounds", () => rounds >= 8 || losses > 0);
    expect([held.size, losses]).toEqual([1_000, 0]);
  });
});

describe("an account of a lost process", () => {
  it("is known as such until it is recovered, which nobody's wish hurries", async () => {
    const { url, store, begin } = await processes(1);
    const [account] = await store.accounts.list();
    await begin({ ttlMs: 3_600_000 });
    await command(url, "UPDATE member SET expires_at = expires_at - 3600000");
    const tries: boolean[] = [];
    let isHeld = true;
    const recover = async (taken: Taken[]) => {
      tries.push(...taken.map(({ lost }) => lost));
      return isHeld ? taken.map(({ lease: { accountId } }) => ({ accountId, error: new Error("a row is held") })) : [];
    };
    const { holdings, held } = await begin({ recover });
    const before = tries.length;
    const wishes = Array.from({ length: 20 }, () => holdings.take(account?.id as AccountId));
    expect([await Promise.all(wishes), tries.length]).toEqual([Array(20).fill(undefined), before]);
    await until("another round", () => tries.length > before);
    isHeld = false;
    await until("it to be held", () => held.size === 1);
    expect(new Set(tries)).toEqual(new Set([true]));
  });
});

describe("accounts are shared evenly", () => {
  it("among those that join, and those that stay when one leaves", async () => {
    const { begin } = await processes(9);
    const one = await begin();
    expect(sizes(one)).toEqual([9]);
    const two = await begin();
    const three = await begin();
    await until("even shares", () => String(sizes(one, two, three)) === "3,3,3");
    expect(union(one, two, three)).toBe(9);
    expect(one.events.finished).toHaveLength(6);
    // What is given back was not lost.
    expect([...two.recovered, ...three.recovered].some(({ lost }) => lost)).toBe(false);
    await two.holdings.stop();
    await until("a share of what was left", () => one.held.size + three.held.size === 9);
    expect(Math.max(...sizes(one, three))).toBeLessThanOrEqual(5);
  });

  it("only once their last holder has finished them", async () => {
    const { begin } = await processes(2);
    let end = () => {};
    const running = new Promise<void>((resolve) => {
      end = resolve;
    });
    const one = await begin({ finish: () => running });
    const two = await begin();
    await until("it to be given away", () => [...one.held].some((id) => !one.holdings.leaseOf(id)));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(two.held.size).toBe(0);
    end();
    await until("the other to take it", () => two.held.size === 1);
  });

  it("and a new one is somebody's at once", async () => {
    const { begin, store } = await processes(0);
    const [one, two] = [await begin(), await begin()];
    const { id } = await addAccount(store);
    const [first, second] = await Promise.all([one.holdings.take(id), two.holdings.take(id)]);
    expect([first, second].filter((lease) => lease)).toEqual([{ accountId: id, fence: 1 }]);
  });
});

/** A clock that stands while the process is paused: `resume` lets it jump. */
function pausableClock() {
  let jump = 0;
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + jump };
  return {
    clock,
    jumps(ms: number) {
      jump += ms;
    },
  };
}

describe("a process that was paused past its lease", () => {
  it("lets no call leave, before anything has told it", async () => {
    const { begin } = await processes(1);
    const { clock, jumps } = pausableClock();
    const { holdings } = await begin({ clock, ttlMs: 60_000 });
    const call = holdings.guarded(answered);
    expect(await call(request)).toMatchObject({ type: "answer" });
    jumps(60_000);
    expect(await call(request)).toMatchObject({ type: "failure", sent: "no" });
  });

  it("works for nobody and aborts what is under way", async () => {
    const { begin } = await processes(1);
    const { clock, jumps } = pausableClock();
    const one = await begin({ clock, ttlMs: 60_000 });
    const [id] = one.held;
    jumps(60_000);
    await until("the loss", () => one.events.lost === 1);
    // By the database's clock its first membership lives on: as another member it may not have the account yet.
    expect(one.holdings.leaseOf(id as AccountId)).toBeUndefined();
  });

  it("has its accounts taken by others, who know that it may come back", async () => {
    const { url, begin } = await processes(2);
    const one = await begin({ ttlMs: 3_600_000 });
    await command(url, "UPDATE member SET expires_at = expires_at - 3600000");
    const told: [string, Fields?][] = [];
    const log = { ...silentLog, info: (...line: [string, Fields?]) => void told.push(line) };
    const two = await begin({ log });
    expect(two.recovered.map(({ lost }) => lost)).toEqual([true, true]);
    expect(one.events.lost).toBe(0);
    // Its name as `gangway doctor` shows it.
    const [holder] = await command(url, "SELECT DISTINCT owner FROM account_lease");
    expect(told).toEqual([
      ["lease.joined", { process: holder?.owner }],
      ["lease.taken", { process: holder?.owner, accounts: 2, fromLost: 2 }],
    ]);
    expect(holder?.owner).toContain(`@${hostname()}:${process.pid}`);
  });

  it("works no more, and says so once, if the database has become too new for it", async () => {
    const { url, begin } = await processes(1);
    const { clock, jumps } = pausableClock();
    const warned: string[] = [];
    const log = { ...silentLog, warn: (event: string) => void warned.push(event) };
    const one = await begin({ clock, log, ttlMs: 60_000 });
    await command(url, "UPDATE migration SET oldest = '9999_newer'");
    jumps(60_000);
    await until("the end", () => one.events.outdated.length > 0);
    // Two rounds later.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(one.events).toMatchObject({ lost: 1, outdated: [expect.stringContaining("newer version of Gangway")] });
    expect(warned).toEqual([]);
  });
});
