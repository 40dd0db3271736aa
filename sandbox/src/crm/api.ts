import { Hono } from "hono";
import { plainPath } from "../addresses.ts";
import { type Bench, bodyOf, type Env, exchange, leaveToExchange } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Registration } from "../world.ts";
import { IN_SHOP } from "./contract.ts";
import { corporateRoutes } from "./corporate/routes.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { customerRoutes } from "./customers/routes.ts";
import { calculateRoute } from "./delivery/calculate.ts";
import { SHIPMENT } from "./delivery/shipments.ts";
import { trackingRoute } from "./delivery/tracking.ts";
import { byKey, type Entrance } from "./entrance.ts";
import { refuse, unknownPath } from "./errors.ts";
import { fileRoutes } from "./files/routes.ts";
import { readForm } from "./form.ts";
import { moduleRecord, newToken, registerModule } from "./modules.ts";
import { notificationRoute } from "./notifications.ts";
import { orderRoutes } from "./orders/routes.ts";
import { found } from "./records.ts";
import { knownEntries } from "./reference/asked.ts";
import { DICTIONARIES } from "./reference/dictionaries.ts";
import { dictionaryRoutes } from "./reference/dictionary.ts";
import { apiKeyOf } from "./resource/actor.ts";
import { resourceRoutes } from "./resource/routes.ts";
import { judgeOfWholes } from "./resource/upload.ts";
import { segmentRoute } from "./segments.ts";
import { settingsRoute } from "./settings.ts";
import { shopNamed } from "./shop.ts";
import { storeRoutes } from "./store/products.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { userRoutes } from "./users.ts";
import { entityFault } from "./writing.ts";

/** The CRM's own API. */
export function crmApi(gateway: Gateway, bench: Bench, { root, admit }: Entrance = byKey(gateway, bench)): Hono<Env> {
  const { world } = gateway;
  const site = new Hono<Env>({ getPath: (request) => plainPath(request).slice(root.length) });
  site.use(
    exchange({
      ...bench,
      judge: judgeOfWholes(bench.judge),
      side: "crm",
      path: (c) => c.req.path,
      readBody: (c) => readForm(c, bench.unknowns().crmJson === "read"),
      refuse,
      unknownPath,
      admit,
    }),
  );
  site.onError(leaveToExchange);
  site.get("/api/system-info", (c) => {
    // Without a public address of its own, the account is wherever it was reached.
    const { publicUrl } = world.settings;
    const technicalUrl = publicUrl ? gateway.origin() : new URL(c.req.url).origin;
    return c.json({ success: true, systemVersion: "8.0.0", publicUrl: publicUrl ?? technicalUrl, technicalUrl });
  });
  site.get("/api/api-versions", (c) => c.json({ success: true, versions: world.versions }));
  site.get("/api/credentials", (c) => {
    const { scopes = [], credentials = [] } = world.keys.get(apiKeyOf(c)) ?? {};
    return c.json({ success: true, credentials, scopes, siteAccess: "access_full", sitesAvailable: [] });
  });
  site.get("/api/v5/*", knownEntries(gateway));
  moduleRoutes(site, gateway);
  notificationRoute(site, gateway);
  userRoutes(site, gateway);
  segmentRoute(site, world);
  settingsRoute(site, world);
  for (const path of IN_SHOP) site.post(path.replace(/\{(\w+)\}/, ":$1"), shopNamed(world));
  customerRoutes(site, gateway, bench.judge);
  corporateRoutes(site, gateway, bench.judge);
  storeRoutes(site, gateway);
  fileRoutes(site, gateway);
  orderRoutes(site, gateway, bench.judge);
  dictionaryRoutes(site, gateway, DICTIONARIES);
  customFieldRoutes(site, world);
  taskRoutes(site, gateway);
  resourceRoutes(site, gateway, SHIPMENT);
  trackingRoute(site, gateway);
  calculateRoute(site, gateway);
  return site;
}

function moduleRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const moduleBy = (code: string) => found(world.modules, code, "the module exists");
  site.get("/api/v5/integration-modules/:code", (c) =>
    c.json({ success: true, integrationModule: moduleRecord(gateway, moduleBy(c.req.param("code"))) }),
  );
  site.post("/api/v5/integration-modules/:code/edit", (c) => {
    const { integrationModule } = bodyOf<{ integrationModule: Registration }>(c);
    if (integrationModule.code !== c.req.param("code"))
      throw entityFault("integrationModule", "code", "This value is not valid.");
    const info = registerModule(gateway, integrationModule);
    return c.json({ success: true, info }, gateway.unknowns().moduleStatus);
  });
  site.post("/api/v5/integration-modules/:code/update-scopes", (c) => {
    moduleBy(c.req.param("code"));
    const { requires } = bodyOf<{ requires: { scopes: string[] } }>(c);
    const apiKey = newToken();
    world.keys.set(apiKey, { scopes: requires.scopes, credentials: [] });
    return c.json({ success: true, apiKey });
  });
}
