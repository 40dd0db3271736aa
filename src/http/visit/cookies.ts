import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { AccountId } from "../../domain/ids.ts";
import type { Env } from "../serving/request.ts";

export interface Cookie {
  read(c: Context<Env>): string | undefined;
  write(c: Context<Env>, token: string): void;
  clear(c: Context<Env>): void;
}
export interface Cookies {
  /** An account's open visit. Each account has a cookie of its own, so that several can be open in one browser. */
  session(account: AccountId): Cookie;
  /** A visit that the CRM's form just requested. That form is cross-site, so it lacks the session cookies (Lax). */
  entry: Cookie;
  /** The accounts for which the browser has a session cookie, valid or not. */
  accounts(c: Context<Env>): AccountId[];
}

/** How long the user may take to choose which account to open, seconds. */
const ENTRY_SECONDS = 300;
const NAME = /^(?:__Host-)?gangway-([\w-]{22})$/;

/** The address of the pages, and whether they may be framed. */
export interface CookieSettings {
  publicUrl: string;
  embedding: boolean;
}

/**
 * Over plain http (sandbox) browsers reject Secure, except on loopback. In a CRM's frame browsers keep only partitioned
 * cookies, one per embedding site (CHIPS).
 */
export function attributesFor({ publicUrl, embedding }: CookieSettings) {
  const common = { path: "/", httpOnly: true } as const;
  if (embedding) return { ...common, secure: true, sameSite: "None", partitioned: true } as const;
  return { ...common, secure: publicUrl.startsWith("https:"), sameSite: "Lax" } as const;
}

/** Over plain http browsers reject `__Host-` cookies. */
export function cookiesOf(settings: CookieSettings): Cookies {
  const secure = settings.publicUrl.startsWith("https:");
  const attributes = attributesFor(settings);
  const cookie = (name: string, maxAge?: number): Cookie => {
    const full = secure ? `__Host-${name}` : name;
    return {
      read: (c) => getCookie(c, full),
      write: (c, token) => setCookie(c, full, token, { ...attributes, maxAge }),
      clear: (c) => setCookie(c, full, "", { ...attributes, maxAge: 0 }),
    };
  };
  return {
    session: (account) => cookie(`gangway-${account}`),
    entry: cookie("gangway-entry", ENTRY_SECONDS),
    accounts: (c) => Object.keys(getCookie(c)).flatMap((name) => (NAME.exec(name)?.[1] as AccountId | undefined) ?? []),
  };
}
