import { describe, expect, it } from "vitest";
import { tableOf } from "../../tools/torture/figure.ts";
import { runTrial, TRIALS } from "../../tools/torture/torture.ts";

/** The grid is a stage of its own in `.ci/run`, and the proofs are tests themselves. */
const ELSEWHERE = ["grid", "proofs"];
/** They mostly wait: side by side they take as long as the longest. */
const IDLE = ["waiting is no guilt", "stalls", "one 401 or 403"];

const here = TRIALS.filter(({ name }) => !ELSEWHERE.includes(name));

async function holds(trial: (typeof TRIALS)[number]): Promise<void> {
  const seed = Number(process.env.TORTURE_SEED ?? 1);
  const lines = [`seed ${seed}`];
  const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "error" };
  const print = (line: string) => void lines.push(line);
  const figures = await runTrial(trial, { short: true, seed, env, print });
  const out = figures.filter(({ pass }) => pass === false);
  expect(out, [...lines, tableOf(figures)].join("\n")).toEqual([]);
}

/** The short version of `npm run torture`. */
describe("under torture every promise stays within its bound", () => {
  for (const trial of here.filter(({ name }) => !IDLE.includes(name)))
    it(trial.name, { timeout: 180_000 }, () => holds(trial));
});

describe.concurrent("under torture that mostly waits, too", () => {
  for (const trial of here.filter(({ name }) => IDLE.includes(name)))
    it(trial.name, { timeout: 300_000 }, () => holds(trial));
});

it("every trial that is played apart is there", () => {
  for (const name of [...ELSEWHERE, ...IDLE]) expect(TRIALS.map((trial) => trial.name)).toContain(name);
});
