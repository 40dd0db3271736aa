import type { Context, MiddlewareHandler } from "hono";
import { Hono } from "hono";
import type { RollOut } from "../../module/vendor/rollout.ts";
import type { ConsoleFrame } from "../../pages/console/frame.tsx";
import { RollOutPage } from "../../pages/console/rollout.tsx";
import type { Env } from "../serving/request.ts";

interface Parts {
  rollOut: RollOut;
  frameOf(c: Context<Env>): ConsoleFrame;
  requireForm: MiddlewareHandler<Env>;
}

/** What a new version's messengers can do, and which gateways know. */
export function rollOutRoutes({ rollOut, frameOf, requireForm }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  site.get("/features", async (c) => c.html(RollOutPage({ ...frameOf(c), ...(await rollOut.look()) })));
  site.post("/features", requireForm, async (c) => {
    await rollOut.run();
    return c.redirect("/features", 303);
  });
  return site;
}
