import type { Context } from "hono";
import type { createMiddleware } from "hono/factory";
import type { Env } from "../serving/request.ts";

/** What routes of the console share. */
export interface Guarded {
  /** What each page has around its content. */
  frameOf(c: Context<Env>): { moduleName: string; formToken: string; path: string };
  /** Refuses forms that are not this session's; stores the form in the context. */
  requireForm: ReturnType<typeof createMiddleware<Env>>;
}

/** A field with a whole number; undefined of anything else. */
export const numberIn = (text: string | null): number | undefined =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;

/** A point in time as `2026-01-31` or `2026-01-31T14:30`, in UTC, ms; undefined of anything else, such as February 31. */
export function utcTime(text: string): number | undefined {
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(text.trim()) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${day}T`) ? undefined : at;
}
