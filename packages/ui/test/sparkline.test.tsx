import { expect, it } from "vitest";
import { Sparkline } from "../src/sparkline.tsx";

const linesOf = (values: number[], failures: number[]) =>
  [...String(<Sparkline values={values} failures={failures} />).matchAll(/<path( class="failed")? d="([^"]+)"/g)].map(
    ([, isFailed, path]) => ({ isFailed: isFailed !== undefined, path }),
  );

it("a rhythm has a line of failures only where there are some", () => {
  expect(linesOf([0, 4], [0, 0])).toEqual([{ isFailed: false, path: "M0 26L120 2" }]);
  expect(linesOf([0, 4], [0, 2])).toEqual([
    { isFailed: false, path: "M0 26L120 2" },
    { isFailed: true, path: "M0 26L120 14" },
  ]);
});

it("a rhythm of nothing, or of one day, is drawn at the foot", () => {
  expect(linesOf([], [])).toEqual([]);
  expect(linesOf([0], [0])).toEqual([{ isFailed: false, path: "M0 26" }]);
});
