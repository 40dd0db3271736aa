import { expect, it } from "vitest";
import { runTests } from "../../../tools/torture/proofs.ts";

it("a proof counts the tests that it runs", () => {
  const { passed, all } = runTests(["test/unit/log"]);
  expect(all).toBeGreaterThan(5);
  expect(passed).toBe(all);
});
