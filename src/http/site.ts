import { Hono } from "hono";
import type { ChannelAdapter } from "../channels/port.ts";
import type { Activity } from "../module/activity.ts";
import { logo } from "../pages/logo.ts";
import { styleSheet } from "../pages/style.ts";
import { type AccountParts, accountPages } from "./account.ts";
import { channelAssets } from "./assets.ts";
import { activityAction } from "./crm.ts";
import { type GatewayDoorParts, gatewayDoor } from "./gateway.ts";
import type { Env } from "./guard.ts";
import { type HealthParts, live, ready } from "./health.ts";
import { type MessengerDoorParts, messengerDoor } from "./messenger.ts";

export interface SiteParts {
  account: AccountParts;
  gateway: GatewayDoorParts;
  messenger: MessengerDoorParts;
  health: HealthParts;
  activity: Activity;
  adapters: ChannelAdapter[];
  log: GatewayDoorParts["log"];
}

const CACHED = { "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" };

/** The route table. */
export function createSite(parts: SiteParts): Hono<Env> {
  const site = new Hono<Env>();
  const door = messengerDoor(parts.messenger);
  site.post("/gateway/:secret", gatewayDoor(parts.gateway));
  site.all("/m/:door", door);
  site.all("/m/:door/*", door);
  site.post("/actions/activity", activityAction(parts.activity, parts.account.formBytes));
  site.get("/health/live", live);
  site.get("/health/ready", ready(parts.health));
  site.get("/channels/:kind/:name", channelAssets(parts.adapters));
  site.get("/style.css", (c) => c.body(styleSheet, 200, { ...CACHED, "content-type": "text/css; charset=utf-8" }));
  site.get("/logo.svg", (c) => c.body(logo, 200, { ...CACHED, "content-type": "image/svg+xml" }));
  site.get("/favicon.ico", (c) => c.redirect("/logo.svg", 301));
  site.route("/", accountPages(parts.account));
  site.notFound((c) => c.text("Not found", 404));
  site.onError((error, c) => {
    parts.log.error("http.failed", { path: c.req.routePath, error: error.message });
    return c.text("Something went wrong on our side. Please try again.", 500);
  });
  return site;
}
