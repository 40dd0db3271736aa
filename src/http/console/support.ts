import { Hono } from "hono";
import type { AccountId } from "../../domain/ids.ts";
import type { Fleet } from "../../module/vendor/fleet.ts";
import type { LinkForSupport } from "../../module/vendor/support.ts";
import { SupportLinkPage } from "../../pages/console/support.tsx";
import type { Env } from "../serving/request.ts";
import type { Guarded } from "./guarded.ts";

interface SupportParts extends Guarded {
  fleet: Pick<Fleet, "account">;
  linkForSupport: LinkForSupport;
}

/** Makes a link into an account's pages. The link is shown once, and is in no address of the console. */
export function supportLinks({ fleet, linkForSupport, frameOf, requireForm }: SupportParts): Hono<Env> {
  const site = new Hono<Env>();
  site.get("/accounts/:id/open", (c) => c.redirect(`/accounts/${encodeURIComponent(c.req.param("id"))}`, 303));
  site.post("/accounts/:id/open", requireForm, async (c) => {
    const id = c.req.param("id") as AccountId;
    const found = await fleet.account(id);
    if (!found) return c.notFound();
    const why = c.get("form").get("why") ?? "";
    const link = await linkForSupport(id, why);
    return c.html(SupportLinkPage({ ...frameOf(c), account: found.account, link, why }), link ? 200 : 422);
  });
  return site;
}
