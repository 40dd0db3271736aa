import { type Context, Hono } from "hono";
import type { Erasing } from "../../module/account/erasing.ts";
import type { Visits } from "../../module/account/visits.ts";
import type { Disconnect } from "../../module/connecting/disconnect.ts";
import { ReceiptPage } from "../../pages/customers.tsx";
import { DisconnectPage } from "../../pages/disconnect.tsx";
import type { en } from "../../pages/i18n/en.ts";
import type { Env } from "../serving/request.ts";
import { frameOf } from "../visit/language.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface DisconnectParts {
  moduleName: string;
  visits: Pick<Visits, "view">;
  disconnect: Disconnect;
  erasing: Pick<Erasing, "account">;
  retainDays: Parameters<typeof DisconnectPage>[0]["retainDays"];
  guard: Pick<VisitGuard, "requireVisit" | "leave">;
}

type C = Context<Env>;
type DoneAtStart = keyof typeof en.doneAtStart;

/** Disconnects an account, and erases it if requested. Posts pass the account page's guards first. */
export function disconnectRoutes(parts: DisconnectParts): Hono<Env> {
  const { moduleName, visits, disconnect, erasing, retainDays, guard } = parts;
  const site = new Hono<Env>();
  const account = (c: C) => c.get("visit").account;
  site.get("/disconnect", guard.requireVisit, async (c) => {
    const frame = await frameOf(c, moduleName);
    const view = await visits.view(account(c), frame.t.language);
    return c.html(DisconnectPage({ ...frame, view, retainDays, formToken: c.get("formToken") }));
  });
  site.post("/disconnect", async (c) => {
    const { crmUrl, pauseReason } = account(c);
    const told = await disconnect(account(c));
    // Erasing and reconnecting would evade the vendor's pause, so only the vendor erases a paused account.
    const erases = c.get("form").get("erase") === "yes" && pauseReason === undefined;
    const receipt = erases ? await erasing.account(account(c)) : undefined;
    await guard.leave(c);
    if (receipt) return c.html(ReceiptPage({ ...(await frameOf(c, moduleName)), receipt, told }));
    const done: DoneAtStart[] = [
      told.crm ? "disconnected" : "disconnectedHere",
      ...(told.messengers ? [] : ["messengersLeft" as const]),
    ];
    const query = new URLSearchParams({ account: crmUrl });
    for (const code of done) query.append("done", code);
    return c.redirect(`/?${query}`, 303);
  });
  return site;
}
