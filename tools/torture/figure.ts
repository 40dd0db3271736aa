/** One row of the table: a promise's measured value and its bound. */
export interface Figure {
  /** For example `P1`. */
  promise: string;
  what: string;
  figure: number | string;
  bound: string;
  /** Absent when this machine cannot run it; `figure` says why. */
  pass?: boolean;
  /** Days that passed on a simulated clock. */
  days?: number;
}

export const none = (promise: string, what: string, figure: number): Figure => ({
  promise,
  what,
  figure,
  bound: "0",
  pass: figure === 0,
});

export const atMost = (promise: string, what: string, figure: number, max: number, unit = ""): Figure => ({
  promise,
  what,
  figure: `${round(figure)}${unit}`,
  bound: `≤ ${round(max)}${unit}`,
  pass: figure <= max,
});

export const atLeast = (promise: string, what: string, figure: number, min: number, unit = ""): Figure => ({
  promise,
  what,
  figure: `${round(figure)}${unit}`,
  bound: `≥ ${round(min)}${unit}`,
  pass: figure >= min,
});

export const exactly = (promise: string, what: string, figure: number, wanted: number): Figure => ({
  promise,
  what,
  figure,
  bound: `= ${wanted}`,
  pass: figure === wanted,
});

const round = (n: number) => Math.round(n * 100) / 100;

export function tableOf(figures: Figure[]): string {
  const rows = figures.map(({ promise, what, figure, bound, pass }) => [
    promise,
    what,
    String(figure),
    bound,
    pass === undefined ? "not tried" : pass ? "pass" : "FAIL",
  ]);
  const all = [["promise", "what", "figure", "bound", ""], ...rows];
  const widths = [0, 1, 2, 3].map((n) => Math.max(...all.map((row) => row[n]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
