import { describe, expect, it } from "vitest";
import { tableOf } from "../../../tools/torture/figure.ts";
import { ON_POSTGRES, runTrial, SEVERAL, TRIALS } from "../../../tools/torture/torture.ts";
import type { Trial } from "../../../tools/torture/trial.ts";
import { onPostgres } from "../../support/engine.ts";

/** The trials by test file: files run side by side. */
export const FILES: Record<"deaths" | "disk" | "load" | "processes" | "waits", string[]> = {
  deaths: ["kills", "kills on hold", "crash points", "power cuts", "rolling restarts"],
  disk: ["sync before answer", "poison", "full disk", "started on a full disk", "database gone", "PostgreSQL full"],
  load: [
    "broken network",
    "whatsapp",
    "parallel repeats",
    "a flooding tenant",
    "a dead messenger",
    "one noisy user",
    "farewells",
  ],
  processes: ["three processes", "PostgreSQL lost", "clocks apart", "accounts handed over", "holders stopped"],
  waits: ["innocent waiting", "stalls", "one 401 or 403", "clock jumps", "out of descriptors"],
};

/** The machine runs other tests at the same time: only `npm run torture` holds times and rates to their bounds. */
const SLACK = 20;

async function holds(trial: Trial): Promise<void> {
  const seed = Number(process.env.TORTURE_SEED ?? 1);
  const lines = [`seed ${seed}`];
  const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "error" };
  const print = (line: string) => void lines.push(line);
  const figures = await runTrial(trial, { short: true, slack: SLACK, postgres: onPostgres, seed, env, print });
  const out = figures.filter(({ pass }) => pass === false);
  expect(out, [...lines, tableOf(figures)].join("\n")).toEqual([]);
}

/** The short form of `npm run torture`, for one file of trials. */
export function describeTrials(file: keyof typeof FILES, { concurrent = false } = {}): void {
  // Those of several processes have a PostgreSQL of their own, and run once.
  const runs = (trial: Trial) => !onPostgres || (ON_POSTGRES.includes(trial) && !SEVERAL.includes(trial));
  describe("under torture every promise stays within its bound", { concurrent }, () => {
    for (const trial of TRIALS.filter(({ name }) => FILES[file].includes(name)))
      it.runIf(runs(trial))(trial.name, () => holds(trial));
  });
}
