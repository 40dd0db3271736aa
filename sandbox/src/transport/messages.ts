import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import type { Context, Hono } from "hono";
import { bodyOf, type Env, moduleOf } from "../exchange.ts";
import { bindingModule, type Gateway, mustFind, ownChannel } from "../gateway/gateway.ts";
import * as messages from "../gateway/messages.ts";
import { addReaction, removeReactions } from "../gateway/reactions.ts";
import { transportMessage } from "../gateway/wire.ts";
import type { Message, MessageRef } from "../world.ts";

interface RefBody {
  message: MessageRef;
}

export function messageRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const at = (c: Context<Env>, name: "channel" | "channel_id" = "channel") =>
    ownChannel(world, moduleOf(c), bodyOf<Record<string, number>>(c)[name] ?? 0);
  const refIn = (c: Context<Env>) => bodyOf<RefBody>(c).message;
  const kept = (message: Message) => ({ message_id: message.id, time: toMicroseconds(message.time) });

  site.post("/messages", (c) => c.json(kept(messages.post(gateway, at(c), bodyOf(c)))));
  site.post("/messages/history", (c) => c.json(kept(messages.post(gateway, at(c, "channel_id"), bodyOf(c), true))));
  site.put("/messages", (c) => {
    messages.edit(gateway, at(c), bodyOf<{ message: messages.EditBody }>(c).message);
    return c.json({});
  });
  site.delete("/messages", (c) => c.json(transportMessage(gateway, messages.remove(gateway, at(c), refIn(c)))));
  site.post("/messages/restore", (c) =>
    c.json(transportMessage(gateway, messages.restore(gateway, at(c, "channel_id"), refIn(c)))),
  );
  site.post("/messages/ack", (c) => {
    messages.ack(gateway, at(c), bodyOf(c));
    return c.json({});
  });
  site.post("/messages/read", (c) => {
    messages.markSeen(gateway, at(c, "channel_id"), refIn(c));
    return c.json({});
  });
  site.post("/messages/read_until", (c) =>
    c.json({ ids: messages.markSeenUntil(gateway, at(c, "channel_id"), bodyOf(c)) }),
  );
  site.on(["POST", "DELETE"], "/messages/reaction", (c) => {
    const channel = bindingModule(gateway, at(c));
    const message = mustFind(world, channel, refIn(c));
    const { reaction } = bodyOf<{ reaction?: string | null }>(c);
    const by = messages.customerOf(gateway, message);
    if (c.req.method === "DELETE") removeReactions(gateway, channel, message, by, reaction ?? undefined, "send");
    else addReaction(gateway, channel, message, by, reaction ?? "", "send");
    return c.json({});
  });
}
