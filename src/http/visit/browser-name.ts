import type { Context } from "hono";
import type { Env } from "../serving/request.ts";

// Later names include earlier ones: Edge calls itself Chrome, and Chrome Safari.
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

/** The browser as people call it, to recognise a visit by: `Firefox, Windows`. Undefined when unknown. */
export function browserName(c: Context<Env>): string | undefined {
  const agent = c.req.header("user-agent") ?? "";
  const nameIn = (names: [string, RegExp][]) => names.find(([, pattern]) => pattern.test(agent))?.[0];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean).join(", ") || undefined;
}
