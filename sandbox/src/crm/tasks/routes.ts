import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { resourceRoutes } from "../resource/routes.ts";
import { commentsRoute } from "./comments.ts";
import { TASK } from "./task.ts";

export function taskRoutes(site: Hono<Env>, gateway: Gateway): void {
  commentsRoute(site, gateway);
  resourceRoutes(site, gateway, TASK);
}
