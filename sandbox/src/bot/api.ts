import { Hono } from "hono";
import { type Bench, type Env, exchange, leaveToExchange, readJson } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createLimit } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { gatewayErrors, PER_SECOND } from "../transport/api.ts";
import { dialogRoutes } from "./dialogs.ts";
import { fileRoutes } from "./files.ts";
import { listRoutes } from "./lists.ts";
import { messageRoutes } from "./messages.ts";
import { ownRoutes } from "./own.ts";
import type { Sockets } from "./socket.ts";
import { callerOf, speakerOf, tokenOf } from "./speaker.ts";

export const BOT_PATH = "/api/bot/v1";

export function botApi(gateway: Gateway, bench: Bench, sockets: Sockets): Hono<Env> {
  const site = new Hono<Env>().basePath(BOT_PATH);
  const limit = createLimit(gateway.clock.now);
  site.use(
    exchange({
      ...bench,
      side: "bot",
      path: (c) => c.req.path.slice(BOT_PATH.length),
      readBody: readJson,
      refuse: gatewayErrors,
      unknownPath: () => "Not found",
      admit: (c) => {
        const token = tokenOf(c);
        // Agents' calls are the CRM's own traffic; only registered bots are limited.
        const isAgent = speakerOf(gateway.world, token)?.type === "user";
        if (!isAgent && limit.exceeded(token, PER_SECOND, bench.unknowns()))
          throw new Refusal(429, "Too many requests", "30 requests a second and token");
        callerOf(gateway.world, c);
      },
    }),
  );
  site.onError(leaveToExchange);
  listRoutes(site, gateway);
  dialogRoutes(site, gateway);
  messageRoutes(site, gateway);
  fileRoutes(site, gateway);
  ownRoutes(site, gateway);
  site.get("/ws", sockets.open);
  return site;
}
