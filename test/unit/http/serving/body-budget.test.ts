import { describe, expect, it } from "vitest";
import { bodyBudget } from "../../../../src/http/serving/body-budget.ts";
import { boundOf } from "../../../support/overload.ts";

const KIB = 1024;

describe("the bytes of bodies that are under way", () => {
  it("are bounded over all requests, and a body that ends leaves its room to others", async () => {
    const budget = bodyBudget(100 * KIB);
    const [first, second] = [budget.hold(), budget.hold()];
    first.add(60 * KIB);
    expect(await boundOf((async () => second.add(60 * KIB))())).toBe("process");
    second.add(20 * KIB);
    first.end();
    second.add(60 * KIB);
    second.end();
    expect(budget.held()).toBe(0);
  });

  it("count tiny chunks as what they take", () => {
    const budget = bodyBudget(100 * KIB);
    const held = budget.hold();
    expect(() => {
      for (let n = 0; n < 1_000; n++) held.add(1);
    }).toThrow("too much to do");
  });

  it("count no more once the body has ended, and end once", () => {
    const budget = bodyBudget(100 * KIB);
    const held = budget.hold();
    held.add(KIB);
    held.end();
    held.add(KIB);
    held.end();
    expect(budget.held()).toBe(0);
  });
});
