import { type Context, Hono } from "hono";
import { accountPage } from "../../domain/account.ts";
import type { Visits } from "../../module/account/visits.ts";
import { SupportPage } from "../../pages/support.tsx";
import type { RateLimit } from "../doors/rate-limit.ts";
import type { AddressOf, Env } from "../serving/request.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import type { VisitGuard } from "./visit-guard.ts";

interface SupportParts {
  publicUrl: string;
  moduleName: string;
  visits: Pick<Visits, "enterBy">;
  guard: Pick<VisitGuard, "admit">;
  addressOf: AddressOf;
  failedEntries: RateLimit;
}

type C = Context<Env>;

/** `/support/:token` opens an account's pages for the vendor's support; a button, so that no preview redeems it. */
export function supportRoutes({ publicUrl, moduleName, visits, guard, ...limits }: SupportParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  site.get("/support/:token", async (c: C) => c.html(SupportPage(await frameOf(c, moduleName))));
  site.post("/support/:token", async (c: C) => {
    if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    if (!isForm(c)) return say(c, 415, "foreign");
    const found = await visits.enterBy(c.req.param("token") ?? "");
    if (!found) {
      if (limits.failedEntries.take(limits.addressOf(c))) return say(c, 401, "supportOver");
      c.header("Retry-After", "60");
      return say(c, 429, "tooMany");
    }
    guard.admit(c, found.accountId, found.token);
    return c.redirect(accountPage(found.accountId), 303);
  });
  return site;
}
