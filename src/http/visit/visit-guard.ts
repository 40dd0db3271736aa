import { sameSecret } from "gangway-messenger/ids";
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { AccountId } from "../../domain/ids.ts";
import type { Visit, Visits } from "../../module/account/visits.ts";
import { type Env, pageIn, readBody } from "../serving/request.ts";
import { type Cookie, type CookieSettings, cookiesOf } from "./cookies.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import { masked, unmasked } from "./form-token.ts";
import { createSay } from "./message.ts";

type C = Context<Env>;

export interface VisitGuardParts extends CookieSettings {
  moduleName: string;
  formBytes: number;
  visits: Pick<Visits, "byToken" | "leave">;
}

/** Guards for account pages and their forms. Each account has its own path, and each open account its own cookie. */
export interface VisitGuard {
  /** Requires a visit to the account in the address and stores it in the context. */
  requireVisit: MiddlewareHandler<Env>;
  /** Requires the visit's form token, our own origin and a visit with write access; stores the form in the context. */
  requireForm: MiddlewareHandler<Env>;
  /** The visit that watches the account in the path; watching does not extend the visit. */
  onlooker(c: C): Promise<Onlooker | undefined>;
  /** Opens the account in this browser. */
  admit(c: C, account: AccountId, token: string): void;
  /** Ends the visit of the account in the address. */
  leave(c: C): Promise<void>;
  /** All visits open in this browser. */
  open(c: C): Promise<Visit[]>;
  entry: Entry;
}

export interface Onlooker {
  visit: Visit;
  /** False once the visit has ended. */
  lasts(): Promise<boolean>;
}

/** A visit that the CRM's form requested. */
export interface Entry {
  request(c: C, token: string): void;
  requested(c: C): Promise<Visit | undefined>;
  /** Turns the request into an open visit; if the account is open already, keeps that visit. */
  enter(c: C): Promise<void>;
  /** Ends it, if there is one. */
  decline(c: C): Promise<void>;
}

export function createVisitGuard({ moduleName, formBytes, visits, ...settings }: VisitGuardParts): VisitGuard {
  const { publicUrl } = settings;
  const cookies = cookiesOf(settings);
  const say = createSay(moduleName);
  const isLeaving = (c: C) => c.req.path === `${pageIn(c)}/leave`;
  // Pages that refresh their own figures send `x-fresh`: nobody is using the visit.
  const isUse = (c: C) => c.req.header("x-fresh") === undefined;
  const visitOf = async (c: C, cookie: Cookie): Promise<Visit | undefined> => {
    const token = cookie.read(c);
    return token === undefined ? undefined : visits.byToken(token, isUse(c));
  };
  const openOf = async (c: C, account: AccountId) => {
    const visit = await visitOf(c, cookies.session(account));
    return visit?.account.id === account ? visit : undefined;
  };
  const end = async (c: C, cookie: Cookie) => {
    const token = cookie.read(c);
    if (token === undefined) return;
    await visits.leave(token);
    cookie.clear(c);
  };
  const requireVisit = createMiddleware<Env>(async (c, next) => {
    const visit = await openOf(c, c.req.param("account") as AccountId);
    if (!visit) return say(c, 401, "noVisit");
    c.set("visit", visit);
    c.set("formToken", masked(visit.formToken));
    return next();
  });
  const requireForm = createMiddleware<Env>(async (c, next) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const proven = sameSecret(unmasked(form.get("formToken") ?? ""), c.get("visit").formToken);
    if (!proven || !ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    if (!isForm(c)) return say(c, 415, "foreign");
    if (c.get("visit").endsAt !== undefined && !isLeaving(c)) return say(c, 403, "supportLooks");
    c.set("form", form);
    return next();
  });
  const requested = (c: C) => visitOf(c, cookies.entry);
  return {
    requireVisit,
    requireForm,
    async onlooker(c) {
      const account = c.req.param("account") as AccountId;
      const token = cookies.session(account).read(c);
      const find = async () => (token === undefined ? undefined : visits.byToken(token, false));
      const visit = await find();
      return visit?.account.id === account ? { visit, lasts: async () => (await find()) !== undefined } : undefined;
    },
    admit: (c, account, token) => cookies.session(account).write(c, token),
    leave: (c) => end(c, cookies.session(c.get("visit").account.id)),
    async open(c) {
      const found = await Promise.all(cookies.accounts(c).map((account) => openOf(c, account)));
      return found.flatMap((visit) => visit ?? []);
    },
    entry: {
      request: (c, token) => cookies.entry.write(c, token),
      requested,
      async enter(c) {
        const visit = await requested(c);
        if (!visit) return;
        if (await openOf(c, visit.account.id)) return end(c, cookies.entry);
        cookies.session(visit.account.id).write(c, cookies.entry.read(c) ?? "");
        cookies.entry.clear(c);
      },
      decline: (c) => end(c, cookies.entry),
    },
  };
}
