import type { Context } from "hono";
import type { createMiddleware } from "hono/factory";
import type { Env } from "../serving/request.ts";

/** What the console's routes share. */
export interface Guarded {
  /** What every page shows around its content. */
  frameOf(c: Context<Env>): { moduleName: string; formToken: string; path: string };
  /** Refuses forms without this session's token; stores the form in the context. */
  requireForm: ReturnType<typeof createMiddleware<Env>>;
}

/** Reads a whole number; undefined if the text is none. */
export const numberIn = (text: string | null): number | undefined =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;

/** Reads `2026-01-31` or `2026-01-31T14:30` as UTC, ms; undefined if invalid, such as February 31. */
export function utcTime(text: string): number | undefined {
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(text.trim()) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${day}T`) ? undefined : at;
}
