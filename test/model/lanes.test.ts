import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { LONG } from "../support/long.ts";
import { type Bench, begin, openBench, openPostgresBench, type Saboteur } from "./bench.ts";
import { STEPS } from "./commands.ts";
import { SABOTEURS } from "./saboteurs.ts";

/** `npm run model` sets them, with a random seed; a printed seed reproduces its run. */
const { MODEL_RUNS = LONG ? "60" : "5", MODEL_SEED = "1" } = process.env;
const RUNS = Number(MODEL_RUNS);
/** Each statement of PostgreSQL is a round trip. */
const ENGINES = [
  { name: "SQLite", open: openBench, runs: RUNS },
  { name: "PostgreSQL", open: openPostgresBench, runs: Math.ceil(RUNS / 10) },
];
const SEED = MODEL_SEED === "chance" ? Date.now() % 2 ** 31 : Number(MODEL_SEED);
/** Fixed, so that detection does not depend on luck. */
const SABOTEUR_SEED = 2;
/** Steps of the longest run; the mean is half of it. */
const MAX_STEPS = 200;
/** Runs per database: the checks at each restart slow down as it grows. */
const RUNS_PER_FILE = 100;
const RUN_MS = 4_000;
/** A limit ends a hang; a busy machine is slow. */
const LIMIT_MS = 300_000;

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

async function play(runs: number, open = openBench, saboteur?: Saboteur) {
  let bench: Bench | undefined;
  let played = 0;
  const steps = { count: 0 };
  const fresh = async () => {
    if (played++ % RUNS_PER_FILE === 0) {
      bench?.close();
      bench = await open(saboteur);
    }
    return bench as Bench;
  };
  const commands = fc.commands(STEPS, { maxCommands: MAX_STEPS, size: "max" });
  const property = fc.asyncProperty(commands, async (some) => {
    const on = await fresh();
    await fc.asyncModelRun(() => begin(on, steps), some);
  });
  const result = await fc.check(property, {
    numRuns: runs,
    seed: saboteur ? SABOTEUR_SEED : SEED,
    endOnFailure: saboteur !== undefined,
  });
  closing.push(() => bench?.close());
  return { result, steps: steps.count };
}

describe("lanes and settling", () => {
  it.each(ENGINES)(
    `match the reference model after every step on $name: seed ${SEED}`,
    { timeout: Math.max(LIMIT_MS, RUNS * RUN_MS) },
    async ({ name, open, runs }) => {
      const { result, steps } = await play(runs, open);
      process.stdout.write(`model: ${name}, ${result.numRuns} runs, ${steps} steps, seed ${SEED}\n`);
      expect(result.failed ? `${fc.defaultReportMessage(result)}\n${result.errorInstance}` : "held").toBe("held");
      expect(steps / runs).toBeGreaterThan(50);
    },
  );

  it.runIf(LONG).each(SABOTEURS)("deviate with a store that %s", { timeout: LIMIT_MS }, async (_, saboteur) => {
    const { result } = await play(60, openBench, saboteur);
    expect(result.failed, "the model run has to notice").toBe(true);
    expect(String(result.errorInstance)).toMatch(/AssertionError|UNIQUE/);
  });
});
