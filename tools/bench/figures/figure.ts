import type { Figure } from "../rounds.ts";

/** Length of a run. */
export type Scale = "quick" | "usual" | "long";

/** One row of the table. */
export interface Row {
  name: string;
  what: string;
  figure: Figure;
  /** Includes a leading space if needed. */
  unit: string;
  bound?: string;
  holds?: boolean;
  detail?: unknown;
}
export interface Options {
  /** Another build's `main.js` to compare with. */
  against?: string;
  /** Accounts to compare with the usual 200. */
  accounts?: number;
}
export type Measure = (scale: Scale, options: Options) => Promise<Row[]>;

type Bounded = Omit<Row, "bound" | "holds"> & { atLeast?: number; atMost?: number };

/** Adds the bound, and whether the figure keeps it. */
export function bounded({ atLeast, atMost, ...row }: Bounded): Row {
  const { value } = row.figure;
  const holds = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const unit = row.unit;
  const bound =
    atLeast === undefined ? `≤ ${atMost?.toLocaleString("en")}${unit}` : `≥ ${atLeast.toLocaleString("en")}${unit}`;
  return { ...row, bound, holds };
}

/** The figure of a single measurement. */
export const once = (value: number): Figure => ({ value, least: value, most: value });
