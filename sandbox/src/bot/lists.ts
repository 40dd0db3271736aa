import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import type { Context, Hono } from "hono";
import type { Env } from "../exchange.ts";
import { waitingOf } from "../gateway/chats.ts";
import { channelOf, type Gateway } from "../gateway/gateway.ts";
import { isSame, listedMessage, nullable } from "../gateway/wire.ts";
import { listedChat, responsibleOf } from "../gateway/wire-chats.ts";
import { flag, matching, number, page, several } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import type { Bot, Chat, Customer, Dialog, Message, SandboxChannel, Speaker, User } from "../world.ts";
import { botRecord, customerRecord, transportChannel, userRecord } from "./records.ts";
import { callerOf } from "./speaker.ts";

export function listRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/bots", (c) => {
    const self = callerOf(world, c).id;
    const roles = several(c, "role");
    const matches = matching<Bot>(c, { self: (bot) => bot.id === self, active: (bot) => bot.active });
    const hasRole = (bot: Bot) => roles === undefined || bot.roles.some((role) => roles.includes(role));
    const list = page(c, world.bots.values(), (bot) => matches(bot) && hasRole(bot));
    return c.json(list.map((bot) => botRecord(world, bot, self)));
  });
  site.get("/channels", (c) => {
    const types = several(c, "types");
    const matches = matching<SandboxChannel>(c, { active: (channel) => channel.active });
    const isOfType = ({ type }: SandboxChannel) => types === undefined || types.includes(type);
    const list = page(c, world.channels.values(), (channel) => matches(channel) && isOfType(channel));
    return c.json(list.map(transportChannel));
  });
  site.get("/customers", (c) => {
    const matches = matching<Customer>(c, {
      channel_id: (customer) => customer.channelId,
      channel_type: (customer) => world.channels.get(customer.channelId)?.type,
      external_id: (customer) => customer.externalId,
    });
    const cameByChannel = (customer: Customer) => world.channels.has(customer.channelId);
    const list = page(c, world.customers.values(), (customer) => cameByChannel(customer) && matches(customer));
    return c.json(list.map(customerRecord));
  });
  site.get("/users", (c) => {
    const matches = matching<User>(c, {
      active: (user) => user.active,
      online: (user) => user.online,
      external_id: (user) => user.externalId,
    });
    return c.json(page(c, world.users.values(), matches).map(userRecord));
  });
  chatList(site, gateway);
  memberList(site, gateway);
  dialogList(site, gateway);
  messageList(site, gateway);
}

const withMass = (c: Context<Env>): boolean => flag(c, "include_mass_communication");

function isMassOnly(messages: Message[]): boolean {
  const said = messages.filter(({ type }) => type !== "system");
  return said.length > 0 && said.every(({ mass }) => mass);
}

const idOf = (speaker: Speaker | null, type: string) => (speaker?.type === type ? speaker.id : undefined);

function chatList(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/chats", (c) => {
    const mass = withMass(c);
    const matches = matching<Chat>(c, {
      channel_id: (chat) => chat.channelId,
      channel_type: (chat) => channelOf(world, chat).type,
      customer_id: (chat) => chat.customerId,
      customer_external_id: (chat) => world.customers.get(chat.customerId)?.externalId,
    });
    const isShown = (chat: Chat) => mass || !isMassOnly(world.messagesOf(chat.id));
    const list = page(c, world.chats.values(), (chat) => matches(chat) && isShown(chat));
    const waiting = waitingOf(gateway);
    return c.json(list.map((chat) => listedChat(gateway, chat, waiting)));
  });
}

function memberList(site: Hono<Env>, { world }: Gateway): void {
  site.get("/members", (c) => {
    const members = [...world.chats.values()].flatMap((chat) =>
      chat.members.map((member) => ({ ...member, chatId: chat.id, author: isSame(member.speaker, chat.author) })),
    );
    const matches = matching<(typeof members)[number]>(c, {
      chat_id: (member) => member.chatId,
      user_id: (member) => member.speaker.id,
      state: (member) => member.state,
    });
    const list = page(c, members, matches);
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
}

function dialogList(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  site.get("/dialogs", (c) => {
    const dialogs = [...world.chats.values()].flatMap((chat) => chat.dialogs);
    const mass = withMass(c);
    const by = (type: string) => (dialog: Dialog) => idOf(dialog.responsible, type);
    const matches = matching<Dialog>(c, {
      chat_id: (dialog) => dialog.chatId,
      user_id: by("user"),
      bot_id: by("bot"),
      active: (dialog) => dialog.closedAt === null,
      assign: (dialog) => dialog.responsible !== null,
    });
    const said = ({ id, chatId }: Dialog) => world.messagesOf(chatId).filter(({ dialogId }) => dialogId === id);
    const list = page(c, dialogs, (dialog) => matches(dialog) && (mass || !isMassOnly(said(dialog))));
    return c.json(
      list.map((dialog) => ({
        id: dialog.id,
        chat_id: dialog.chatId,
        begin_message_id: dialog.beginMessageId,
        ending_message_id: dialog.endingMessageId,
        bot_id: idOf(dialog.responsible, "bot") ?? null,
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
    const mass = withMass(c);
    const by = (type: string) => (message: Message) => idOf(message.from, type);
    const matches = matching<Message>(c, {
      user_id: by("user"),
      customer_id: by("customer"),
      bot_id: by("bot"),
      dialog_id: (message) => message.dialogId,
      channel_id: (message) => message.channelId,
      channel_type: (message) => channelOf(world, message).type,
      type: (message) => message.type,
      scope: (message) => message.scope,
    });
    const isShown = (message: Message) => !message.deleted && (mass || !message.mass);
    const list = page(c, all, (message) => isShown(message) && matches(message));
    return c.json(list.map((message) => listedMessage(gateway, message)));
  });
}

/** Throws the gateway's 404. */
export function chatById(gateway: Gateway, id: number) {
  const chat = gateway.world.chats.get(id);
  if (!chat) throw new Refusal(404, `chat #${id} not found`, "the chat exists");
  return chat;
}
