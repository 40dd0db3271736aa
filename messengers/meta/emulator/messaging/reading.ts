import { createHmac } from "node:crypto";
import type { z } from "zod";
import { type Asked, jsonOf } from "../graph.ts";
import { plainRefusal, unknownNode } from "../graph-error.ts";
import { needNode, needRight, type Token } from "../tokens.ts";
import type { Platform } from "./network.ts";
import { shapeRefusal } from "./refusals.ts";
import { type Account, accountById } from "./world.ts";

/** Parameters that every call may have. */
const ANYWHERE = ["access_token", "appsecret_proof", "fields", "format", "pretty", "debug", "locale"];

/** Fields of a form are JSON where an object is meant; query parameters count as fields. */
function fieldsOf({ query, body }: Asked): Record<string, unknown> {
  const all = Object.entries({ ...query, ...body }).filter(([name]) => !ANYWHERE.includes(name));
  return Object.fromEntries(all.map(([name, value]) => [name, jsonOf(value)]));
}

/** Throws GraphRefusal with the first fault. */
export function readBody<T>(shape: z.ZodType<T>, asked: Asked): T {
  const fields = fieldsOf(asked);
  const parsed = shape.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw shapeRefusal(parsed.error.issues, fields);
}

/** The account of the path, `me` included, for a token that may use it. Throws GraphRefusal. */
export function accountOf({ world }: Platform, asked: Asked, token: Token): Account {
  const { accountId = "" } = asked.path;
  const id = accountId === "me" ? ([...token.nodes].find((node) => accountById(world, node)) ?? "me") : accountId;
  needNode(token, id, "post");
  const account = accountById(world, id);
  if (!account) throw unknownNode(id, "post");
  return account;
}

/** The same for a call that reads or sends messages. */
export function messagingAccount(platform: Platform, asked: Asked): { account: Account; token: Token } {
  const token = asked.token();
  checkProof(asked, token);
  const account = accountOf(platform, asked, token);
  needRight(token, ...platform.network.rights.message);
  return { account, token };
}

/** A proof that the caller knows the app's secret; a wrong one counts, none does not. */
function checkProof({ query, body, app }: Asked, { value }: Token): void {
  const proof = query.appsecret_proof ?? body.appsecret_proof;
  if (proof === undefined || proof === createHmac("sha256", app().secret).update(value).digest("hex")) return;
  throw plainRefusal(100, "Invalid appsecret_proof provided in the API argument", { type: "GraphMethodException" });
}
