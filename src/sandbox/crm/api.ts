import { type Context, Hono } from "hono";
import { plainPath } from "../addresses.ts";
import { type Bench, bodyOf, type Env, exchange, leaveToExchange } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createLimit } from "../limits.ts";
import { Refusal, type RefusalStatus } from "../refusal.ts";
import type { Registration } from "../world.ts";
import { customerRoutes } from "./customers.ts";
import { readForm } from "./form.ts";
import { ordersOfCrm, productsOfCrm } from "./goods.ts";
import { moduleRecord, registerModule } from "./modules.ts";
import { peopleRoutes } from "./people.ts";
import { checkRights } from "./rights.ts";

const MODULE = "/api/v5/integration-modules/{code}";
/** Methods that version 5 does not have any more (spec: Versioning), and what took their place. */
const REMOVED: [RegExp, string][] = [
  [
    /^\/api\/v4\/(store|delivery\/generic|marketplace\/external|telephony)\/setting\/[^/]+\/edit$/,
    `POST ${MODULE}/edit`,
  ],
  [/^\/api\/v4\/(store|delivery\/generic|telephony)\/setting\/[^/]+$/, `GET ${MODULE}`],
];

const refuse = (c: Context<Env>, status: RefusalStatus | 500 | 503, errorMsg: string) => {
  const [, missing] = /^\(body\) must have required property '(\w+)'$/.exec(errorMsg) ?? [];
  if (missing) return c.json({ success: false, errorMsg: `Parameter '${missing}' is missing` }, status);
  // Within an entity the CRM names the field.
  const [, path, fault] = /^\/(\w+(?:\/\w+)*) (.+)$/.exec(errorMsg) ?? [];
  if (!path) return c.json({ success: false, errorMsg }, status);
  const [, property] = /^must have required property '(\w+)'$/.exec(fault ?? "") ?? [];
  const field = [...path.split("/").slice(1), ...(property ? [property] : [])].join(".") || path;
  const errors = { [field]: property ? "This value should not be blank." : (fault ?? "") };
  return c.json({ success: false, errorMsg: "Errors in the entity format", errors }, status);
};

/** The CRM's own API: the calls that a module makes, and a little around them. */
export function crmApi(gateway: Gateway, bench: Bench): Hono<Env> {
  const { world, clock } = gateway;
  const site = new Hono<Env>({ getPath: plainPath });
  const limit = createLimit(clock.now);
  const keyOf = (c: Context<Env>) => c.req.header("x-api-key") ?? c.req.query("apiKey") ?? c.get("formKey") ?? "";

  site.use(
    exchange({
      ...bench,
      side: "crm",
      path: (c) => c.req.path,
      readBody: readForm,
      refuse,
      unknownPath: (c) => {
        const instead = REMOVED.find(([path]) => path.test(c.req.path))?.[1];
        if (instead) return `API method not found: removed in version 5, use ${instead}`;
        return /^\/api\/v[34]\//.test(c.req.path) ? "API method not found: use version 5" : "API method not found";
      },
      admit: (c) => {
        if (c.req.path === "/api/system-info") return;
        const key = keyOf(c);
        if (!key) throw new Refusal(403, '"apiKey" is missing.', "a key is given");
        const { crmPerSecond, crmTooMany, ...counting } = bench.unknowns();
        if (crmPerSecond > 0 && limit.exceeded(key, crmPerSecond, counting))
          throw new Refusal(crmTooMany as 429, "Too many requests", "requests a second and key");
        const known = world.keys.get(key);
        if (!known) throw new Refusal(403, 'Wrong "apiKey" value.', "the key exists");
        checkRights(known, c.req.method, c.req.path);
      },
    }),
  );
  site.onError(leaveToExchange);
  site.get("/api/system-info", (c) => {
    const address = gateway.origin();
    return c.json({ success: true, systemVersion: "8.0.0", publicUrl: address, technicalUrl: address });
  });
  site.get("/api/api-versions", (c) => c.json({ success: true, versions: world.versions }));
  site.get("/api/credentials", (c) => {
    const { scopes = [], credentials = [] } = world.keys.get(keyOf(c)) ?? {};
    return c.json({ success: true, credentials, scopes, siteAccess: "access_full", sitesAvailable: [] });
  });
  moduleRoutes(site, gateway);
  peopleRoutes(site, gateway);
  customerRoutes(site, gateway);
  site.get("/api/v5/store/products", (c) => listed(c, "products", productsOfCrm(gateway.origin())));
  site.get("/api/v5/orders", (c) => listed(c, "orders", ordersOfCrm()));
  return site;
}

export function listed(c: Context<Env>, name: string, entries: unknown[]): Response {
  const limit = [20, 50, 100].includes(Number(c.req.query("limit"))) ? Number(c.req.query("limit")) : 20;
  const currentPage = Math.max(1, Math.floor(Number(c.req.query("page")) || 1));
  const totalPageCount = Math.max(1, Math.ceil(entries.length / limit));
  const shown = entries.slice((currentPage - 1) * limit, currentPage * limit);
  const pagination = { limit, totalCount: entries.length, currentPage, totalPageCount };
  return c.json({ success: true, pagination, [name]: shown });
}

function moduleRoutes(site: Hono<Env>, gateway: Gateway): void {
  site.get("/api/v5/integration-modules/:code", (c) => {
    const module = gateway.world.modules.get(c.req.param("code"));
    if (!module) throw new Refusal(404, "Not found", "the module exists");
    return c.json({ success: true, integrationModule: moduleRecord(gateway, module) });
  });
  site.post("/api/v5/integration-modules/:code/edit", (c) => {
    const { integrationModule } = bodyOf<{ integrationModule: Registration }>(c);
    if (integrationModule.code !== c.req.param("code"))
      throw new Refusal(400, "Errors in the entity format", "the code equals the path's");
    const info = registerModule(gateway, integrationModule);
    return c.json({ success: true, info }, gateway.unknowns().moduleStatus);
  });
}
