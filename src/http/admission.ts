import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { sameSecret } from "../domain/ids.ts";
import type { Visits } from "../module/visits.ts";
import { readBody } from "./body.ts";
import { type Cookies, cookiesOf } from "./cookies.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import type { Env } from "./env.ts";
import { masked, unmasked } from "./form-token.ts";
import { createSay } from "./message.ts";

type C = Context<Env>;

export interface AdmissionParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  visits: Pick<Visits, "byToken" | "leave">;
}

/** Guards for the account page and its forms. */
export interface Admission {
  /** Requires a visit and stores it in the context. */
  requireVisit: MiddlewareHandler<Env>;
  /** Requires the visit's form token and our own origin; stores the form in the context. */
  requireForm: MiddlewareHandler<Env>;
  admit(c: C, which: keyof Cookies, token: string): void;
  /** Makes the requested visit the open one. */
  enter(c: C): Promise<void>;
  /** Ends the cookie's visit, if any. */
  end(c: C, which: keyof Cookies): Promise<void>;
}

export function createAdmission({ publicUrl, moduleName, formBytes, visits }: AdmissionParts): Admission {
  const cookies = cookiesOf(publicUrl);
  const say = createSay(moduleName);
  // The page reads its own figures again without anybody using it.
  const isUse = (c: C) => c.req.header("x-fresh") === undefined;
  const visitOf = (c: C, which: keyof Cookies) => visits.byToken(cookies[which].read(c) ?? "", isUse(c));
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
  const requireVisit = createMiddleware<Env>(async (c, next) => {
    const [open, requested] = [await visitOf(c, "session"), await visitOf(c, "entry")];
    const visit = open ?? requested;
    if (!visit) return say(c, 401, "noVisit");
    c.set("visit", visit);
    c.set("formToken", masked(visit.formToken));
    if (!open) await enter(c);
    else if (requested?.account.id === open.account.id) await end(c, "entry");
    // Login CSRF: another site may have requested the other account, so the user decides.
    else c.set("requested", requested);
    return next();
  });
  const requireForm = createMiddleware<Env>(async (c, next) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const proven = sameSecret(unmasked(form.get("formToken") ?? ""), c.get("visit").formToken);
    if (!proven || !ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    if (!isForm(c)) return say(c, 415, "foreign");
    c.set("form", form);
    return next();
  });
  return { requireVisit, requireForm, enter, end, admit: (c, which, token) => cookies[which].write(c, token) };
}
