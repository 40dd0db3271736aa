import { Hono } from "hono";
import { z } from "zod";
import type { Sockets } from "./bot/socket.ts";
import { moveAccount, setActivity, setSettings } from "./crm/activity.ts";
import { connectByClick } from "./crm/marketplace.ts";
import { newToken } from "./crm/modules.ts";
import { SCOPES } from "./crm/rights.ts";
import { createSegment } from "./crm/segments.ts";
import { setSwitches } from "./crm/switches.ts";
import { crmTime } from "./crm/times.ts";
import { type Bench, bodyAs, type Env } from "./exchange.ts";
import type { FaultControl } from "./fault-control.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { emitUser } from "./gateway/people.ts";
import { seedShop } from "./seed/seed.ts";
import { SEEDS } from "./seed/sizes.ts";
import { emitChannel } from "./transport/channels.ts";
import type { Unknowns } from "./unknowns.ts";
import { addUser } from "./users.ts";

/** What the pages and the control API under `/sandbox` act on. */
export interface Controls {
  gateway: Gateway;
  bench: Bench;
  sockets: Sockets;
  faultControl: FaultControl;
  /** Throws an Error that names each bad setting. */
  setUnknowns(change: unknown): Unknowns;
}

const keyBody = z.object({
  key: z.string().min(1),
  scopes: z
    .array(
      z.enum(SCOPES, { error: ({ input }) => `${String(input)} is not a right; known rights: ${SCOPES.join(", ")}` }),
    )
    .default([]),
  credentials: z.array(z.string()).default([]),
});
const switchesBody = z.object({
  gatewayOn: z.boolean().optional(),
  chatsOn: z.boolean().optional(),
  unpaid: z.boolean().optional(),
  corporateOn: z.boolean().optional(),
  versions: z.array(z.string()).optional(),
});
const activityBody = z.object({ code: z.string(), active: z.boolean(), freeze: z.boolean() });
const languageBody = z.object({ language: z.string().min(2), timeZone: z.string().min(1) });
const addressBody = z.object({ publicUrl: z.url() });
const clickBody = z.object({ configUrl: z.url(), secret: z.string() });
const segmentBody = z.strictObject({
  code: z.string().min(1),
  name: z.string().min(1),
  active: z.boolean().optional(),
  isTree: z.boolean().optional(),
  rule: z.record(z.string(), z.unknown()).optional(),
  customers: z.array(z.number()).optional(),
});
const agentBody = z.object({ first_name: z.string().min(1), last_name: z.string().default("") });
const seedBody = z.object({ seed: z.enum(SEEDS) });
const clockBody = z.object({ jumpMs: z.number().int().min(0) });
const closeBody = z.object({
  code: z.union([
    z.literal([0, 1000, 1001, 1002, 1003]),
    z.number().int().min(1007).max(1014),
    z.number().int().min(3000).max(4999),
  ]),
});

