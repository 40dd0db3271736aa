import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";

/** A chat as Telegram knows it. */
export interface Place {
  chatId: string;
  /** A topic of a forum. */
  thread?: number;
  /** The member of a group whose own chat this is; below zero where they speak as a channel or as the group. */
  member?: string;
  /** The owner of a business account, or the id of their connection as long as the owner is not known. */
  owner?: string;
}

/** `<owner>/<chat>#<thread>~<member>`: what of it there is. */
const PLACE = /^(?:([^/]+)\/)?(-?\d+)(?:#(\d+))?(?:~(-?\d+))?$/;

export function placeId({ chatId, thread, member, owner }: Place): ChatId {
  const topic = thread === undefined ? "" : `#${thread}`;
  const own = member === undefined ? "" : `~${member}`;
  return `${owner === undefined ? "" : `${owner}/`}${chatId}${topic}${own}` as ChatId;
}

export function parsePlace(chat: ChatId): Place {
  const [, owner, chatId, thread, member] = PLACE.exec(chat) ?? [];
  if (chatId === undefined) return { chatId: chat };
  return { chatId, thread: thread === undefined ? undefined : Number(thread), member, owner };
}

/** Unique in a channel: a supergroup counts its messages by itself, and so does a business account. */
export const messageId = (chatId: string, id: number | string, owner?: string): MessengerMessageId =>
  `${owner === undefined ? "" : `${owner}/`}${chatId}:${id}` as MessengerMessageId;

/** Of the message that tells a later state of another one; it is parsed as that other one. */
export const laterId = (id: MessengerMessageId, what: number | string): MessengerMessageId =>
  `${id}e${what}` as MessengerMessageId;

export function parseMessageId(id: MessengerMessageId): { chatId: string; messageId: string; owner?: string } {
  const [, owner, chatId = "", message = ""] = /^(?:([^/]+)\/)?(-?\d+):(.+?)(?:e\d[\w-]*)?$/.exec(id) ?? [];
  return { chatId, messageId: message, owner };
}
