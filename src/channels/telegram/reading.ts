import { createHash } from "node:crypto";
import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent, Customer } from "../../domain/message.ts";
import { contentOf, editedText, plus, prefixed } from "./content.ts";
import { LINES, linesFor } from "./lines.ts";
import { customerOf, customerOfChat, nameOf, titleOf } from "./people.ts";
import { messageId, placeId } from "./places.ts";
import { utmOf } from "./start.ts";
import { SILENT, type TelegramChat, type TelegramMessage, type Update, update as updateShape } from "./update.ts";
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

const nothing = (): Reading => ({ events: [], notes: [] });
const of = (...events: ChannelEvent[]): Reading => ({ events, notes: [] });

/** One update as events; undefined when the body is no update. Asks nobody but the notes. */
export async function readUpdate(body: unknown, view: View): Promise<Reading | undefined> {
  const read = updateShape.safeParse(body);
  if (!read.success) return undefined;
  const update = read.data;
  if (update.message) return readMessage(update.message, view);
  if (update.edited_message) return readEdit(update.edited_message, view);
  if (update.business_message) return readMessage(update.business_message, view);
  if (update.edited_business_message) return readEdit(update.edited_business_message, view);
  if (update.callback_query) return readPress(update.callback_query, view);
  if (update.message_reaction) return readReaction(update.message_reaction, view);
  if (update.my_chat_member) return readStanding(update.my_chat_member, view);
  if (update.business_connection) return readConnection(update.business_connection, view);
  if (update.deleted_business_messages) return readDeletions(update.deleted_business_messages, view);
  const kind = Object.entries(update).find(([key, value]) => key !== "update_id" && value !== undefined)?.[0];
  return kind && SILENT.includes(kind) ? nothing() : { ...nothing(), unknown: kind ?? "an empty update" };
}

/** Only of an owner whom the account has named: a stranger's own chats are none of the shop's. */
async function ownerOf(connection: string, { settings, note }: View): Promise<string | undefined> {
  const owner = await note(`owner:${connection}`);
  return owner && settings.businessOwners.includes(owner) ? owner : undefined;
}

const isGroup = ({ type }: TelegramChat) => type === "group" || type === "supergroup";

interface Where {
  chat: ChatId;
  id: MessengerMessageId;
  /** The owner of the business account, or the id of their connection. */
  owner?: string;
}

