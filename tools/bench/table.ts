import { readFileSync, writeFileSync } from "node:fs";
import { between } from "../between.ts";
import type { Row } from "./figures/figure.ts";
import type { Figure } from "./rounds.ts";

const short = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
const spread = ({ least, most }: Figure): string => (least === most ? "" : `${short(least)} – ${short(most)}`);

/** Markdown table; figures out of bounds are bold. */
export function tableOf(figures: Row[]): string {
  const rows = figures.map(({ what, figure, unit, bound, holds }) => {
    const measured = `${short(figure.value)}${unit}`;
    return `| ${what} | ${holds === false ? `**${measured}**` : measured} | ${spread(figure)} | ${bound ?? ""} |`;
  });
  return ["| Figure | Measured | Spread | Bound |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

export function intoDocument(path: string, rows: Row[]): void {
  writeFileSync(path, between(readFileSync(path, "utf8"), "bench", tableOf(rows)));
}
