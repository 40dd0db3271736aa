import { Hono } from "hono";
import type { Env } from "./exchange.ts";
import type { FaultPlan, Faults } from "./faults.ts";
import type { World } from "./world.ts";

interface Parts {
  world: World;
  faults: Faults;
  origin(): string;
}

/** Strings around the account that a person or a test pulls: JSON under `/sandbox`. */
export function controlApi({ world, faults, origin }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  site.post("/keys", async (c) => {
    const {
      key,
      scopes = [],
      credentials = [],
    } = await c.req.json<{ key: string; scopes?: string[]; credentials?: string[] }>();
    world.keys.set(key, { scopes, credentials });
    return c.json({ success: true });
  });
  site.post("/switches", async (c) => {
    const { gatewayOn, unpaid, versions } =
      await c.req.json<Partial<Pick<World, "gatewayOn" | "unpaid" | "versions">>>();
    if (gatewayOn !== undefined) world.gatewayOn = gatewayOn;
    if (unpaid !== undefined) world.unpaid = unpaid;
    if (versions) world.versions = versions;
    // Switching the integration off disables every transport module; switching it on again enables none (spec).
    if (gatewayOn === false) for (const module of world.modules.values()) module.active = false;
    world.version += 1;
    return c.json({ gatewayOn: world.gatewayOn, unpaid: world.unpaid, versions: world.versions });
  });
  site.post("/activity", async (c) => {
    const { code, active, freeze } = await c.req.json<{ code: string; active: boolean; freeze: boolean }>();
    const answer = await setActivity(world, origin(), code, { active, freeze });
    return c.json(answer, answer.status === 404 ? 404 : 200);
  });
  site.post("/faults", async (c) => {
    faults.plan(await c.req.json<FaultPlan>());
    return c.json({ success: true });
  });
  site.delete("/faults", (c) => {
    faults.clear();
    return c.json({ success: true });
  });
  site.post("/token/rotate", (c) => {
    for (const module of world.modules.values()) module.token = crypto.randomUUID().replaceAll("-", "");
    return c.json({ success: true });
  });
  site.get("/state", (c) => {
    const modules = [...world.modules.values()].map(({ registration, active, freeze }) => ({
      code: registration.code,
      active,
      freeze,
    }));
    return c.json({
      modules,
      channels: [...world.channels.values()],
      chats: [...world.chats.values()],
      messages: world.messages,
    });
  });
  return site;
}

/** Calls the module's activity action as the CRM does (spec: Callbacks). */
export async function setActivity(
  world: World,
  origin: string,
  code: string,
  activity: { active: boolean; freeze: boolean },
) {
  const module = world.modules.get(code);
  if (!module) return { status: 404, answer: "There is no such module" };
  Object.assign(module, activity);
  world.version += 1;
  const { baseUrl, actions, clientId } = module.registration;
  if (!actions?.activity) return { status: 200, answer: "The module has no activity action" };
  const form = new URLSearchParams({ clientId, activity: JSON.stringify(activity), systemUrl: origin });
  const response = await fetch(baseUrl + actions.activity, { method: "POST", body: form, redirect: "manual" });
  return { status: response.status, answer: await response.text() };
}
