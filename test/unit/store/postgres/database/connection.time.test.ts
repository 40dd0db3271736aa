import { setImmediate } from "node:timers/promises";
import { createClock } from "gangway-messenger/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, followTime } from "../../../../../src/store/postgres/database/connection.ts";
import { postgresEngine } from "../../../../../src/store/postgres/database/engine.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { agentSays } from "../../../../support/events.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel, KEY_RING } from "../../../../support/store.ts";

const HOUR_MS = 3_600_000;
const BEGUN = Date.UTC(2026, 0, 1);

/** A database with an agent's message, whose clock and whose processes' clocks the test moves. */
async function database() {
  const url = await databaseWithTables();
  const store = await postgresStore(url);
  const channel = await addChannel(store, await addAccount(store));
  await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 60_000 });
  const pool = await connect(url, () => undefined);
  onTestFinished(() => pool.end());
  const { read, write } = postgresEngine(pool, { sealer: createSealer(KEY_RING) });
  let at = BEGUN;
  const looking = { write, read: async (work: Parameters<typeof read>[0]) => shown(await read(work)) } as never;
  const shown = (row: unknown) => (typeof row === "object" && row && "now" in row ? { ...row, now: at } : row);
  const processes: { passes(ms: number): Promise<void> }[] = [];
  const start = async () => {
    let up = 0;
    let next: (() => void) | undefined;
    const clock = createClock(
      () => BEGUN + up,
      () => up,
    );
    const after = (_: number, run: () => void) => {
      next = run;
      return () => undefined;
    };
    await followTime(looking, { ...clock, after });
    const looks = async () => {
      const run = next;
      next = undefined;
      run?.();
      while (!next) await setImmediate();
    };
    const passes = (ms: number) => {
      up += ms;
      return looks();
    };
    const process = { passes, now: () => clock.now() - BEGUN };
    processes.push(process);
    return process;
  };
  return {
    start,
    steps(ms: number) {
      at += ms;
    },
    async seconds(count: number) {
      for (let n = 0; n < count; n++) {
        at += 1_000;
        for (const { passes } of processes) await passes(1_000);
      }
    },
    deadline: async () => (await command(url, "SELECT deadline_at AS at FROM message"))[0]?.at as number,
  };
}

describe("a step of the database's clock", () => {
  it.each([HOUR_MS, -HOUR_MS])("of %i ms that lasts for seconds is not seen", async (by) => {
    const { start, steps, seconds, deadline } = await database();
    const [one, two] = [await start(), await start()];
    const before = await deadline();
    for (let n = 0; n < 2; n++) {
      steps(by);
      await seconds(6);
      expect([one.now(), two.now()]).toEqual([n * 12_000 + 6_000, n * 12_000 + 6_000]);
      steps(-by);
      await seconds(6);
    }
    await seconds(70);
    expect([one.now(), two.now(), await deadline()]).toEqual([94_000, 94_000, before]);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "of %i ms that lasts counts after a minute, for all within a second, and takes no time from what waits",
    async (by) => {
      const { start, steps, seconds, deadline } = await database();
      const [one, two] = [await start(), await start()];
      const before = await deadline();
      steps(by);
      await seconds(59);
      expect([one.now(), two.now(), await deadline()]).toEqual([59_000, 59_000, before]);
      let [count, apart] = [59, 0];
      for (; count < 70; count++) {
        await seconds(1);
        if (one.now() !== two.now()) apart += 1;
      }
      expect([one.now(), two.now()]).toEqual([count * 1_000 + by, count * 1_000 + by]);
      expect(apart).toBeLessThanOrEqual(1);
      expect((await deadline()) - before).toBe(Math.max(0, by));
      await seconds(70);
      expect((await deadline()) - before).toBe(Math.max(0, by));
    },
  );

  it("does not part a process that starts meanwhile from the others", async () => {
    const { start, steps, seconds } = await database();
    const one = await start();
    steps(HOUR_MS);
    await seconds(10);
    const two = await start();
    expect([one.now(), two.now()]).toEqual([10_000, 10_000]);
    await seconds(70);
    expect([one.now(), two.now()]).toEqual([80_000 + HOUR_MS, 80_000 + HOUR_MS]);
  });
});

it("a process that stood still for an hour follows the others' time within seconds, and moves none of them", async () => {
  const { start, steps, seconds, deadline } = await database();
  const [one, two, still] = [await start(), await start(), await start()];
  const before = await deadline();
  steps(HOUR_MS);
  for (const each of [one, two]) await each.passes(HOUR_MS);
  await seconds(3);
  const passed = HOUR_MS + 3_000;
  expect([one.now(), two.now(), still.now(), await deadline()]).toEqual([passed, passed, passed, before]);
});
