import { type Context, Hono } from "hono";
import type { Erasing } from "../../module/account/erasing.ts";
import type { History } from "../../module/account/history.ts";
import type { Visits } from "../../module/account/visits.ts";
import type { ChannelActions } from "../../module/channels/channels.ts";
import type { CheckChannel } from "../../module/channels/check.ts";
import type { Logins } from "../../module/channels/logins.ts";
import type { Standings } from "../../module/health/standings.ts";
import type { MessageStories } from "../../module/messages/stories.ts";
import type { Undelivered } from "../../module/messages/undelivered.ts";
import type { TemplateSync } from "../../module/templates/templates.ts";
import { AccountPage } from "../../pages/account.tsx";
import type { Fault } from "../../pages/props.ts";
import { channelRoutes } from "../account/channels.ts";
import { customerRoutes } from "../account/customers.ts";
import { type DisconnectParts, disconnectRoutes } from "../account/disconnect.ts";
import { historyRoutes } from "../account/history.ts";
import type { Live } from "../account/live.ts";
import { loginRoutes } from "../account/logins.ts";
import { type SettingsParts, settingsRoutes } from "../account/settings.ts";
import { storyRoutes } from "../account/stories.ts";
import { type TryOutParts, tryOutRoutes } from "../account/try-out.ts";
import { undeliveredRoutes } from "../account/undelivered.ts";
import { type AddressOf, type Env, pageIn } from "../serving/request.ts";
import { ownOrigin } from "./cross-site.ts";
import { doneIn } from "./done.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import type { VisitGuard } from "./visit-guard.ts";

export interface VisitParts
  extends Pick<DisconnectParts, "disconnect" | "retainDays">,
    Pick<SettingsParts, "connect">,
    Pick<TryOutParts, "liveTests" | "rehearsals"> {
  moduleName: string;
  publicUrl: string;
  addressOf: AddressOf;
  live: Live;
  visits: Visits;
  undelivered: Undelivered;
  channels: ChannelActions;
  checkChannel: CheckChannel;
  logins: Logins;
  templates: Pick<TemplateSync, "now">;
  standings: Pick<Standings, "look">;
  erasing: Erasing;
  history: History;
  stories: MessageStories;
  guard: VisitGuard;
}

type C = Context<Env>;

export function visitRoutes(parts: VisitParts): Hono<Env> {
  const { moduleName, visits, undelivered, disconnect, liveTests, rehearsals } = parts;
  const { erasing, history, stories, retainDays, live } = parts;
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const account = (c: C) => c.get("visit").account;
  const { guard } = parts;
  site.use(async (c, next) => {
    let counts: ReturnType<Undelivered["counts"]> | undefined;
    c.set("countEnded", () => {
      counts ??= undelivered.counts(account(c));
      return counts;
    });
    return next();
  });
  const show = async (c: C, fault?: Fault) => {
    const frame = { ...(await frameOf(c, moduleName)), live: live.address(c) };
    const view = await visits.view(account(c), frame.t.language);
    const [done] = fault ? [] : doneIn(c, frame.t.done);
    return c.html(AccountPage({ ...frame, view, fault, done }), fault ? 422 : 200);
  };
  site.get("/", guard.requireVisit, (c) => show(c));
  site.get("/live", async (c) => {
    if (!ownOrigin(c, parts.publicUrl)) return say(c, 403, "foreign");
    const onlooker = await guard.onlooker(c);
    if (!onlooker) return say(c, 401, "noVisit");
    // A HEAD response has no body, so its stream would never end.
    return c.req.method === "HEAD" ? c.body(null) : live.open(c, onlooker, parts.addressOf(c));
  });
  site.post("/*", guard.requireVisit, guard.requireForm);
  // Browsers send GET when a refused form's page is reloaded.
  site.get("/leave", (c) => c.redirect(pageIn(c), 303));
  site.post("/leave", async (c) => {
    await guard.leave(c);
    await guard.entry.decline(c);
    return c.redirect("/?done=left", 303);
  });
  site.route("/", channelRoutes({ ...parts, guard, showRefused: show }));
  site.route("/", loginRoutes({ ...parts, guard }));
  site.route("/", tryOutRoutes({ moduleName, visits, liveTests, rehearsals, guard }));
  site.route("/", disconnectRoutes({ moduleName, visits, disconnect, erasing, retainDays, guard }));
  site.route("/", customerRoutes({ moduleName, erasing, guard }));
  site.route("/", historyRoutes({ moduleName, history, guard }));
  site.route("/", settingsRoutes({ ...parts, guard }));
  site.route("/", storyRoutes({ moduleName, stories, guard }));
  site.route("/", undeliveredRoutes({ moduleName, undelivered, stories, guard }));
  return site;
}
