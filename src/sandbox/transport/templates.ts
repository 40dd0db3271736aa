import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import { type Gateway, ownChannel } from "../gateway/gateway.ts";
import { changeTemplate, dropTemplate, putTemplate, templateOf, templateRecord } from "../gateway/templates.ts";
import { decode } from "../judge.ts";
import { moduleOf } from "./api.ts";

export function templateRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const channelOf = (c: Context<Env>) => ownChannel(world, moduleOf(c), Number(c.req.param("id")));
  // Codes may hold `#` and the like: the raw path is cut, not a decoded one.
  const found = (c: Context<Env>) =>
    templateOf(gateway, channelOf(c), decode(new URL(c.req.url).pathname.split("/").at(-1) ?? ""));
  site.get("/templates", (c) => {
    const { code } = moduleOf(c).registration;
    const own = world.templates.filter((t) => world.channels.get(t.channelId)?.moduleCode === code);
    return c.json(own.map(templateRecord));
  });
  site.post("/channels/:id/templates", (c) => {
    const isNew = putTemplate(gateway, channelOf(c), bodyOf(c));
    return c.json({}, isNew ? gateway.unknowns().createdStatus : 200);
  });
  site.put("/channels/:id/templates/:code", (c) => {
    changeTemplate(gateway, found(c), bodyOf(c));
    return c.json({});
  });
  site.delete("/channels/:id/templates/:code", (c) => {
    dropTemplate(gateway, found(c));
    return c.json({});
  });
}
