import { expect, it } from "vitest";
import { changedBy } from "../../../src/browser/presence.ts";

it("presence holds until its change, and is the opposite from then on", () => {
  const known = { open: true, changesAt: 1_000 };
  expect(changedBy(999, known)).toEqual({});
  expect(changedBy(1_000, known)).toEqual({ open: false, changesAt: undefined });
  expect(changedBy(5_000, { open: false })).toEqual({});
});
