import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { sameSecret } from "../domain/ids.ts";
import type { Visits } from "../module/visits.ts";
import { en } from "../pages/i18n/en.ts";
import { readBody } from "./body.ts";
import { type Cookies, cookiesOf } from "./cookies.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import type { Env } from "./env.ts";
import { saying } from "./message.ts";

type C = Context<Env>;
const t = en;

export interface AdmissionParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  visits: Pick<Visits, "byToken" | "leave">;
}

/** Who may look at an account, and which forms may change it. */
export interface Admission {
  /** Needs a visit, and sets it. */
  visiting: MiddlewareHandler<Env>;
  /** Needs the form token of that visit and a request that our own page made; sets the form. */
  changing: MiddlewareHandler<Env>;
  /** Hands a visit's token to the browser. */
  admit(c: C, which: keyof Cookies, token: string): void;
  /** The visit that was asked for becomes the open one. */
  enter(c: C): Promise<void>;
  /** Ends the visit of a cookie, where there is one. */
  end(c: C, which: keyof Cookies): Promise<void>;
}

export function admitting({ publicUrl, moduleName, formBytes, visits }: AdmissionParts): Admission {
  const cookies = cookiesOf(publicUrl);
  const say = saying(moduleName);
  const visitOf = (c: C, which: keyof Cookies) => visits.byToken(cookies[which].read(c) ?? "");
  const end = async (c: C, which: keyof Cookies) => {
    const token = cookies[which].read(c);
    if (!token) return;
    await visits.leave(token);
    cookies[which].clear(c);
  };
  const enter = async (c: C) => {
    await end(c, "session");
    cookies.session.write(c, cookies.entry.read(c) ?? "");
    cookies.entry.clear(c);
  };
  const visiting = createMiddleware<Env>(async (c, next) => {
    const [open, asked] = [await visitOf(c, "session"), await visitOf(c, "entry")];
    const visit = open ?? asked;
    if (!visit) return say(c, 401, t.noVisit);
    c.set("visit", visit);
    if (!open) await enter(c);
    else if (asked?.account.id === open.account.id) await end(c, "entry");
    // Another account's page may be anybody's trap: a person decides.
    else c.set("asked", asked);
    return next();
  });
  const changing = createMiddleware<Env>(async (c, next) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const proven = sameSecret(form.get("formToken") ?? "", c.get("visit").formToken);
    if (!proven || !ownOrigin(c, publicUrl)) return say(c, 403, t.foreign);
    if (!isForm(c)) return say(c, 415, t.foreign);
    c.set("form", form);
    return next();
  });
  return { visiting, changing, enter, end, admit: (c, which, token) => cookies[which].write(c, token) };
}
