import { seeded } from "gangway-messenger/kit/emulator/random";
import { expect, it } from "vitest";
import { agesOf } from "../../../tools/torture/deaths.ts";
import { busiest } from "../../../tools/torture/stalls.ts";
import { fc } from "../../support/property.ts";

it("servers are killed at every age: once in each equal part of a logarithmic scale", () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(), (count, seed) => {
      const ages = agesOf(count, [20, 60_000], seeded(seed)).sort((a, b) => a - b);
      const step = (60_000 / 20) ** (1 / count);
      for (const [n, age] of ages.entries()) {
        expect(age).toBeGreaterThanOrEqual(20 * step ** n * 0.999);
        expect(age).toBeLessThanOrEqual(20 * step ** (n + 1) * 1.001);
      }
    }),
  ));

it("the busiest second is found wherever it begins", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 60 }), (times) => {
      const arrivals = times.sort((a, b) => a - b);
      const within = (from: number) => arrivals.filter((at) => at >= from && at < from + 1_000).length;
      expect(busiest(arrivals)).toBe(Math.max(0, ...arrivals.map(within)));
    }),
  ));
