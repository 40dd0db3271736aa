import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../tools/root.ts";
import { createChance } from "../../../tools/simulate/chance.ts";
import { shrink } from "../../../tools/simulate/shrink.ts";
import { type Programs, programs, repeating, simulate } from "../../../tools/simulate/simulate.ts";
import { createTime } from "../../../tools/simulate/time.ts";
import { LONG } from "../../support/long.ts";

const MAIN = join(ROOT, "tools", "dist", "simulate", "main.js");

/** Of virtual time: 16 seconds of storm. */
const SHORT = { days: 0.00018, accounts: 1, intervalMs: 3_000 };
/** Seeds of one test; fifty in all, or in the long form two hundred others. */
const EACH = 10;
/** From this seed on two WhatsApp numbers share a business account. */
const SHARING = { from: 281, accounts: 3 };
const FIRST = Array.from({ length: LONG ? 20 : 5 }, (_, n) => (LONG ? 101 : 1) + n * EACH);

describe("a simulation of the built server", () => {
  let built: Programs;
  beforeAll(async () => {
    built = await programs();
  });

  it.each(FIRST)(`keeps every promise, whatever seed %i and the ${EACH - 1} after it bring`, async (first) => {
    const broken: string[] = [];
    for (let seed = first; seed < first + EACH; seed++) {
      const given = { seed, ...SHORT, ...(seed >= SHARING.from && { accounts: SHARING.accounts }) };
      const { findings } = await simulate(built, given);
      if (findings.length > 0) broken.push(`${findings[0]}; ${repeating(given)}`);
    }
    expect(broken).toEqual([]);
  });

  it("gives the same trace and the same faults for the same seed, and others for another", async () => {
    const given = { seed: 1, days: 0.001, accounts: 2 };
    const [first, second] = [await simulate(built, given), await simulate(built, given)];
    expect(second).toEqual(first);
    expect(first.deaths).toBeGreaterThan(2);
    expect(first.faults.length).toBeGreaterThan(first.deaths);
    expect(first.messages).toBeGreaterThan(20);
    expect(first.findings).toEqual([]);
    expect((await simulate(built, { ...given, seed: 2 })).hash).not.toBe(first.hash);
  });

  // Sixty seconds of CPU for the sabotage, besides.
  const limit = { timeout: 900_000 };
  it.runIf(LONG)("keeps every promise when the power goes, and finds that a commit is not synced", limit, async () => {
    const run = (...more: string[]) =>
      spawnSync(
        process.execPath,
        [MAIN, "--power-cuts", "--seed", "1", "--accounts", "1", "--interval", "3", ...more],
        {
          encoding: "utf8",
        },
      );
    const kept = run("--runs", "20", "--days", "0.0006");
    expect(kept.stdout).toMatch(/Every promise was kept\.\n$/);
    expect(run("--sabotage", "--only", "commits are not synced").stdout).toContain("1 of 1 noticed");
  });

  it("finds that a server forgets what a death has interrupted", async () => {
    const forgets = {
      file: "relay/deliver/attempt.js",
      find: "await deps.store.outbox.takeOver(lease)",
      replace: "[]",
    };
    const given = { seed: 5, ...SHORT, settleMs: 30 * 60_000 };
    expect((await simulate(built, given)).findings).toEqual([]);
    expect((await simulate(await programs([forgets]), given)).findings).not.toEqual([]);
  });
});

describe("faults", () => {
  it("are the same for one name, whatever is drawn for others", () => {
    const [alone, beside] = [createChance(7), createChance(7)];
    const first = [alone.draw("a"), alone.draw("a")];
    beside.draw("b");
    expect([beside.draw("a"), beside.draw("a")]).toEqual(first);
    expect(createChance(8).draw("a")).not.toBe(first[0]);
  });

  it("are left out unless they are wanted", () => {
    const all = createChance(7);
    const struck = Array.from({ length: 20 }, () => all.strikes("call", 0.5, "reset"));
    const [wanted = ""] = all.faults();
    const few = createChance(7, new Set([wanted]));
    expect(Array.from({ length: 20 }, () => few.strikes("call", 0.5, "reset")).filter(Boolean)).toEqual([true]);
    expect(few.faults()).toEqual([wanted]);
    expect(struck.filter(Boolean).length).toBeGreaterThan(3);
  });

  it("are reduced to those that break something together", async () => {
    const all = Array.from({ length: 100 }, (_, n) => n);
    const breaks = async (left: number[]) => left.includes(17) && left.includes(80);
    expect(await shrink(all, breaks, 200)).toEqual([17, 80]);
  });
});

describe("virtual time", () => {
  it("lets things happen in order, and after all that the one before has set off", async () => {
    const time = createTime();
    const seen: string[] = [];
    time.after(20, () => seen.push(`late ${time.now()}`));
    time.after(10, () => {
      time.after(0, () => seen.push("at once"));
      void Promise.resolve().then(() => seen.push("microtask"));
      seen.push(`early ${time.now()}`);
    });
    time.after(15, () => seen.push("cancelled"))();
    await time.run(() => seen.length === 4);
    expect(seen).toEqual(["early 10", "microtask", "at once", "late 20"]);
  });

  it("ends when it stands still", async () => {
    const time = createTime();
    const again = () => void time.after(0, again);
    again();
    await expect(time.run(() => false)).rejects.toThrow("time stands still");
  });

  it("ends when nothing is due any more", async () => {
    await expect(createTime().run(() => false)).rejects.toThrow("nothing is due");
  });
});
