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
