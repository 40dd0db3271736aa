import { readFileSync, writeFileSync } from "node:fs";
import type { Row } from "./figures/figure.ts";
import type { Figure } from "./rounds.ts";

const MARKERS = ["<!-- bench -->", "<!-- /bench -->"] as const;

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

export function intoReadme(path: string, rows: Row[]): void {
  const text = readFileSync(path, "utf8");
  const [begin, end] = MARKERS.map((marker) => text.indexOf(marker)) as [number, number];
  if (begin < 0 || end < begin) throw new Error(`${path} lacks the markers ${MARKERS.join(" and ")}`);
  writeFileSync(path, `${text.slice(0, begin + MARKERS[0].length)}\n${tableOf(rows)}\n${text.slice(end)}`);
}
