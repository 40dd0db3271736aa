import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { type Edit, edit, type Outgoing, remove, send } from "../gateway/outgoing.ts";
import { Refusal } from "../refusal.ts";
import type { Message } from "../world.ts";
import { chatById } from "./lists.ts";
import { callerOf } from "./speaker.ts";

export function messageRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.post("/messages", (c) => {
    const body = bodyOf<Outgoing & { chat_id: number }>(c);
    const message = send(gateway, chatById(gateway, body.chat_id), callerOf(world, c), body);
    return c.json({ message_id: message.id, time: toMicroseconds(message.time) });
  });
  site.patch("/messages/:id", (c) => {
    edit(gateway, ownMessage(gateway, c), bodyOf<Edit>(c));
    return c.json({});
  });
  site.delete("/messages/:id", (c) => {
    remove(gateway, ownMessage(gateway, c));
    return c.json({});
  });
}

/** A bot changes its own messages, an agent those of any agent. */
function ownMessage({ world }: Gateway, c: Context<Env>): Message {
  const id = Number(c.req.param("id"));
  const message = world.messageById(id);
  if (!message) throw new Refusal(404, `message #${id} not found`, "the message exists");
  const by = callerOf(world, c);
  if (message.from.type !== by.type || (by.type === "bot" && message.from.id !== by.id))
    throw new Refusal(400, "This message is somebody else's", "a bot changes its own messages");
  return message;
}
