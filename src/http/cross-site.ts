import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

// What keeps other sites off our pages.

const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** For pages only: the lean doors do without. */
export const pageHeaders = createMiddleware<Env>(async (c, next) => {
  await next();
  c.header("Content-Security-Policy", CSP);
  // Not "no-referrer": under it a browser sends `Origin: null` with our own forms (Fetch standard).
  c.header("Referrer-Policy", "same-origin");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Cache-Control", "no-store");
});

/** False for a request that another site made a browser send. */
export function ownOrigin(c: Context<Env>, publicUrl: string): boolean {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  if (site && site !== "same-origin" && site !== "none") return false;
  if (!origin || origin === publicUrl) return true;
  // In the sandbox the same server is opened by several names of one machine.
  return publicUrl.startsWith("http:") && origin === `http://${c.req.header("host")}`;
}

/** Forms come as a browser's forms do: other types are what scripts of other sites can send. */
export const isForm = (c: Context<Env>): boolean =>
  /^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? "");
