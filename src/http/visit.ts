import { type Context, Hono } from "hono";
import type { ChannelActions } from "../module/channels.ts";
import type { Erasing } from "../module/erasing.ts";
import type { History } from "../module/history.ts";
import type { MessageStories } from "../module/stories.ts";
import type { Undelivered } from "../module/undelivered.ts";
import type { Visits } from "../module/visits.ts";
import { AccountPage } from "../pages/account.tsx";
import { EntryPage } from "../pages/entry.tsx";
import type { Fault } from "../pages/props.ts";
import type { Admission } from "./admission.ts";
import { channelRoutes, doneIn } from "./channels.ts";
import { customerRoutes } from "./customers.ts";
import { type DisconnectParts, disconnectRoutes } from "./disconnect.ts";
import type { Env } from "./env.ts";
import { historyRoutes } from "./history.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import { storyRoutes } from "./stories.ts";
import { undeliveredRoutes } from "./undelivered.ts";

export interface VisitParts extends Pick<DisconnectParts, "disconnect" | "retainDays"> {
  moduleName: string;
  visits: Visits;
  undelivered: Undelivered;
  channels: ChannelActions;
  erasing: Erasing;
  history: History;
  stories: MessageStories;
  admission: Admission;
}

type C = Context<Env>;

export function visitRoutes({
  moduleName,
  visits,
  channels,
  undelivered,
  disconnect,
  erasing,
  history,
  stories,
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
  site.post("/*", admission.requireVisit, admission.requireForm);
  // What a browser asks for after a reload of a refused form.
  for (const path of ["/leave", "/stay", "/enter"]) site.get(path, (c) => c.redirect("/account", 303));
  site.post("/leave", async (c) => {
    await admission.end(c, "session");
    await admission.end(c, "entry");
    return c.redirect("/", 303);
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
  site.route("/", disconnectRoutes({ moduleName, visits, disconnect, erasing, retainDays, admission }));
  site.route("/", customerRoutes({ moduleName, erasing, visits, admission }));
  site.route("/", historyRoutes({ moduleName, history, admission }));
  site.route("/", storyRoutes({ moduleName, stories, admission }));
  site.route("/", undeliveredRoutes({ moduleName, undelivered, admission }));
  return site;
}
