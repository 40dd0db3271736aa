import type { z } from "zod";
import type { Asked } from "../graph.ts";
import { unknownNode } from "../graph-error.ts";
import { needNode, needRight, type Token } from "../tokens.ts";
import type { Platform } from "./network.ts";
import { shapeRefusal } from "./refusals.ts";
import { type Account, accountById } from "./world.ts";

/** Fields of a form are JSON where an object is meant; query parameters count as fields. */
function fieldsOf({ query, body }: Asked): Record<string, unknown> {
  const { access_token: _, ...more } = query;
  const all = { ...more, ...body };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, jsonOf(value)]));
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
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
  const account = accountOf(platform, asked, token);
  needRight(token, ...platform.network.rights.message);
  return { account, token };
}
