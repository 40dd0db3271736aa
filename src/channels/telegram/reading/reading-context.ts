import type { ChatId, MessengerMessageId } from "../../../domain/ids.ts";
import type { ChannelEvent, Customer } from "../../../domain/message/message.ts";
import { formatChatRef, messageId } from "../ids.ts";
import type { Settings } from "../wire.ts";
import { customerOf, customerOfChat, nameOf, titleOf } from "./people.ts";
import type { TelegramChat, TelegramMessage } from "./update.ts";

export interface ReadingContext {
  botId: string;
  settings: Pick<Settings, "groups" | "language" | "businessOwners">;
  /** When the update arrived, ms; used for events without a plausible date. */
  now: number;
  note(key: string): Promise<string | undefined>;
}
export interface Reading {
  events: ChannelEvent[];
  /** Stored with the events. */
  notes: { key: string; value: string }[];
  /** Type of an unknown update, for the log. */
  unknown?: string;
  /** Callback query to answer. */
  callbackId?: string;
}

export const nothing = (): Reading => ({ events: [], notes: [] });
export const of = (...events: ChannelEvent[]): Reading => ({ events, notes: [] });

/** Owner of a connection, if the settings name them: anybody can connect the bot to their own chats. */
export async function ownerOf(connection: string, { settings, note }: ReadingContext): Promise<string | undefined> {
  const owner = await note(`owner:${connection}`);
  return owner && settings.businessOwners.includes(owner) ? owner : undefined;
}

export const isGroup = ({ type }: TelegramChat) => type === "group" || type === "supergroup";

export interface MessageLocation {
  chat: ChatId;
  id: MessengerMessageId;
  /** Owner of the business account. */
  owner?: string;
}

/** Undefined if this channel does not take messages from there. */
export async function locate(
  message: Pick<TelegramMessage, "chat" | "message_id"> &
    Partial<
      Pick<
        TelegramMessage,
        | "from"
        | "sender_chat"
        | "business_connection_id"
        | "message_thread_id"
        | "is_topic_message"
        | "direct_messages_topic"
        | "ephemeral_message_id"
        | "date"
      >
    >,
  view: ReadingContext,
): Promise<MessageLocation | undefined> {
  const { chat, from, business_connection_id: connection, direct_messages_topic: conversation } = message;
  const { message_id, ephemeral_message_id: passing, date = 0 } = message;
  // Telegram uses the number of an ephemeral message again.
  const number = passing === undefined ? message_id : `${passing}p${date}`;
  const owner = connection && (await ownerOf(connection, view));
  if (connection && !owner) return undefined;
  const id = messageId(chat.id, number, owner);
  if (!isGroup(chat))
    return chat.type === "channel" ? undefined : { id, owner, chat: formatChatRef({ chatId: chat.id, owner }) };
  // A person writes to the channel, as to a bot: no matter of groups.
  if (conversation) return { id, chat: formatChatRef({ chatId: chat.id, topic: conversation.topic_id }) };
  if (view.settings.groups === "off") return undefined;
  const chatId = (await view.note(`was:${chat.id}`)) || chat.id;
  const thread = message.is_topic_message ? message.message_thread_id : undefined;
  // Not `from` alone: for people who write as a channel or as the group it is always the same Telegram bot.
  const member = view.settings.groups === "members" ? (message.sender_chat ?? from)?.id : undefined;
  return { id, chat: formatChatRef({ chatId, thread, member }) };
}

export const timeOf = (date: number | undefined, { now }: ReadingContext): number =>
  date === undefined ? now : date * 1000;

/** Written by the business account's owner in Telegram, or by who answers a channel's direct messages there. */
export const isStaff = (
  { from, direct_messages_topic: conversation }: Pick<TelegramMessage, "from" | "direct_messages_topic">,
  { owner }: MessageLocation,
): boolean => (conversation?.user ? from?.id !== conversation.user.id : owner !== undefined && from?.id === owner);

/** Written by a bot. An anonymous admin also looks like a bot, but has `sender_chat`. */
export const isOfBot = ({ sender_business_bot: bot, from, sender_chat: hidden }: TelegramMessage): boolean =>
  bot !== undefined || (from?.is_bot === true && !hidden);

/** The customer at the CRM. If a whole group is one chat, `prefix` names the author of the message. */
export function speakerOf(
  message: Pick<TelegramMessage, "chat" | "from" | "sender_chat"> &
    Partial<Pick<TelegramMessage, "direct_messages_topic">>,
  { settings }: ReadingContext,
  staff: boolean,
): { customer: Customer; prefix?: string } {
  const { chat, from, sender_chat: anonymous } = message;
  const person = message.direct_messages_topic?.user;
  if (person) return { customer: customerOf(person) };
  if (staff) return { customer: customerOfChat(chat) };
  if (!isGroup(chat)) return { customer: from ? customerOf(from) : customerOfChat(chat) };
  if (settings.groups === "whole") {
    const name = anonymous ? titleOf(anonymous) : from ? nameOf(from) : titleOf(chat);
    return { customer: customerOfChat(chat), prefix: `${name}: ` };
  }
  if (anonymous || !from) return { customer: customerOfChat(anonymous ?? chat) };
  return { customer: customerOf(from) };
}
