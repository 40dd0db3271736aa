import { createMiddleware } from "hono/factory";
import { bodyOf, type Env } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { SITE_MISSING } from "./contract.ts";
import { actorOf } from "./resource/actor.ts";

/** Refuses a key's call that does not say in which of several shops it writes. The CRM's own pages know it. */
export const shopNamed = ({ dictionaries }: World) =>
  createMiddleware<Env>(async (c, next) => {
    const shops = dictionaries.get("sites")?.size ?? 0;
    if (shops > 1 && actorOf(c).source === "api" && !bodyOf<{ site?: string }>(c).site)
      throw new Refusal(400, SITE_MISSING, "a key that sees several shops names one");
    await next();
  });
