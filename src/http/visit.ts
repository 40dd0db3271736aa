import { type Context, Hono } from "hono";
import type { ChannelActions } from "../module/channels.ts";
import type { Disconnect } from "../module/disconnect.ts";
import type { Erasing } from "../module/erasing.ts";
import type { Undelivered } from "../module/undelivered.ts";
import type { Visits } from "../module/visits.ts";
import { AccountPage } from "../pages/account.tsx";
import { ReceiptPage } from "../pages/customers.tsx";
import { DisconnectPage } from "../pages/disconnect.tsx";
import { EntryPage } from "../pages/entry.tsx";
import type { en } from "../pages/i18n/en.ts";
import type { Fault } from "../pages/props.ts";
import type { Admission } from "./admission.ts";
import { channelRoutes, doneIn } from "./channels.ts";
import { customerRoutes } from "./customers.ts";
import type { Env } from "./env.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import { undeliveredRoutes } from "./undelivered.ts";

export interface VisitParts {
  moduleName: string;
  visits: Visits;
  undelivered: Undelivered;
  channels: ChannelActions;
  disconnect: Disconnect;
  erasing: Erasing;
  retainDays: Parameters<typeof DisconnectPage>[0]["retainDays"];
  admission: Admission;
}

type C = Context<Env>;
type DoneAtStart = keyof typeof en.doneAtStart;

export function visitRoutes({
  moduleName,
  visits,
  channels,
  undelivered,
  disconnect,
  erasing,
  retainDays,
  admission,
}: VisitParts): Hono<Env> {
  const site = new Hono<Env>();
  const account = (c: C) => c.get("visit").account;
  const say = createSay(moduleName);
  const show = async (c: C, fault?: Fault) => {
    const frame = frameOf(c, moduleName);
    const [view, ended] = await Promise.all([visits.view(account(c), frame.t.language), undelivered.count(account(c))]);
    const props = { ...frame, view, ended, formToken: c.get("formToken"), fault };
    return c.html(AccountPage({ ...props, done: fault ? undefined : doneIn(c) }), fault ? 422 : 200);
  };
  site.get("/", admission.requireVisit, (c) => {
    const { visit, requested } = c.var;
    if (!requested) return show(c);
    const [open, other] = [visit.account.crmUrl, requested.account.crmUrl];
    return c.html(EntryPage({ ...frameOf(c, moduleName), formToken: c.get("formToken"), open, other }));
  });
  site.get("/disconnect", admission.requireVisit, async (c) => {
    const frame = frameOf(c, moduleName);
    const view = await visits.view(account(c), frame.t.language);
    return c.html(DisconnectPage({ ...frame, view, retainDays, formToken: c.get("formToken") }));
  });
  site.post("/*", admission.requireVisit, admission.requireForm);
  // What a browser asks for after a reload of a refused form.
  for (const path of ["/leave", "/stay", "/enter"]) site.get(path, (c) => c.redirect("/account", 303));
  site.post("/leave", async (c) => {
    await admission.end(c, "session");
    await admission.end(c, "entry");
    return c.redirect("/", 303);
  });
  site.post("/disconnect", async (c) => {
    const { crmUrl, timeZone } = account(c);
    const isOff = await disconnect(account(c));
    const receipt = c.get("form").get("erase") === "yes" ? await erasing.account(account(c)) : undefined;
    await admission.end(c, "session");
    if (receipt) return c.html(ReceiptPage({ ...frameOf(c, moduleName), receipt, timeZone, told: isOff }));
    const done: DoneAtStart = isOff ? "disconnected" : "disconnectedHere";
    return c.redirect(`/?${new URLSearchParams({ account: crmUrl, done })}`, 303);
  });
  site.post("/stay", async (c) => {
    await admission.end(c, "entry");
    return c.redirect("/account", 303);
  });
  site.post("/enter", async (c) => {
    const { requested, form } = c.var;
    if (!requested) return say(c, 403, "foreign");
    // Another account may have been requested since: then ask again.
    if (requested.account.crmUrl === form.get("crmUrl")) await admission.enter(c);
    return c.redirect("/account", 303);
  });
  site.route("/", channelRoutes({ moduleName, visits, channels, admission, showRefused: show }));
  site.route("/", customerRoutes({ moduleName, erasing, visits, admission }));
  site.route("/", undeliveredRoutes({ moduleName, undelivered, admission }));
  return site;
}
