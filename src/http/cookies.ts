import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Env } from "./env.ts";

export interface Cookie {
  read(c: Context<Env>): string | undefined;
  write(c: Context<Env>, token: string): void;
  clear(c: Context<Env>): void;
}
export interface Cookies {
  /** The open visit. */
  session: Cookie;
  /** A visit that the CRM's form just requested. That form is cross-site, so it lacks the session cookie (Lax). */
  entry: Cookie;
}

/** How long the user may take to choose which account to open, seconds. */
const ENTRY_SECONDS = 300;

/** Over plain http (sandbox) browsers refuse `__Host-` and Secure. */
export function cookiesOf(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith("https:");
  const attributes = { path: "/", httpOnly: true, sameSite: "Lax", secure } as const;
  const cookie = (name: string, maxAge?: number): Cookie => {
    const full = secure ? `__Host-${name}` : name;
    return {
      read: (c) => getCookie(c, full),
      write: (c, token) => setCookie(c, full, token, { ...attributes, maxAge }),
      clear: (c) => setCookie(c, full, "", { ...attributes, maxAge: 0 }),
    };
  };
  return { session: cookie("gangway"), entry: cookie("gangway-entry", ENTRY_SECONDS) };
}