/** Undefined where this channel does not listen. */
async function whereOf(
  message: Pick<
    TelegramMessage,
    "chat" | "message_id" | "from" | "sender_chat" | "business_connection_id" | "message_thread_id" | "is_topic_message"
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

async function readMessage(message: TelegramMessage, view: View): Promise<Reading> {
  const { chat, from } = message;
  if (message.migrate_to_chat_id) return moved(chat.id, message.migrate_to_chat_id);
  if (message.migrate_from_chat_id) return moved(message.migrate_from_chat_id, chat.id);
  // What this or another bot has said itself; an admin who hides behind the group is told by `sender_chat`.
  if (message.sender_business_bot || (from?.is_bot && !message.sender_chat)) return nothing();
  const where = await whereOf(message, view);
  const content = where && contentOf(message, linesFor(from?.language_code, view.settings.language));
  if (!where || !content) return nothing();
  const staff = where.owner !== undefined && from?.id === where.owner;
  const speaks = speakerOf(message, view, staff);
  const reply = message.reply_to_message;
  const quoted = reply && Number(reply.message_id) !== message.message_thread_id ? reply.message_id : undefined;
  return of({
    type: "message",
    key: `m:${where.id}`,
    chat: where.chat,
    messengerMessageId: where.id,
    at: timeOf(message.date, view),
    originator: staff ? "channel" : "customer",
    customer: { ...speaks.customer, ...known(message) },
    content: speaks.prefix ? prefixed(content, speaks.prefix) : content,
    quote: quoted ? messageId(chat.id, quoted, where.owner) : undefined,
    album: message.media_group_id,
  });
}

const timeOf = (date: number | undefined, { now }: View): number => (date === undefined ? now : date * 1000);

const moved = (old: string, now: string): Reading => ({
  events: [],
  notes: [
    { key: `moved:${old}`, value: now },
    { key: `was:${now}`, value: old },
  ],
});

/** Whose chat it is at the CRM; in a group that is one chat every message says who wrote it. */
function speakerOf(
  message: TelegramMessage,
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

/** What the message itself tells of its author. */
function known({ contact, from, text }: TelegramMessage): Partial<Customer> {
  const own = contact?.user_id !== undefined && contact.user_id === from?.id;
  const utm = utmOf(text);
  return { ...(own && { phone: plus(contact.phone_number) }), ...(utm && { utm }) };
}

const short = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 12);

async function readEdit(message: TelegramMessage, view: View): Promise<Reading> {
  if (message.sender_business_bot || (message.from?.is_bot && !message.sender_chat)) return nothing();
  const where = await whereOf(message, view);
  const text = where && editedText(message, linesFor(message.from?.language_code, view.settings.language));
  if (!where || !text) return nothing();
  const prefix = speakerOf(message, view, false).prefix ?? "";
  const key = `e:${where.id}:${message.edit_date ?? message.date ?? 0}:${short(text)}`;
  return of({
    type: "edited",
    key,
    chat: where.chat,
    messengerMessageId: where.id,
    at: timeOf(message.edit_date, view),
    text: prefix + text,
  });
}

type Press = NonNullable<Update["callback_query"]>;

/** A press says what stands on the button. */
async function readPress({ id, from, data, message, game_short_name: game }: Press, view: View): Promise<Reading> {
  const where = message && (await whereOf({ ...message, from, sender_chat: undefined }, view));
  if (!where) return { ...nothing(), pressed: id };
  const buttons = message.reply_markup?.inline_keyboard?.flat() ?? [];
  const text = buttons.find((button) => button.callback_data === data)?.text ?? data ?? game ?? "";
  if (!text) return { ...nothing(), pressed: id };
  const reading = of({
    type: "message",
    key: `c:${id}`,
    chat: where.chat,
    messengerMessageId: messageId(message.chat.id, `cb${id}`, where.owner),
    at: timeOf(message.edit_date ?? message.date, view),
    originator: "customer",
    customer: customerOf(from),
    content: { type: "text", text },
    quote: where.id,
  });
  return { ...reading, pressed: id };
}

/** Bots see no custom emoji; what stands for one says at least that there was a reaction. */
const CUSTOM = "❤";
const PAID = "⭐";

async function readReaction(reaction: NonNullable<Update["message_reaction"]>, view: View): Promise<Reading> {
  const { user, date, new_reaction: now } = reaction;
  if (!user || user.is_bot) return nothing();
  const where = await whereOf(
    {
      ...reaction,
      from: user,
      sender_chat: undefined,
      business_connection_id: undefined,
      message_thread_id: undefined,
      is_topic_message: undefined,
    },
    view,
  );
  if (!where) return nothing();
  const [first] = now;
  const emoji = first && (first.type === "paid" ? PAID : (first.emoji ?? CUSTOM));
  const key = `r:${where.id}:${date ?? 0}:${emoji ?? "-"}`;
  const event = { key, chat: where.chat, messengerMessageId: where.id, at: timeOf(date, view) };
  return of({ type: "reaction", ...event, reaction: emoji ?? null });
}

/** A customer has shut the bot out, or let it in again. */
async function readStanding(change: NonNullable<Update["my_chat_member"]>, view: View): Promise<Reading> {
  const { settings, note } = view;
  const { chat, date, new_chat_member: member } = change;
  if (chat.type !== "private") return nothing();
  const blocked = member?.status === "kicked";
  const before = await note(`blocked:${chat.id}`);
  // A customer who only begins the chat is told as a member, too.
  if (!blocked && !before) return nothing();
  const words = LINES[settings.language];
  const event: ChannelEvent = {
    type: "note",
    key: `b:${chat.id}:${date ?? 0}:${member?.status}`,
    chat: placeId({ chatId: chat.id }),
    messengerMessageId: messageId(chat.id, `b${date ?? 0}`),
    at: timeOf(date, view),
    text: blocked ? words.blocked : words.unblocked,
  };
  return { events: [event], notes: [{ key: `blocked:${chat.id}`, value: blocked ? "1" : "" }] };
}

type Connection = NonNullable<Update["business_connection"]>;

function readConnection({ id, user, is_enabled: enabled }: Connection, { settings }: View): Reading {
  if (!settings.businessOwners.includes(user.id)) return nothing();
  return {
    events: [],
    notes: [
      { key: `owner:${id}`, value: user.id },
      { key: `connection:${user.id}`, value: enabled === false ? "" : id },
    ],
  };
}

async function readDeletions(deleted: NonNullable<Update["deleted_business_messages"]>, view: View): Promise<Reading> {
  const { business_connection_id: connection, chat, message_ids: ids } = deleted;
  const owner = await ownerOf(connection, view);
  if (!owner) return nothing();
  const events = ids.map((number): ChannelEvent => {
    const id = messageId(chat.id, number, owner);
    return {
      type: "deleted",
      key: `d:${id}`,
      chat: placeId({ chatId: chat.id, owner }),
      messengerMessageId: id,
      at: 0,
    };
  });
  return of(...events);
}
