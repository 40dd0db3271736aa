import { Hono } from "hono";
import type { RollOut } from "../../module/vendor/rollout.ts";
import { RollOutPage } from "../../pages/console/rollout.tsx";
import type { Env } from "../serving/request.ts";
import type { Guarded } from "./guarded.ts";

interface Parts extends Guarded {
  rollOut: RollOut;
}

/** Which gateways know the features of this version's messengers. */
export function rollOutRoutes({ rollOut, frameOf, requireForm }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  site.get("/features", async (c) => c.html(RollOutPage({ ...frameOf(c), ...(await rollOut.look()) })));
  site.post("/features", requireForm, async (c) => {
    await rollOut.run();
    return c.redirect("/features", 303);
  });
  return site;
}
