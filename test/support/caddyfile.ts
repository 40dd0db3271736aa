import { readFileSync } from "node:fs";
import { join } from "node:path";

const TEXT = readFileSync(join(import.meta.dirname, "../../deploy/caddy/Caddyfile"), "utf8");
const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 };

/** What the Caddyfile says behind a word. */
export function inCaddyfile(word: string): string {
  const found = new RegExp(`^\\s*${word} (.+?)(?: \\{)?$`, "m").exec(TEXT)?.[1];
  if (found === undefined) throw new Error(`the Caddyfile has no ${word}`);
  return found;
}

/** A duration in it, ms. */
export function msInCaddyfile(word: string): number {
  const [, count, unit = ""] = /^(\d+)(ms|s|m)$/.exec(inCaddyfile(word)) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}
