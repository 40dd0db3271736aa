import type { Context, Hono } from "hono";
import { toMicroseconds } from "../clock.ts";
import type { Env } from "../exchange.ts";
import { waitingOf } from "../gateway/chats.ts";
import { channelOf, type Gateway } from "../gateway/gateway.ts";
import { listedChat, listedMessage, nullable, responsibleOf } from "../gateway/wire.ts";
import { flag, number, page, passes } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import type { Message } from "../world.ts";
import { botRecord, customerRecord, transportChannel, userRecord } from "./records.ts";
import { callerOf } from "./speaker.ts";

export function listRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/bots", (c) => {
    const self = callerOf(world, c).id;
    const roles = c.req.queries("role");
    const list = page(
      c,
      world.bots.values(),
      (bot) =>
        passes(flag(c, "self"), bot.id === self) &&
        passes(flag(c, "active"), bot.active) &&
        (roles === undefined || bot.roles.some((role) => roles.includes(role))),
    );
    return c.json(list.map((bot) => botRecord(world, bot, self)));
  });
  site.get("/channels", (c) => {
    const types = c.req.queries("types");
    const list = page(
      c,
      world.channels.values(),
      (channel) => passes(flag(c, "active"), channel.active) && (types === undefined || types.includes(channel.type)),
    );
    return c.json(list.map(transportChannel));
  });
  site.get("/customers", (c) => {
    const list = page(
      c,
      world.customers.values(),
      (customer) =>
        world.channels.has(customer.channelId) &&
        passes(number(c, "channel_id"), customer.channelId) &&
        passes(c.req.query("channel_type"), world.channels.get(customer.channelId)?.type) &&
        passes(c.req.query("external_id"), customer.externalId),
    );
    return c.json(list.map(customerRecord));
  });
  site.get("/users", (c) => {
    const list = page(
      c,
      world.users.values(),
      (user) =>
        passes(flag(c, "active"), user.active) &&
        passes(flag(c, "online"), user.online) &&
        passes(c.req.query("external_id"), user.externalId),
    );
    return c.json(list.map(userRecord));
  });
  chatLists(site, gateway);
  messageList(site, gateway);
}

const withMass = (c: Context<Env>): boolean => flag(c, "include_mass_communication") ?? false;

/** Nothing but mass mailings was said there. */
function isMassOnly(messages: Message[]): boolean {
  const said = messages.filter(({ type }) => type !== "system");
  return said.length > 0 && said.every(({ mass }) => mass);
}

function chatLists(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/chats", (c) => {
    const list = page(
      c,
      world.chats.values(),
      (chat) =>
        (withMass(c) || !isMassOnly(world.messagesOf(chat.id))) &&
        passes(number(c, "channel_id"), chat.channelId) &&
        passes(c.req.query("channel_type"), channelOf(world, chat).type) &&
        passes(number(c, "customer_id"), chat.customerId) &&
        passes(c.req.query("customer_external_id"), world.customers.get(chat.customerId)?.externalId),
    );
    const waiting = waitingOf(gateway);
    return c.json(list.map((chat) => listedChat(gateway, chat, waiting)));
  });
  site.get("/members", (c) => {
    const members = [...world.chats.values()].flatMap((chat) =>
      chat.members.map((member) => ({ ...member, chatId: chat.id })),
    );
    const list = page(
      c,
      members,
      (member) =>
        passes(number(c, "chat_id"), member.chatId) &&
        passes(number(c, "user_id"), member.speaker.id) &&
        passes(c.req.query("state"), member.state),
    );
    return c.json(
      list.map(({ id, chatId, speaker, author, state, createdAt, updatedAt }) => ({
        id,
        chat_id: chatId,
        user_id: speaker.id,
        is_author: author,
        state,
        created_at: toMicroseconds(createdAt),
        ...(updatedAt !== null && { updated_at: toMicroseconds(updatedAt) }),
      })),
    );
  });
  site.get("/dialogs", (c) => {
    const dialogs = [...world.chats.values()].flatMap((chat) => chat.dialogs);
    const list = page(c, dialogs, ({ id, chatId, responsible, closedAt }) => {
      const by = (type: string) => (responsible?.type === type ? responsible.id : undefined);
      const own = world.messagesOf(chatId).filter((message) => message.dialogId === id);
      return (
        (withMass(c) || !isMassOnly(own)) &&
        passes(number(c, "chat_id"), chatId) &&
        passes(number(c, "user_id"), by("user")) &&
        passes(number(c, "bot_id"), by("bot")) &&
        passes(flag(c, "active"), closedAt === null) &&
        passes(flag(c, "assign"), responsible !== null)
      );
    });
    return c.json(
      list.map((dialog) => ({
        id: dialog.id,
        chat_id: dialog.chatId,
        begin_message_id: dialog.beginMessageId,
        ending_message_id: dialog.endingMessageId,
        bot_id: dialog.responsible?.type === "bot" ? dialog.responsible.id : null,
        created_at: toMicroseconds(dialog.createdAt),
        updated_at: nullable(dialog.updatedAt),
        closed_at: nullable(dialog.closedAt),
        is_active: dialog.closedAt === null,
        is_assigned: dialog.responsible !== null,
        ...(dialog.responsible && { responsible: responsibleOf(gateway, dialog) }),
        tags: dialog.tags,
        ...(dialog.utm && { utm: dialog.utm }),
      })),
    );
  });
}

function messageList(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/messages", (c) => {
    const chatId = number(c, "chat_id");
    const all = chatId === undefined ? world.everything : world.messagesOf(chatId);
    const scope = c.req.query("scope");
    const mass = withMass(c);
    const list = page(c, all, (message) => {
      const { from } = message;
      const by = (type: string) => (from.type === type ? from.id : undefined);
      return (
        !message.deleted &&
        (mass || !message.mass) &&
        passes(number(c, "user_id"), by("user")) &&
        passes(number(c, "customer_id"), by("customer")) &&
        passes(number(c, "bot_id"), by("bot")) &&
        passes(number(c, "dialog_id"), message.dialogId) &&
        passes(number(c, "channel_id"), message.channelId) &&
        passes(c.req.query("channel_type"), channelOf(world, message).type) &&
        passes(c.req.query("type"), message.type) &&
        (scope === undefined || message.scope === scope || message.scope === "undefined")
      );
    });
    return c.json(list.map((message) => listedMessage(gateway, message)));
  });
}

/** The chat of a path, or the gateway's refusal. */
export function chatById(gateway: Gateway, id: number) {
  const chat = gateway.world.chats.get(id);
  if (!chat) throw new Refusal(404, `chat #${id} not found`, "the chat exists");
  return chat;
}
