import { randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { type Env, type ExchangeParts, exchange } from "./exchange.ts";
import type { Registration, World } from "./world.ts";

type Parts = Pick<ExchangeParts, "judge" | "calls" | "faults" | "now"> & { world: World; origin(): string };
const NEEDED: Record<string, string> = { GET: "integration_read", POST: "integration_write" };

const fail = (c: Context<Env>, status: 400 | 402 | 403 | 404, errorMsg: string) =>
  c.json({ success: false, errorMsg }, status);

/** The four calls that a module makes to its account's CRM. */
export function crmApi(parts: Parts): Hono<Env> {
  const { world } = parts;
  const site = new Hono<Env>();
  const keyOf = (c: Context<Env>) => c.req.header("x-api-key") ?? c.req.query("apiKey");

  site.use(
    exchange({
      ...parts,
      side: "crm",
      path: (c) => c.req.path,
      readBody: readForm,
      refuse: (c, status, message) => fail(c, status, status === 404 ? "API method not found" : message),
      admit: (c) => {
        const key = keyOf(c);
        if (!key) return fail(c, 403, '"apiKey" is missing.');
        return world.keys.has(key) ? undefined : fail(c, 403, 'Wrong "apiKey" value.');
      },
    }),
  );
  site.use("/api/v5/*", async (c, next) => {
    const rights = world.keys.get(keyOf(c) ?? "");
    const needed = NEEDED[c.req.method] ?? "";
    const old = c.req.path.replace("/v5", "");
    if (rights?.scopes.includes(needed) || (rights?.scopes.length === 0 && rights.credentials.includes(old)))
      return next();
    return fail(c, 403, "Access denied.");
  });
  site.get("/api/api-versions", (c) => c.json({ success: true, versions: world.versions }));
  site.get("/api/credentials", (c) => {
    const { scopes = [], credentials = [] } = world.keys.get(keyOf(c) ?? "") ?? {};
    return c.json({ success: true, credentials, scopes, siteAccess: "access_full", sitesAvailable: [] });
  });
  site.get("/api/v5/integration-modules/:code", (c) => {
    const module = world.modules.get(c.req.param("code"));
    if (!module) return fail(c, 404, "Not found");
    const { registration, token, active, freeze } = module;
    const { webhookUrl } = registration.integrations.mgTransport ?? {};
    const integrations = { mgTransport: { token, isActive: active && world.gatewayOn, webhookUrl } };
    const { name, clientId, baseUrl, accountUrl, logo, actions = {}, availableCountries = [] } = registration;
    const integrationCode = registration.integrationCode ?? registration.code;
    const state = { active, freeze, native: false, availableCountries };
    const integrationModule = {
      code: registration.code,
      integrationCode,
      ...state,
      name,
      logo,
      clientId,
      baseUrl,
      accountUrl,
      actions,
      integrations,
    };
    return c.json({ success: true, integrationModule });
  });
  site.post("/api/v5/integration-modules/:code/edit", (c) => {
    const { integrationModule } = c.get("body") as { integrationModule: Registration };
    if (integrationModule.code !== c.req.param("code")) return fail(c, 400, "Errors in the entity format");
    if (!integrationModule.integrations.mgTransport)
      return fail(c, 400, "Parameter 'integrations.mgTransport' is missing");
    if (world.unpaid) return fail(c, 402, "Not enough money in the account");
    if (!world.gatewayOn)
      return fail(c, 400, "Failed to activate module: the messaging gateway integration is switched off");
    return c.json({ success: true, info: { mgTransport: register(world, integrationModule, parts.origin()) } }, 200);
  });
  return site;
}

/** Creates the module, or changes it: then its token stays unless a new one is asked for. */
function register(world: World, registration: Registration, origin: string) {
  const known = world.modules.get(registration.code);
  const fresh = registration.integrations.mgTransport?.refreshToken;
  const token = known && !fresh ? known.token : randomBytes(24).toString("hex");
  world.modules.set(registration.code, { registration, token, active: registration.active ?? true, freeze: false });
  world.version += 1;
  return { endpointUrl: `${origin}/api/transport/v1/`, token };
}

/** `integrationModule` as JSON in one form field, or as bracketed fields. */
async function readForm(c: Context<Env>): Promise<{ body: unknown; text: string }> {
  if (c.req.method !== "POST") return { body: undefined, text: "" };
  const text = await c.req.raw.clone().text();
  const form = new URLSearchParams(text);
  const json = form.get("integrationModule");
  if (json === null) return { body: { integrationModule: bracketed(form) }, text: [...form].join("\n") };
  try {
    return { body: { integrationModule: JSON.parse(json) }, text: json };
  } catch {
    return { body: {}, text };
  }
}

function bracketed(form: URLSearchParams): Record<string, unknown> {
  const root: Record<string, unknown> = Object.create(null);
  for (const [name, value] of form) {
    const path = [...name.matchAll(/\[([^\]]*)\]/g)].map((found) => found[1] ?? "");
    let at = root;
    for (const key of path.slice(0, -1)) {
      at[key] ??= Object.create(null);
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1) ?? ""] = value === "true" ? true : value === "false" ? false : value;
  }
  return root;
}
