import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Patch, patched } from "../../../tools/torture/copy.ts";
import { crashPoints } from "../../../tools/torture/crashes.ts";
import { ALL_CELLS, nameOf } from "../../../tools/torture/grid/cells.ts";
import { POISON } from "../../../tools/torture/poison.ts";
import { PROOFS } from "../../../tools/torture/proofs.ts";
import { FIGURES_ONLY, SABOTAGES } from "../../../tools/torture/sabotages.ts";
import { SABOTAGES_OF_FAULTS } from "../../../tools/torture/sabotages-of-faults.ts";
import { TRIALS } from "../../../tools/torture/torture.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const TESTS = (readdirSync(join(REPOSITORY, "test"), { recursive: true }) as string[])
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `test/${file}`);

/** What a trial changes itself, beside a sabotage. */
const OWN: Record<string, Patch[]> = {
  "crash points": crashPoints("crash-point"),
  poison: [POISON],
  "innocent waiting": [POISON],
};

/** One after the other, as a copy of the program is changed. Throws PatchMisfit. */
function change(folder: "dist" | "src", patches: Patch[]): void {
  const texts = new Map<string, string>();
  const textOf = (file: string) => texts.get(file) ?? readFileSync(join(REPOSITORY, folder, file), "utf8");
  for (const patch of patches) texts.set(patch.file, patched(textOf(patch.file), patch));
}

const named = SABOTAGES.map((sabotage) => ({ ...sabotage, name: `${sabotage.promise} ${sabotage.what}` }));

describe("changes of the program", () => {
  it.each(Object.entries(OWN))("%s: each fits the build", (_, patches) => change("dist", patches));

  it.each(named)("$name: each fits once", ({ tests, trial = "", patches }) => {
    expect(patches).not.toEqual([]);
    if (tests) change("src", patches);
    else change("dist", [...patches, ...(OWN[trial] ?? [])]);
  });
});

describe("a sabotage", () => {
  it.each(named)("$name: is for a trial or tests that are there", ({ trial, tests = [] }) => {
    if (trial) expect(TRIALS.map(({ name }) => name)).toContain(trial);
    else expect(tests).not.toEqual([]);
    for (const each of tests)
      expect(
        TESTS.filter((file) => file.includes(each)),
        each,
      ).not.toEqual([]);
  });

  it.each(SABOTAGES_OF_FAULTS)("$what: plays cells that there are", ({ cells = [] }) => {
    const names = ALL_CELLS.map(nameOf);
    for (const cell of cells) expect(names).toContain(cell);
  });

  it("has a name of its own, by which it can be played alone", () => {
    const names = SABOTAGES.map(({ what }) => what);
    expect(names.filter((one) => names.filter((other) => other.includes(one)).length > 1)).toEqual([]);
  });

  it("is there for each promise that is not a mere figure of the bench", () => {
    const promises = [...Array.from({ length: 23 }, (_, n) => `P${n + 1}`), "P28", "P29"];
    const played = new Set(SABOTAGES.map(({ promise }) => promise));
    expect(promises.filter((promise) => !played.has(promise))).toEqual(FIGURES_ONLY);
  });
});

it("what is proved by tests names tests that are there", () => {
  for (const path of PROOFS.flatMap(({ tests }) => tests))
    expect(
      TESTS.filter((file) => file.includes(path)),
      path,
    ).not.toEqual([]);
});
