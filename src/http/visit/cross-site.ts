import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Env } from "../serving/request.ts";

// Protection of our pages against other sites.

const NO_FRAMES = "frame-ancestors 'none'";
const CSP = `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; form-action 'self'; base-uri 'none'; ${NO_FRAMES}`;

/** Allows the vendor's logo to load from its own origin. */
const cspWith = (logoUrl: string | undefined): string =>
  logoUrl === undefined ? CSP : CSP.replace("data:", `data: ${new URL(logoUrl).origin}`);

/** Origins of the account's CRM, which has one or two addresses. */
function framersOf(c: Context<Env>): string | undefined {
  const account = c.get("visit")?.account ?? c.get("requested")?.account;
  const urls = [account?.crmUrl, account?.technicalUrl].flatMap((url) =>
    url && URL.canParse(url) ? new URL(url) : [],
  );
  return urls.length === 0 ? undefined : urls.map(({ origin }) => origin).join(" ");
}

/** For pages only; the doors do not need them. `embedding`: an account's CRM may frame its pages. */
export const pageHeaders = (embedding: boolean) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    const framers = embedding ? framersOf(c) : undefined;
    const csp = cspWith(c.get("brand")?.logoUrl);
    c.header("Content-Security-Policy", framers ? csp.replace(NO_FRAMES, `frame-ancestors ${framers}`) : csp);
    // "no-referrer" would make browsers send `Origin: null` with our own forms (Fetch standard).
    c.header("Referrer-Policy", "same-origin");
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cache-Control", "no-store");
  });

/** False for cross-site requests. */
export function ownOrigin(c: Context<Env>, publicUrl: string): boolean {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  if (site && site !== "same-origin" && site !== "none") return false;
  if (!origin || origin === publicUrl) return true;
  // The sandbox may be opened under several names of one machine.
  return publicUrl.startsWith("http:") && origin === `http://${c.req.header("host")}`;
}

/** Our forms are always URL-encoded; other sites' scripts can send other types. */
export const isForm = (c: Context<Env>): boolean =>
  /^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? "");
