import type { Context, Hono } from "hono";
import { bodyOf, type Env, lastInPath, moduleOf } from "../exchange.ts";
import { type Gateway, ownChannel } from "../gateway/gateway.ts";
import { changeTemplate, dropTemplate, putTemplate, templateOf, templateRecord } from "../gateway/templates.ts";

export function templateRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const channelOf = (c: Context<Env>) => ownChannel(world, moduleOf(c), Number(c.req.param("id")));
  const found = (c: Context<Env>) => templateOf(gateway, channelOf(c), lastInPath(c));
  site.get("/templates", (c) => {
    const { code } = moduleOf(c).registration;
    const own = world.templates.filter((t) => world.channels.get(t.channelId)?.moduleCode === code);
    return c.json(own.map(templateRecord));
  });
  site.post("/channels/:id/templates", (c) => {
    const isNew = putTemplate(gateway, channelOf(c), bodyOf(c));
    return c.json({}, isNew ? gateway.unknowns().templateStatus : 200);
  });
  site.put("/channels/:id/templates/:code", (c) => {
    changeTemplate(found(c), bodyOf(c));
    return c.json({});
  });
  site.delete("/channels/:id/templates/:code", (c) => {
    dropTemplate(gateway, found(c));
    return c.json({});
  });
}
