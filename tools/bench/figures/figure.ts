import type { Figure } from "../rounds.ts";

/** How much time a measure may take. */
export type Scale = "quick" | "usual" | "long";

/** One line of the table. */
export interface Line {
  name: string;
  what: string;
  figure: Figure;
  /** With its leading space. */
  unit: string;
  bound?: string;
  holds?: boolean;
  detail?: unknown;
}
/** `against`: the `main.js` of another build, for those that can compare. */
export type Measure = (scale: Scale, against?: string) => Promise<Line[]>;

type Bounded = Omit<Line, "bound" | "holds"> & { atLeast?: number; atMost?: number };

/** A line that says whether it keeps its bound. */
export function bounded({ atLeast, atMost, ...line }: Bounded): Line {
  const { value } = line.figure;
  const holds = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const unit = line.unit;
  const bound =
    atLeast === undefined ? `≤ ${atMost?.toLocaleString("en")}${unit}` : `≥ ${atLeast.toLocaleString("en")}${unit}`;
  return { ...line, bound, holds };
}

/** A value that was measured once. */
export const once = (value: number): Figure => ({ value, least: value, most: value });
