import type { ChannelAdapter } from "gangway-messenger/port";
import { Hono } from "hono";
import { Overload } from "../domain/delivery.ts";
import type { ClientAddress } from "../domain/proxies.ts";
import type { Brand } from "../domain/vendor.ts";
import type { ErasureRequests } from "../module/account/erasure-requests.ts";
import type { SiteVisits } from "../module/channels/site-visits.ts";
import type { Activity } from "../module/connecting/activity.ts";
import type { Locale } from "../module/connecting/locale.ts";
import type { OneClick } from "../module/connecting/one-click.ts";
import type { TemplateSync } from "../module/templates/templates.ts";
import { brandColors } from "../pages/brand-colors.ts";
import { strings } from "../pages/i18n/strings.ts";
import { logo } from "../pages/logo.ts";
import { styleSheet } from "../pages/style.ts";
import { type AccountParts, accountPages } from "./account/account.ts";
import { erasedPage } from "./account/erased.ts";
import { loginReturn } from "./account/logins.ts";
import {
  type AppDoorParts,
  appDoor,
  crmAction,
  type GatewayDoorParts,
  gatewayDoor,
  type MessengerDoorParts,
  messengerDoor,
  oneClickRoutes,
} from "./doors/doors.ts";
import { createRateLimit, MAX_GUESSES } from "./doors/rate-limit.ts";
import { channelAssets, fileAsset, textAsset } from "./serving/assets.ts";
import { type HealthParts, live, ready } from "./serving/health.ts";
import { addressOf, BodyTooSlow, clientAborted, type Env, type Traffic } from "./serving/request.ts";
import { pageHeaders } from "./visit/cross-site.ts";
import { createSay, type Say } from "./visit/message.ts";

export interface SiteParts {
  brand?: Brand;
  account: Omit<AccountParts, "addressOf">;
  gateway: Omit<GatewayDoorParts, "guesses" | "addressOf">;
  messenger: Omit<MessengerDoorParts, "guesses" | "addressOf">;
  apps: AppDoorParts["apps"];
  erasureRequests: Pick<ErasureRequests, "state">;
  clientAddress: ClientAddress;
  health: HealthParts;
  traffic: Traffic;
  activity: Activity;
  syncTemplates: TemplateSync["manual"];
  siteVisits: SiteVisits;
  oneClick: OneClick;
  locale: Pick<Locale, "changed">;
  adapters: ChannelAdapter[];
  /** Whether a database error is temporary. */
  isAway(error: unknown): boolean;
  log: GatewayDoorParts["log"];
}

export function createSite(parts: SiteParts): Hono<Env> {
  const { account, log } = parts;
  const clientAddress = addressOf(parts.clientAddress);
  const guarded = { addressOf: clientAddress, guesses: createRateLimit(MAX_GUESSES, account.clock) };
  const pages = pagesOf(parts, guarded);
  // Separate from the pages: with only these paths, Hono matches a door by a single regular expression.
  const doors = new Hono<Env>();
  doors.use(parts.traffic.counted());
  doors.post("/gateway/:secret", gatewayDoor({ ...parts.gateway, ...guarded }));
  // Before the app's door, which shares this address: messengers redirect people to it.
  doors.route("/", loginReturn({ ...account, brand: parts.brand }));
  doors.all("/m/:door/*", messengerDoor({ ...parts.messenger, ...guarded }));
  doors.all("/apps/:kind/*", appDoor({ ...guarded, apps: parts.apps, log }));
  doors.notFound((c) => pages.fetch(c.req.raw, c.env));
  const say = sayingIn(account.moduleName);
  pages.notFound((c) => say(c, 404, "notFound"));
  for (const site of [doors, pages])
    site.onError((error, c) => {
      const isSlow = error instanceof BodyTooSlow;
      if (isSlow || clientAborted(c, error)) {
        log.debug("http.cut", { path: c.req.routePath });
        return c.body(null, isSlow ? 408 : 400, { connection: "close" });
      }
      if (error instanceof Overload) {
        c.header("Retry-After", String(error.retryAfter));
        return say(c, 503, "away");
      }
      log.error("http.failed", { path: c.req.routePath, error: error.message });
      if (!parts.isAway(error)) return say(c, 500, "broken");
      c.header("Retry-After", "5");
      return say(c, 503, "away");
    });
  return doors;
}

function pagesOf(parts: SiteParts, guarded: Pick<MessengerDoorParts, "guesses" | "addressOf">): Hono<Env> {
  const site = new Hono<Env>();
  site.use(parts.traffic.counted("unknown"));
  const { account, brand = {} } = parts;
  const colors = brand.color ? brandColors(brand.color) : "";
  site.post("/actions/activity", crmAction(parts.activity, account.formBytes));
  site.post("/actions/manual-templates-sync", crmAction(parts.syncTemplates, account.formBytes));
  site.post("/actions/visits", crmAction(parts.siteVisits.visits, account.formBytes));
  site.post("/actions/online", crmAction(parts.siteVisits.online, account.formBytes));
  site.post("/actions/settings", crmAction(parts.locale.changed, account.formBytes));
  site.route("/connect", oneClickRoutes({ ...account, ...guarded, oneClick: parts.oneClick }));
  site.get("/health/live", live);
  site.get("/health/ready", ready(parts.health));
  site.get("/channels/:kind/:name", channelAssets(parts.adapters));
  site.get("/style.css", fileAsset(styleSheet, "text/css; charset=utf-8", colors));
  site.get("/forms.js", fileAsset(new URL("./forms.js", import.meta.url), "text/javascript; charset=utf-8"));
  site.get("/icons.svg", fileAsset(new URL("./icons.svg", import.meta.url), "image/svg+xml"));
  site.get("/logo.svg", textAsset(logo, "image/svg+xml"));
  site.get("/favicon.ico", (c) => c.redirect("/logo.svg", 301));
  site.use((c, next) => {
    c.set("brand", brand);
    return next();
  });
  const { moduleName } = account;
  site.get(
    "/erased/:code",
    pageHeaders(false),
    erasedPage({ ...guarded, moduleName, stateOf: parts.erasureRequests.state }),
  );
  site.route("/", accountPages({ ...account, addressOf: guarded.addressOf }));
  return site;
}

function sayingIn(moduleName: string): Say {
  const sayInPage = createSay(moduleName);
  return async (c, status, message) =>
    c.req.header("accept")?.includes("text/html")
      ? sayInPage(c, status, message)
      : c.text(strings.en[message].title, status);
}
