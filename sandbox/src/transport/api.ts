import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { type Bench, bodyOf, type Env, exchange, leaveToExchange, readJson } from "../exchange.ts";
import { fileRecord, storeFromUrl, storeUpload } from "../gateway/files.ts";
import { type Gateway, isWorking } from "../gateway/gateway.ts";
import { createLimit } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { channelRoutes } from "./channels.ts";
import { messageRoutes } from "./messages.ts";
import { templateRoutes } from "./templates.ts";

export const TRANSPORT_PATH = "/api/transport/v1";
/** Requests per second and token (spec: Limits). */
export const PER_SECOND = 30;

export const gatewayErrors = (c: Context<Env>, status: number, message: string): Response =>
  c.json({ errors: [message] }, status as 400);

export function transportApi(gateway: Gateway, bench: Bench): Hono<Env> {
  const { world, clock } = gateway;
  const site = new Hono<Env>().basePath(TRANSPORT_PATH);
  const limit = createLimit(clock.now);
  site.use(
    exchange({
      ...bench,
      side: "gateway",
      path: (c) => c.req.path.slice(TRANSPORT_PATH.length),
      readBody: readJson,
      refuse: gatewayErrors,
      unknownPath: () => "Not found",
      admit: (c) => {
        const token = c.req.header("x-transport-token") ?? "";
        if (limit.exceeded(token, PER_SECOND, bench.unknowns()))
          throw new Refusal(429, "Too many requests", "30 requests a second and token");
        const module = [...world.modules.values()].find(
          (each) => each.token === token && each.registration.integrations.mgTransport,
        );
        if (!module) throw new Refusal(401, "Unauthorized", "X-Transport-Token is a transport module's");
        if (bench.unknowns().disabledModule === "refuse" && !isWorking(world, module))
          throw new Refusal(401, "Unauthorized", "the module is active");
        c.set("module", module);
      },
    }),
  );
  site.use(emptied(bench.unknowns));
  site.onError(leaveToExchange);
  channelRoutes(site, gateway);
  templateRoutes(site, gateway);
  messageRoutes(site, gateway);
  site.post("/files/upload", async (c) => c.json(fileRecord(await storeUpload(world, c), gateway.origin())));
  site.post("/files/upload_by_url", async (c) =>
    c.json(fileRecord(await storeFromUrl(world, bodyOf<{ url: string }>(c).url), gateway.origin())),
  );
  site.get("/files/:id", (c) => {
    const file = world.files.get(c.req.param("id"));
    if (!file) throw new Refusal(404, "File not found", "the file exists");
    return c.json(fileRecord(file, gateway.origin()));
  });
  return site;
}

/** Sends an empty success without a body if `emptySuccess` says so. */
const emptied = (unknowns: Bench["unknowns"]) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    if (unknowns().emptySuccess === "object" || !c.res.ok) return;
    if ((await c.res.clone().text()) === "{}") c.res = new Response(null, { status: c.res.status });
  });