/** Control API for people, pages and tests: JSON under `/sandbox`. */
export function controlApi(controls: Controls): Hono<Env> {
  const { gateway, bench, sockets } = controls;
  const { world, clock } = gateway;
  const site = new Hono<Env>();
  site.onError((error, c) => c.json({ errors: [error.message] }, 400));
  site.post("/keys", async (c) => {
    const { key, scopes, credentials } = await bodyAs(c, keyBody);
    world.keys.set(key, { scopes, credentials });
    return c.json({ success: true });
  });
  site.delete("/keys/:key", (c) => c.json({ success: world.keys.delete(c.req.param("key")) }));
  site.post("/switches", async (c) => c.json(setSwitches(gateway, await bodyAs(c, switchesBody))));
  site.post("/activity", async (c) => {
    const { code, ...activity } = await bodyAs(c, activityBody);
    const result = await setActivity(gateway, code, activity);
    return c.json(result, result.status === 404 ? 404 : 200);
  });
  site.post("/language", async (c) => c.json(await setSettings(gateway, await bodyAs(c, languageBody))));
  site.post("/address", async (c) => {
    const { publicUrl } = await bodyAs(c, addressBody);
    return c.json(await moveAccount(gateway, new URL(publicUrl).origin));
  });
  site.post("/connect", async (c) => {
    const { configUrl, secret } = await bodyAs(c, clickBody);
    return c.json(await connectByClick(gateway, bench, configUrl, secret));
  });
  site.get("/settings", (c) => c.json(bench.unknowns()));
  site.put("/settings", async (c) => c.json(controls.setUnknowns(await c.req.json())));
  faultRoutes(site, controls);
  site.post("/clock", async (c) => {
    clock.jump((await bodyAs(c, clockBody)).jumpMs);
    return c.json({ now: new Date(clock.now()).toISOString() });
  });
  site.post("/seed", async (c) => {
    await seedShop(gateway, (await bodyAs(c, seedBody)).seed);
    // Tokens have changed.
    sockets.close(1000, false);
    return c.json({ success: true });
  });
  site.post("/token/rotate", (c) => {
    rotateTokens(controls);
    return c.json({ success: true });
  });
  site.post("/sockets/close", async (c) => {
    const open = sockets.count();
    sockets.close((await bodyAs(c, closeBody)).code);
    return c.json({ closed: open });
  });
  agentRoutes(site, controls);
  site.post("/segments", async (c) => c.json(createSegment(world, crmTime(clock.now()), await bodyAs(c, segmentBody))));
  site.patch("/channels/:id", async (c) => {
    const channel = world.channels.get(Number(c.req.param("id")));
    if (!channel) return c.json({ errors: ["There is no such channel"] }, 404);
    const { active } = await bodyAs(c, z.object({ active: z.boolean() }));
    Object.assign(channel, { active, deactivatedAt: active ? null : clock.now() });
    emitChannel(gateway, channel);
    return c.json({ success: true });
  });
  site.get("/callbacks", (c) => c.json(world.callbacks));
  site.get("/state", (c) => c.json(stateOf(gateway)));
  return site;
}

/** Replaces every module's token and closes the sockets of the old ones. */
export function rotateTokens({ gateway, sockets }: Controls): void {
  for (const module of gateway.world.modules.values()) module.token = newToken();
  sockets.close(1000, false);
}

function faultRoutes(site: Hono<Env>, { faultControl }: Controls): void {
  site.get("/faults", (c) => c.json(faultControl.list()));
  site.post("/faults", async (c) => {
    faultControl.plan(await c.req.json());
    return c.json({ success: true });
  });
  site.delete("/faults", (c) => {
    faultControl.clear();
    return c.json({ success: true });
  });
}

function agentRoutes(site: Hono<Env>, { gateway }: Controls): void {
  const { world, clock } = gateway;
  const shown = ({ id, externalId, firstName, lastName, token }: ReturnType<typeof addUser>) => ({
    id,
    crm_id: Number(externalId),
    name: `${firstName} ${lastName}`.trim(),
    token,
  });
  site.get("/agents", (c) =>
    c.json([...world.users.values()].filter((user) => user.active && !user.technical).map(shown)),
  );
  site.post("/agents", async (c) => {
    const { first_name: first, last_name: last } = await bodyAs(c, agentBody);
    const user = addUser(world, first, last, clock.now());
    emitUser(gateway, user.id);
    return c.json(shown(user));
  });
  site.patch("/agents/:id", async (c) => {
    const user = world.users.get(Number(c.req.param("id")));
    if (!user) return c.json({ errors: ["There is no such agent"] }, 404);
    const { active } = await bodyAs(c, z.object({ active: z.boolean() }));
    const at = clock.now();
    Object.assign(user, { active, revokedAt: active ? null : at, updatedAt: at });
    emitUser(gateway, user.id);
    return c.json({ success: true });
  });
}

function stateOf({ world }: Gateway) {
  return {
    modules: [...world.modules.values()].map(({ registration, active, freeze }) => ({
      code: registration.code,
      active,
      freeze,
    })),
    channels: [...world.channels.values()],
    chats: [...world.chats.values()],
    customers: [...world.customers.values()],
    messages: world.messages,
    notifications: world.notifications,
  };
}
