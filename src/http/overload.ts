import type { Context } from "hono";
import type { Overload } from "../domain/overload.ts";
import type { Log } from "../log.ts";
import type { Env } from "./env.ts";

/** Whom the answer concerns, for the log. */
interface Refused {
  account?: string;
  channel?: string;
}

/** "Later", with a time: 429 says that this sender is too much, 503 that it is the server. Nothing was stored. */
export function laterAnswer(c: Context<Env>, overload: Overload, log: Log, refused: Refused): Response {
  const { bound, count, retryAfter, message } = overload;
  // Not a line for each: at the 1st, 10th, 100th … time.
  if (/^10*$/.test(String(count))) log.warn("pressure.refused", { ...refused, bound, count });
  const status = bound === "account" || bound === "channel" || bound === "lane" ? 429 : 503;
  return c.json({ error: { code: "general", message } }, status, {
    "retry-after": String(retryAfter),
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "retry-after",
  });
}
