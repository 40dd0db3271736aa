import { seeded } from "gangway-messenger/kit/emulator/random";
import { describe, expect, it } from "vitest";
import { allRows, pairsOf, pairwise } from "../../../tools/torture/pairwise.ts";
import { fc, tries } from "../../support/property.ts";

type Row = Record<string, number>;

const factors = fc
  .array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 })
  .map((sizes) =>
    Object.fromEntries(sizes.map((size, n) => [`f${n}`, Array.from({ length: size }, (_, value) => value)])),
  );
/** Forbids some rows, by a rule unrelated to pairs. */
const rule = fc.integer({ min: 2, max: 7 }).map((divisor) => (row: Row) => {
  return Object.values(row).reduce((sum, value, n) => sum + value * (n + 1), 0) % divisor !== 0;
});

describe("pairs of values", () => {
  it("are all in some chosen row if any allowed row has them, and only allowed rows are chosen", () =>
    fc.assert(
      fc.property(factors, rule, fc.nat(), (given, allowed, seed) => {
        const rows = allRows<Row>(given, allowed);
        const chosen = pairwise(rows, seeded(seed));
        expect(new Set(chosen.flatMap(pairsOf))).toEqual(new Set(rows.flatMap(pairsOf)));
        for (const row of chosen) expect(rows).toContain(row);
        expect(new Set(chosen).size).toBe(chosen.length);
      }),
      tries(200),
    ));

  it("are chosen the same way by the same seed", () =>
    fc.assert(
      fc.property(factors, fc.nat(), (given, seed) => {
        const rows = allRows<Row>(given, () => true);
        expect(pairwise(rows, seeded(seed))).toEqual(pairwise(rows, seeded(seed)));
      }),
      tries(50),
    ));

  it("need far fewer rows than all combinations", () => {
    const many = Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [name, Array.from({ length: 8 }, (_, value) => value)]),
    );
    const rows = allRows<Row>(many, () => true);
    expect(rows).toHaveLength(4096);
    expect(pairwise(rows, seeded(1)).length).toBeLessThan(130);
  });
});
