import { describe, expect, it } from "vitest";
import { BarChart, scaleFor } from "../src/bar-chart.tsx";

describe("the top of the axis", () => {
  it.each([
    [1, 2],
    [2, 2],
    [3, 4],
    [5, 6],
    [7, 10],
    [10, 10],
    [11, 20],
    [41, 60],
    [99, 100],
    [12_840, 20_000],
  ])("is round, and not below the highest bar: %i", (most, top) => {
    expect(scaleFor(most)).toBe(top);
  });

  it("has a whole half", () => {
    for (let most = 1; most <= 10_000; most++) {
      expect(scaleFor(most)).toBeGreaterThanOrEqual(most);
      expect(scaleFor(most) % 2).toBe(0);
    }
  });
});

describe("a chart", () => {
  const chart = (days: { name: string; delivered: number; failed: number }[]) =>
    String(
      <BarChart label="Two weeks" days={days} words={{ delivered: "Delivered", failed: "Failed" }} format={String} />,
    );

  it("says each day's figures, and what it shows, in words", () => {
    const page = chart([{ name: "5 May", delivered: 3, failed: 1 }]);
    expect(page).toContain("<title>5 May: Delivered 3, Failed 1</title>");
    expect(page).toContain('role="img" aria-label="Two weeks"');
  });

  it("of days without messages has an axis and no bar", () => {
    const page = chart([{ name: "5 May", delivered: 0, failed: 0 }]);
    expect(page).not.toMatch(/NaN|Infinity|<rect class="(delivered|failed)"/);
    expect(page.match(/class="rule"/g)).toHaveLength(3);
  });
});
