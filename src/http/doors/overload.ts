import type { Context } from "hono";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import type { Overload } from "../../domain/delivery/overload.ts";
import type { Log } from "../../log.ts";
import type { Env } from "../serving/env.ts";

/** Log fields of the refused sender. */
interface Refused {
  account?: string;
  channel?: string;
  kind?: string;
}

/** CORS: any page may read the answer; the session decides what the site may do. */
export const READABLE = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

/** Asks for a retry: 429 for an overload of this sender, 503 for one of the server. Nothing was stored. */
export function laterAnswer(
  c: Context<Env>,
  overload: Overload,
  log: Log,
  refused: Refused,
  headers: Record<string, string> = READABLE,
): Response {
  const { bound, count, retryAfter, message } = overload;
  if (reachesPowerOfTen(count)) log.warn("pressure.refused", { ...refused, bound, count });
  const status = bound === "account" || bound === "channel" || bound === "lane" ? 429 : 503;
  return c.json({ error: { code: "general", message } }, status, { "retry-after": String(retryAfter), ...headers });
}
