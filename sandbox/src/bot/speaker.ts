import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import { isWorking } from "../gateway/gateway.ts";
import { Refusal } from "../refusal.ts";
import type { Bot, Speaker, World } from "../world.ts";

/** The token's owner: an active bot, or an agent, whose token is a CRM session. */
export function speakerOf(world: World, token: string): Speaker | undefined {
  if (!token) return undefined;
  for (const { id, moduleCode } of world.bots.values()) {
    const module = world.modules.get(moduleCode);
    if (module?.token === token && module.registration.integrations.mgBot)
      return isWorking(world, module) ? { type: "bot", id } : undefined;
  }
  const user = [...world.users.values()].find((each) => each.token === token && each.active);
  return user && { type: "user", id: user.id };
}

export const tokenOf = (c: Context<Env>): string => {
  // Browsers cannot set headers on a WebSocket; the token comes as the second subprotocol.
  const [name, token] = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((part) => part.trim());
  return c.req.header("x-bot-token") ?? (name === "x-bot-token" ? (token ?? "") : "");
};

export function callerOf(world: World, c: Context<Env>): Speaker {
  const speaker = speakerOf(world, tokenOf(c));
  if (!speaker) throw new Refusal(401, "Unauthorized", "X-Bot-Token is a bot's or an agent's");
  return speaker;
}

export function callingBot(world: World, c: Context<Env>): Bot {
  const bot = world.bots.get(callerOf(world, c).id);
  if (!bot) throw new Refusal(400, "Only a bot has commands and settings of its own", "the token is a bot's");
  return bot;
}

/** The calling agent, by the CRM's id. */
export function agentOf(world: World, c: Context<Env>): number {
  const user = world.users.get(callerOf(world, c).id);
  if (!user) throw new Refusal(403, "Access denied.", "the token is an agent's");
  return Number(user.externalId);
}
