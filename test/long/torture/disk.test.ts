import { expect, it } from "vitest";
import { TRIALS } from "../../../tools/torture/torture.ts";
import { describeTrials, FILES } from "./trials.ts";

describeTrials("disk");

it("every trial has a file; the grid is a stage of its own in .ci/run, and the proofs are tests themselves", () => {
  expect([...Object.values(FILES).flat(), "grid", "proofs"].sort()).toEqual(TRIALS.map(({ name }) => name).sort());
});
