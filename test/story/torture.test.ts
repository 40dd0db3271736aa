import { describe, expect, it } from "vitest";
import { tableOf } from "../../dist/sandbox/torture/figure.js";
import { runTrial, TRIALS } from "../../dist/sandbox/torture/torture.js";

/** The short version of `npm run torture`. */
describe("under torture every promise stays within its bound", () => {
  for (const trial of TRIALS.filter(({ name }) => name !== "proofs"))
    it(trial.name, { timeout: 180_000 }, async () => {
      const seed = Number(process.env.TORTURE_SEED ?? 1);
      const lines = [`seed ${seed}`];
      const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "error" };
      const print = (line: string) => void lines.push(line);
      const figures = await runTrial(trial, { short: true, seed, env, print });
      const out = figures.filter(({ pass }) => pass === false);
      expect(out, [...lines, tableOf(figures)].join("\n")).toEqual([]);
    });
});
