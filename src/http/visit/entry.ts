import { sameSecret } from "gangway-messenger/ids";
import { type Context, Hono } from "hono";
import { accountPage } from "../../domain/account.ts";
import type { Visits } from "../../module/account/visits.ts";
import { EntryPage } from "../../pages/entry.tsx";
import type { RateLimit } from "../doors/rate-limit.ts";
import { type AddressOf, type Env, readBody } from "../serving/request.ts";
import { browserName } from "./browser-name.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import { masked, unmasked } from "./form-token.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import type { VisitGuard } from "./visit-guard.ts";

export interface EntryParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  visits: Pick<Visits, "enter">;
  guard: Pick<VisitGuard, "open" | "entry">;
  addressOf: AddressOf;
  failedEntries: RateLimit;
}

type C = Context<Env>;

/** `/account`, the address known to the CRM, redirects to the account's own page. */
export function entryRoutes({ guard: { open, entry }, ...parts }: EntryParts): Hono<Env> {
  const site = new Hono<Env>();
  const { publicUrl, moduleName, formBytes } = parts;
  const say = createSay(moduleName);
  const tooMany = (c: C) => {
    c.header("Retry-After", "60");
    return say(c, 429, "tooMany");
  };
  // The CRM's own form opens the page: cross-site, without our form token or session cookies.
  site.post("/", async (c) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const token = await parts.visits.enter(form.get("clientId") ?? "", browserName(c));
    // Limit only failures: many users may share an address.
    if (!token) return parts.failedEntries.take(parts.addressOf(c)) ? say(c, 401, "noVisit") : tooMany(c);
    entry.request(c, token);
    return c.redirect("/account", 303);
  });
  site.get("/", async (c) => {
    const [visits, requested] = [await open(c), await entry.requested(c)];
    const isOpen = visits.some(({ account }) => account.id === requested?.account.id);
    // Login CSRF: another site may have sent the request, so if other accounts are open, the user decides.
    if (requested && (isOpen || visits.length === 0)) {
      await entry.enter(c);
      return c.redirect(accountPage(requested.account.id), 303);
    }
    const [only, ...others] = visits;
    if (!only) return say(c, 401, "noVisit");
    if (!requested && others.length === 0) return c.redirect(accountPage(only.account.id), 303);
    c.set("requested", requested);
    const asked = requested && { crmUrl: requested.account.crmUrl, formToken: masked(requested.formToken) };
    const links = visits.map(({ account }) => ({ page: accountPage(account.id), crmUrl: account.crmUrl }));
    return c.html(EntryPage({ ...(await frameOf(c, moduleName)), open: links, requested: asked }));
  });
  /** Decides on the account that the page named. If another was requested since, the page asks again. */
  const decide = (decision: "enter" | "decline") => async (c: C) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    if (!isForm(c)) return say(c, 415, "foreign");
    const requested = await entry.requested(c);
    const isNamed = requested && sameSecret(unmasked(form.get("formToken") ?? ""), requested.formToken);
    if (!isNamed) return c.redirect("/account", 303);
    await entry[decision](c);
    return c.redirect(decision === "enter" ? accountPage(requested.account.id) : "/account", 303);
  };
  site.post("/enter", decide("enter"));
  site.post("/stay", decide("decline"));
  // Browsers send GET when a refused form's page is reloaded.
  for (const path of ["/enter", "/stay"]) site.get(path, (c) => c.redirect("/account", 303));
  return site;
}
