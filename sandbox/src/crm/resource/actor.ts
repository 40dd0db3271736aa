import type { Context } from "hono";
import type { Env } from "../../exchange.ts";
import type { Actor } from "./change.ts";

export const apiKeyOf = (c: Context<Env>): string =>
  c.req.header("x-api-key") ?? c.req.query("apiKey") ?? c.get("formKey") ?? "";

export function actorOf(c: Context<Env>): Actor {
  const user = c.get("user");
  return user === undefined ? { source: "api", key: apiKeyOf(c) } : { source: "user", user };
}
