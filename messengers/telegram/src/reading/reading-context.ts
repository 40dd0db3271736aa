import { type ChatId, type CustomerId, cleanName, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent, Customer, Mark, MarkedText } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import * as z from "zod";
import { ownersOf } from "../owners.ts";
import { type BotCall, formatChatRef, messageId, type Settings } from "../wire.ts";
import type { Origin, TelegramChat, TelegramMessage, TelegramUser } from "./update.ts";

const full = ({ first_name: first, last_name: last }: Pick<TelegramUser, "first_name" | "last_name">) =>
  cleanName([first, last].filter(Boolean).join(" "));

/** Never empty: the gateway refuses a customer without a nickname. */
export function nameOf(user: TelegramUser): string {
  const handle = cleanName(user.username ?? "");
  return full(user) || (handle ? `@${handle}` : `Telegram ${user.id.slice(-4)}`);
}

export function customerOf(user: TelegramUser): Customer {
  const [language] = (user.language_code ?? "").toLowerCase().split(/[-_]/);
  return {
    id: user.id as CustomerId,
    nickname: nameOf(user),
    firstName: cleanName(user.first_name ?? "") || undefined,
    lastName: cleanName(user.last_name ?? "") || undefined,
    language: language && /^[a-z]{2}$/.test(language) ? language : undefined,
    profileUrl: profileUrl(user.username),
    hasAvatar: true,
  };
}

const profileUrl = (username: string | undefined) =>
  username && /^\w{3,40}$/.test(username) ? `https://t.me/${username}` : undefined;

/** The chat as a customer: the other person of a private chat, or the group itself. */
function customerOfChat(chat: TelegramChat): Customer {
  const title = cleanName(chat.title ?? "");
  if (title) return { id: chat.id as CustomerId, nickname: title, profileUrl: profileUrl(chat.username) };
  return customerOf({ ...chat, is_bot: false, language_code: undefined });
}

export const titleOf = (chat: TelegramChat): string => customerOfChat(chat).nickname;

/** Original author of a forwarded message. */
export const originName = (origin: Origin | undefined): string | undefined => {
  const { sender_user: user, sender_user_name: name, sender_chat: group, chat: channel } = origin ?? {};
  if (user) return nameOf(user);
  if (name) return cleanName(name) || undefined;
  const from = group ?? channel;
  return from && titleOf(from);
};

export interface ReadingContext {
  botId: string;
  settings: Pick<Settings, "groups" | "language" | "servesBusiness" | "businessOwners" | "webhookSecret">;
  /** When the update arrived, ms; used for events without a plausible date. */
  now: number;
  note(key: string): Promise<string | undefined>;
}
export interface Reading {
  events: ChannelEvent[];
  /** Stored with the events. */
  notes: Note[];
  /** Type of an unknown update, for the log. */
  unknown?: string;
  /** A call that the response carries; losing it does no harm. */
  answer?: BotCall;
}

export const nothing = (): Reading => ({ events: [], notes: [] });
export const of = (...events: ChannelEvent[]): Reading => ({ events, notes: [] });

/** Owner of a connection whose chats the bot may serve. */
export async function ownerOf(connection: string, { settings, note }: ReadingContext): Promise<string | undefined> {
  const owner = await note(`owner:${connection}`);
  return owner && (await ownersOf(settings, note)).includes(owner) ? owner : undefined;
}

export const isGroup = ({ type }: TelegramChat) => type === "group" || type === "supergroup";

export interface MessageLocation {
  chat: ChatId;
  id: MessengerMessageId;
  /** Owner of the business account. */
  owner?: string;
}

/** Undefined if this channel takes no messages from there. */
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
  // Telegram reuses the number of an ephemeral message.
  const number = passing === undefined ? message_id : `${passing}p${date}`;
  const owner = connection && (await ownerOf(connection, view));
  if (connection && !owner) return undefined;
  const id = messageId(chat.id, number, owner);
  if (!isGroup(chat))
    return chat.type === "channel" ? undefined : { id, owner, chat: formatChatRef({ chatId: chat.id, owner }) };
  // A person writes to the channel as they would to a bot, so group settings do not apply.
  if (conversation) return { id, chat: formatChatRef({ chatId: chat.id, topic: conversation.topic_id }) };
  if (view.settings.groups === "off") return undefined;
  const chatId = (await view.note(`was:${chat.id}`)) || chat.id;
  const thread = message.is_topic_message ? message.message_thread_id : undefined;
  // Not by `from` alone: for people who write as a channel or as the group it is always the same Telegram bot.
  const member = view.settings.groups === "members" ? (message.sender_chat ?? from)?.id : undefined;
  return { id, chat: formatChatRef({ chatId, thread, member }) };
}

export const timeOf = (date: number | undefined, { now }: ReadingContext): number =>
  date === undefined ? now : date * 1000;

/**
 * Written by the business account's owner in Telegram, or by somebody who answers a channel's direct messages there.
 */
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

/** Last known state of a message. An edit update holds the whole message, not the change, so we compare. */
const snapshot = z.object({
  /** Digest of text and formatting. */
  words: z.string(),
  file: z.string().optional(),
  album: z.string().optional(),
  /** Id of the message that shows its latest file. */
  copy: z.string().optional(),
});
export type Snapshot = z.infer<typeof snapshot>;

/** Captions of an album's parts by message number; null for a deleted part. */
const caption = z.union([
  z.string().transform((text): MarkedText => ({ text, marks: [] })),
  z.object({ text: z.string(), marks: z.array(z.custom<Mark>()) }),
]);
const album = z.record(z.string(), caption.nullable());
export type Album = z.infer<typeof album>;

/** Equal if and only if text and formatting are. */
export const digestOf = ({ text, marks }: MarkedText): string =>
  digest(text + (marks.length > 0 ? JSON.stringify(marks) : ""));

export const digest = (text: string): string => fingerprint(text).slice(0, 12);

const snapshotKey = (id: MessengerMessageId) => `said:${id}`;
export const albumKey = (chat: ChatId, group: string): string => `album:${chat}/${group}`;

export const snapshotOf = async (id: MessengerMessageId, { note }: ReadingContext): Promise<Snapshot | undefined> =>
  parsed(snapshot, await note(snapshotKey(id)));

export const albumOf = async (key: string, { note }: ReadingContext): Promise<Album> =>
  parsed(album, await note(key)) ?? {};

export const snapshotNote = (id: MessengerMessageId, latest: Snapshot): Note => ({
  key: snapshotKey(id),
  value: JSON.stringify(latest),
});
export function albumNote(key: string, parts: Album): Note {
  const shortest = (part: MarkedText | null) => (part && part.marks.length === 0 ? part.text : part);
  const value = Object.fromEntries(Object.entries(parts).map(([number, part]) => [number, shortest(part)]));
  return { key, value: JSON.stringify(value), merge: true };
}

/** Message numbers of an album, ascending. */
export const inOrder = (parts: Album): string[] => Object.keys(parts).sort((one, other) => Number(one) - Number(other));

const parsed = <Schema extends z.ZodType>(schema: Schema, value = ""): z.infer<Schema> | undefined =>
  value === "" ? undefined : schema.safeParse(JSON.parse(value)).data;
