import type { Context } from "hono";
import type { Env } from "../serving/request.ts";

// Order matters: Edge's user agent also contains Chrome, and Chrome's Safari.
const BROWSERS: [string, RegExp][] = [
  ["Edge", /Edg\w*\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\/|FxiOS\//],
  ["Chrome", /Chrome\/|CriOS\//],
  ["Safari", /Safari\//],
];
const SYSTEMS: [string, RegExp][] = [
  ["Android", /Android/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

/** A readable browser name by which users recognize a visit, such as `Firefox, Windows`; undefined if unknown. */
export function browserName(c: Context<Env>): string | undefined {
  const agent = c.req.header("user-agent") ?? "";
  const nameIn = (names: [string, RegExp][]) => names.find(([, pattern]) => pattern.test(agent))?.[0];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean).join(", ") || undefined;
}
