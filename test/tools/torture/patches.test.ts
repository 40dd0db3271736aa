import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Patch, type Patched, patched, patchedPath } from "../../../tools/torture/copy.ts";
import { crashPoints } from "../../../tools/torture/crashes.ts";
import { ALL_CELLS, nameOf } from "../../../tools/torture/grid/cells.ts";
import { STEADY } from "../../../tools/torture/hurry.ts";
import { POISON } from "../../../tools/torture/poison.ts";
import { PROOFS } from "../../../tools/torture/proofs.ts";
import { FIGURES_ONLY, SABOTAGES } from "../../../tools/torture/sabotages.ts";
import { SABOTAGES_OF_FAULTS } from "../../../tools/torture/sabotages-of-faults.ts";
import { SABOTAGES_OF_THREATS } from "../../../tools/torture/sabotages-of-threats.ts";
import { TRIALS } from "../../../tools/torture/torture.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const TESTS = globSync("{test,packages/*/test,messengers/*/test}/**/*.test.{ts,tsx}", { cwd: REPOSITORY });

/** A trial's own patches, applied along with a sabotage. */
const OWN: Record<string, Patch[]> = {
  "crash points": crashPoints("crash-point"),
  poison: [POISON],
  "rolling restarts": STEADY,
  "innocent waiting": [POISON],
};

/** Applies the patches in order to the texts. Throws PatchMisfit. */
function change(where: Patched, patches: Patch[]): void {
  const texts = new Map<string, string>();
  const textOf = (patch: Patch) => texts.get(patch.file) ?? readFileSync(patchedPath(REPOSITORY, where, patch), "utf8");
  for (const patch of patches) texts.set(patch.file, patched(textOf(patch), patch));
}

const named = SABOTAGES.map((sabotage) => ({ ...sabotage, name: `${sabotage.promise} ${sabotage.what}` }));

describe("patches of the program", () => {
  it.each(Object.entries(OWN))("%s: each fits the build", (_, patches) => change("dist/modules", patches));

  it.each(named)("$name: each fits once", ({ tests, trial = "", patches }) => {
    expect(patches).not.toEqual([]);
    if (tests) change("src", patches);
    else change("dist/modules", [...patches, ...(OWN[trial] ?? [])]);
  });
});

describe("a sabotage", () => {
  it.each(named)("$name: names an existing trial or existing tests", ({ trial, tests = [] }) => {
    if (trial) expect(TRIALS.map(({ name }) => name)).toContain(trial);
    else expect(tests).not.toEqual([]);
    for (const each of tests)
      expect(
        TESTS.filter((file) => file.includes(each)),
        each,
      ).not.toEqual([]);
  });

  it.each(SABOTAGES_OF_FAULTS)("$what: names existing cells", ({ cells = [] }) => {
    const names = ALL_CELLS.map(nameOf);
    for (const cell of cells) expect(names).toContain(cell);
  });

  it("has a unique name, to be played alone", () => {
    const names = SABOTAGES.map(({ what }) => what);
    expect(names.filter((one) => names.filter((other) => other.includes(one)).length > 1)).toEqual([]);
  });

  it("exists for each promise that is not only a bench figure", () => {
    const promises = [...Array.from({ length: 23 }, (_, n) => `P${n + 1}`), "P28", "P29"];
    const played = new Set(SABOTAGES.map(({ promise }) => promise));
    expect(promises.filter((promise) => !played.has(promise))).toEqual(FIGURES_ONLY);
  });

  it("exists for each threat to the account's form", () => {
    const played = SABOTAGES_OF_THREATS.map(({ promise }) => promise);
    expect(played).toEqual(expect.arrayContaining(["T1", "T6", "T7", "T8", "T10", "T14", "T15", "T24"]));
  });
});

it("proofs name existing tests", () => {
  for (const path of PROOFS.flatMap(({ tests }) => tests))
    expect(
      TESTS.filter((file) => file.includes(path)),
      path,
    ).not.toEqual([]);
});
