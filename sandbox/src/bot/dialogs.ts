import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import * as dialogs from "../gateway/dialogs.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { responsibleOf } from "../gateway/wire-chats.ts";
import { Refusal } from "../refusal.ts";
import type { Chat, Dialog, Speaker } from "../world.ts";
import { chatById } from "./lists.ts";
import { callerOf } from "./speaker.ts";

interface Responsible {
  user_id?: number | null;
  bot_id?: number | null;
}
interface Tags {
  tags: { name: string; color_code?: string }[];
}
const NO_COLOUR = "light-gray";

export function dialogRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const dialogIn = (c: Context<Env>): { chat: Chat; dialog: Dialog; by: Speaker } => {
    const id = Number(c.req.param("id"));
    for (const chat of world.chats.values()) {
      const dialog = chat.dialogs.find((each) => each.id === id);
      if (dialog) return { chat, dialog, by: callerOf(world, c) };
    }
    throw new Refusal(404, `dialog #${id} not found`, "the dialog exists");
  };

  site.post("/chats/:id/dialogs", (c) => {
    const chat = chatById(gateway, Number(c.req.param("id")));
    const by = callerOf(world, c);
    const to = responsibleIn(gateway, bodyOf(c));
    const dialog = dialogs.openDialog(gateway, chat, by);
    if (to) dialogs.assign(gateway, chat, dialog, to, by);
    return c.json({ id: dialog.id, created_at: toMicroseconds(dialog.createdAt) });
  });
  site.patch("/dialogs/:id/assign", (c) => {
    const { chat, dialog, by } = dialogIn(c);
    const to = responsibleIn(gateway, bodyOf(c));
    if (!to) throw new Refusal(400, "user_id or bot_id is required", "an assignment names somebody");
    const { reassigned, previous, left } = dialogs.assign(gateway, chat, dialog, to, by);
    return c.json({
      is_reassign: reassigned,
      left_user_id: left,
      previous_responsible: previous && responsibleOf(gateway, previous),
      responsible: responsibleOf(gateway, dialog),
    });
  });
  site.patch("/dialogs/:id/unassign", (c) => {
    const { chat, dialog, by } = dialogIn(c);
    const before = dialogs.unassign(gateway, chat, dialog, by);
    return c.json({ previous_responsible: responsibleOf(gateway, before) });
  });
  site.delete("/dialogs/:id/close", (c) => {
    const { chat, dialog, by } = dialogIn(c);
    dialogs.closeDialog(gateway, chat, dialog, by);
    return c.json({});
  });
  site.patch("/dialogs/:id/tags/add", (c) => {
    const { chat, dialog, by } = dialogIn(c);
    const tags = bodyOf<Tags>(c).tags.map(({ name, color_code = NO_COLOUR }) => ({ name, color_code }));
    dialogs.addTags(gateway, chat, dialog, tags, by);
    return c.json({});
  });
  site.patch("/dialogs/:id/tags/delete", (c) => {
    const { chat, dialog, by } = dialogIn(c);
    const names = bodyOf<Tags>(c).tags.map(({ name }) => name);
    dialogs.deleteTags(gateway, chat, dialog, names, by);
    return c.json({});
  });
}

function responsibleIn({ world }: Gateway, { user_id: userId, bot_id: botId }: Responsible): Speaker | undefined {
  if (userId) {
    if (!world.users.get(userId)?.active) throw new Refusal(400, `user #${userId} not found`, "the user is active");
    return { type: "user", id: userId };
  }
  if (!botId) return undefined;
  if (!world.bots.get(botId)?.active) throw new Refusal(400, `bot #${botId} not found`, "the bot is active");
  return { type: "bot", id: botId };
}
