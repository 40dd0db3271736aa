import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent, Customer } from "../../domain/message.ts";
import { customerOf, customerOfChat, nameOf, titleOf } from "./people.ts";
import { messageId, placeId } from "./places.ts";
import type { TelegramChat, TelegramMessage } from "./update.ts";
import type { Settings } from "./wire.ts";

export interface View {
  botId: string;
  settings: Pick<Settings, "groups" | "language" | "businessOwners">;
  /** When the update came, ms: what tells no date of its own, or none that can be, happened then. */
  now: number;
  /** A durable note of this channel by its key. */
  note(key: string): Promise<string | undefined>;
}
export interface Reading {
  events: ChannelEvent[];
  /** To be kept with the events. */
  notes: { key: string; value: string }[];
  /** The type of an update that is not known at all, for the log. */
  unknown?: string;
  /** A button press that the messenger wants confirmed. */
  pressed?: string;
}

export const nothing = (): Reading => ({ events: [], notes: [] });
export const of = (...events: ChannelEvent[]): Reading => ({ events, notes: [] });

/** Only of an owner whom the account has named: a stranger's own chats are none of the shop's. */
export async function ownerOf(connection: string, { settings, note }: View): Promise<string | undefined> {
  const owner = await note(`owner:${connection}`);
  return owner && settings.businessOwners.includes(owner) ? owner : undefined;
}

export const isGroup = ({ type }: TelegramChat) => type === "group" || type === "supergroup";

export interface Where {
  chat: ChatId;
  id: MessengerMessageId;
  /** The owner of the business account, or the id of their connection. */
  owner?: string;
}

/** Undefined where this channel does not listen. */
export async function whereOf(
  message: Pick<TelegramMessage, "chat" | "message_id"> &
    Partial<
      Pick<
        TelegramMessage,
        "from" | "sender_chat" | "business_connection_id" | "message_thread_id" | "is_topic_message"
      >
    >,
  view: View,
): Promise<Where | undefined> {
  const { chat, from, message_id: number, business_connection_id: connection } = message;
  const owner = connection && (await ownerOf(connection, view));
  if (connection && !owner) return undefined;
  const id = messageId(chat.id, number, owner);
  if (!isGroup(chat))
    return chat.type === "channel" ? undefined : { id, owner, chat: placeId({ chatId: chat.id, owner }) };
  if (view.settings.groups === "off") return undefined;
  const chatId = (await view.note(`was:${chat.id}`)) || chat.id;
  const thread = message.is_topic_message ? message.message_thread_id : undefined;
  // Who speaks as a channel, or as the group itself, comes under the name of one bot of Telegram's.
  const member = view.settings.groups === "members" ? (message.sender_chat ?? from)?.id : undefined;
  return { id, chat: placeId({ chatId, thread, member }) };
}

export const timeOf = (date: number | undefined, { now }: View): number => (date === undefined ? now : date * 1000);

/** Written by the business account's owner, in the messenger itself. */
export const isStaff = ({ from }: Pick<TelegramMessage, "from">, { owner }: Where): boolean =>
  owner !== undefined && from?.id === owner;

/** What this or another bot has said itself; an admin who hides behind the group is told by `sender_chat`. */
export const isOfBot = ({ sender_business_bot: bot, from, sender_chat: hidden }: TelegramMessage): boolean =>
  bot !== undefined || (from?.is_bot === true && !hidden);

/** Whose chat it is at the CRM; in a group that is one chat every message says who wrote it. */
export function speakerOf(
  message: Pick<TelegramMessage, "chat" | "from" | "sender_chat">,
  { settings }: View,
  staff: boolean,
): { customer: Customer; prefix?: string } {
  const { chat, from, sender_chat: anonymous } = message;
  if (staff) return { customer: customerOfChat(chat) };
  if (!isGroup(chat)) return { customer: from ? customerOf(from) : customerOfChat(chat) };
  if (settings.groups === "whole") {
    const name = anonymous ? titleOf(anonymous) : from ? nameOf(from) : titleOf(chat);
    return { customer: customerOfChat(chat), prefix: `${name}: ` };
  }
  if (anonymous || !from) return { customer: customerOfChat(anonymous ?? chat) };
  return { customer: customerOf(from) };
}
