import { type Context, Hono } from "hono";
import { accountPage } from "../../domain/account.ts";
import type { Visits } from "../../module/account/visits.ts";
import type { Connect } from "../../module/connecting/connect.ts";
import { KeyPage, SettingsPage } from "../../pages/settings.tsx";
import { type AddressOf, type Env, pageIn } from "../serving/request.ts";
import { browserName } from "../visit/browser-name.ts";
import { refusalStatus } from "../visit/connect-form.ts";
import { doneIn } from "../visit/done.ts";
import { visitFrameOf } from "../visit/language.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface SettingsParts {
  moduleName: string;
  visits: Pick<Visits, "summary" | "enterAs">;
  connect: Connect;
  addressOf: AddressOf;
  guard: Pick<VisitGuard, "requireVisit" | "admit">;
}

type C = Context<Env>;

/** The account's settings page and the form that replaces its key. Posts pass the account page's guards first. */
export function settingsRoutes({ moduleName, visits, connect, addressOf, guard }: SettingsParts): Hono<Env> {
  const site = new Hono<Env>();
  const common = (c: C) => visitFrameOf(c, moduleName);
  site.get("/settings", guard.requireVisit, async (c) => {
    const frame = await common(c);
    const [done] = doneIn(c, frame.t.done);
    return c.html(SettingsPage({ ...frame, view: visits.summary(c.get("visit").account), done }));
  });
  site.get("/key", guard.requireVisit, async (c) => c.html(KeyPage(await common(c))));
  site.post("/key", async (c) => {
    const { account } = c.get("visit");
    const apiKey = c.get("form").get("apiKey") ?? "";
    const result = await connect({ crmUrl: account.crmUrl, apiKey, from: addressOf(c) });
    if (!result.ok)
      return c.html(KeyPage({ ...(await common(c)), fault: result.fault }), refusalStatus(c, result.fault));
    const { id } = result.account;
    if (id !== account.id) guard.admit(c, id, await visits.enterAs(id, browserName(c)));
    const page = id === account.id ? pageIn(c) : accountPage(id);
    return c.redirect(`${page}/settings?done=reconnected`, 303);
  });
  return site;
}
