import type { Context } from "hono";
import type { Env } from "../../exchange.ts";

/** Who changes a record: a key of the API, a user of the CRM, or the CRM itself. */
export type Actor =
  | { source: "api"; key: string }
  | { source: "user"; user: number }
  | { source: "code" | "rule" | "combine" | "split" };

export const apiKeyOf = (c: Context<Env>): string =>
  c.req.header("x-api-key") ?? c.req.query("apiKey") ?? c.get("formKey") ?? "";

export function actorOf(c: Context<Env>): Actor {
  const user = c.get("user");
  return user === undefined ? { source: "api", key: apiKeyOf(c) } : { source: "user", user };
}
