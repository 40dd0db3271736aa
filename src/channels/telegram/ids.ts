import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";

/** What a ChatId encodes. */
export interface ChatRef {
  /** Id of the chat at Telegram. */
  chatId: string;
  /** Topic of a forum. */
  thread?: number;
  /** Of a channel's direct messages: one person's conversation. */
  topic?: string;
  /** With `groups: members`: the group member. Negative if they write as a channel or as the group. */
  member?: string;
  /** Owner of the business account, or the connection id while the owner is unknown. */
  owner?: string;
}

/** `<owner>/<chat>^<topic>#<thread>~<member>`; all but the chat are optional. */
const CHAT_REF = /^(?:([^/]+)\/)?(-?\d+)(?:\^(\d+))?(?:#(\d+))?(?:~(-?\d+))?$/;

export function formatChatRef({ chatId, topic, thread, member, owner }: ChatRef): ChatId {
  const conversation = topic === undefined ? "" : `^${topic}`;
  const forum = thread === undefined ? "" : `#${thread}`;
  const own = member === undefined ? "" : `~${member}`;
  return `${owner === undefined ? "" : `${owner}/`}${chatId}${conversation}${forum}${own}` as ChatId;
}

export function parseChatRef(chat: ChatId): ChatRef {
  const [, owner, chatId, topic, thread, member] = CHAT_REF.exec(chat) ?? [];
  if (chatId === undefined) return { chatId: chat };
  return { chatId, topic, thread: thread === undefined ? undefined : Number(thread), member, owner };
}

/** Groups have negative ids, people positive ones. */
export const isGroupId = (chatId: string): boolean => chatId.startsWith("-");

/** Unique in a channel: supergroups and business accounts number their messages separately. */
export const messageId = (chatId: string, id: number | string, owner?: string): MessengerMessageId =>
  `${owner === undefined ? "" : `${owner}/`}${chatId}:${id}` as MessengerMessageId;

/** Id for a new message about a change of `id`; parsed as `id`. */
export const revisionId = (id: MessengerMessageId, revision: number | string): MessengerMessageId =>
  `${id}e${revision}` as MessengerMessageId;

export function parseMessageId(id: MessengerMessageId): { chatId: string; messageId: string; owner?: string } {
  const [, owner, chatId = "", message = ""] = /^(?:([^/]+)\/)?(-?\d+):(.+?)(?:e\d[\w-]*)?$/.exec(id) ?? [];
  return { chatId, messageId: message, owner };
}
