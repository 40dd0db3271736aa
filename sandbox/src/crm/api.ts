import { Hono } from "hono";
import { plainPath } from "../addresses.ts";
import { type Bench, bodyOf, type Env, exchange, leaveToExchange } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createLimit } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { Registration } from "../world.ts";
import { customFieldRoutes } from "./custom-fields.ts";
import { corporateRoutes } from "./customers/corporate.ts";
import { customerRoutes } from "./customers/routes.ts";
import { refuse, unknownPath } from "./errors.ts";
import { fileRoutes } from "./files/routes.ts";
import { readForm } from "./form.ts";
import { moduleRecord, newToken, registerModule } from "./modules.ts";
import { orderRoutes } from "./orders/demo.ts";
import { peopleRoutes } from "./people.ts";
import { found } from "./records.ts";
import { DICTIONARIES } from "./reference/dictionaries.ts";
import { dictionaryRoutes } from "./reference/dictionary.ts";
import { apiKeyOf } from "./resource/actor.ts";
import { checkRights } from "./rights.ts";
import { storeRoutes } from "./store/products.ts";
import { taskRoutes } from "./tasks.ts";

/** The CRM's own API: the module contract and a few more calls. */
export function crmApi(gateway: Gateway, bench: Bench): Hono<Env> {
  const { world, clock } = gateway;
  const site = new Hono<Env>({ getPath: plainPath });
  const limit = createLimit(clock.now);

  site.use(
    exchange({
      ...bench,
      side: "crm",
      path: (c) => c.req.path,
      readBody: readForm,
      refuse,
      unknownPath,
      admit: (c) => {
        if (c.req.path === "/api/system-info") return;
        const key = apiKeyOf(c);
        if (!key) throw new Refusal(403, '"apiKey" is missing.', "a key is given");
        const { crmPerSecond, crmTooMany, ...counting } = bench.unknowns();
        if (crmPerSecond > 0 && limit.exceeded(key, crmPerSecond, counting))
          throw new Refusal(crmTooMany as 429, "Too many requests", "requests a second and key");
        const known = world.keys.get(key);
        if (!known) throw new Refusal(403, 'Wrong "apiKey" value.', "the key exists");
        // Unknown paths need no right: they answer 404.
        const operation = bench.judge.operation("crm", c.req.method, c.req.path);
        if (operation) checkRights(known, operation, c.req.path);
      },
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
  moduleRoutes(site, gateway);
  peopleRoutes(site, gateway);
  customerRoutes(site, gateway);
  corporateRoutes(site, gateway);
  storeRoutes(site, gateway);
  fileRoutes(site, gateway);
  orderRoutes(site);
  dictionaryRoutes(site, world, DICTIONARIES);
  customFieldRoutes(site, world);
  taskRoutes(site, gateway);
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
      throw new Refusal(400, "Errors in the entity format", "the code equals the path's");
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
