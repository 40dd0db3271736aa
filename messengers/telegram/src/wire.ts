import { type ChatId, type MessengerMessageId, newSecret } from "gangway-messenger/ids";
import type { ChannelContext } from "gangway-messenger/port";
import * as z from "zod";

/** Limits of the Bot API (core.telegram.org/bots/api): UTF-16 units of a text and of a caption, files per album. */
export const TEXT_LENGTH = 4096;
export const CAPTION_LENGTH = 1024;
export const MAX_FILES = 10;
/** Largest photo that can be sent, and largest file that a bot can download; bytes. */
export const PHOTO_BYTES = 10 * 1024 * 1024;
export const FETCH_BYTES = 20 * 1024 * 1024;

/** Listed explicitly, since reactions are off by default (Bot API, setWebhook). */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "message_reaction",
  "message_reaction_count",
  "business_connection",
  "business_message",
  "edited_business_message",
  "deleted_business_messages",
];

/** Language of cards, and of texts that the module writes itself. */
export const LANGUAGES = ["en", "es", "ru"] as const;

/** `<bot id>:<35 characters>`. */
const TOKEN = /^(\d{6,16}):[\w-]{30,64}$/;
const TOKEN_HELP = "should look like 1234567890:AAF…, exactly as BotFather shows it";

export const settings = z.object({
  token: z
    .string()
    .transform((value) => value.trim())
    .pipe(z.string().regex(TOKEN, TOKEN_HELP))
    .meta({ secret: true }),
  language: z.enum(LANGUAGES).default("en"),
  /** `members`: one CRM chat per group member; `whole`: one per group. */
  groups: z.enum(["off", "members", "whole"]).default("off"),
  /** Besides its own chats it serves those of business accounts whose owners identify themselves (owners.ts). */
  servesBusiness: z.boolean().default(false),
  /** User ids of the business accounts that the bot may serve. Needed since anybody can connect a bot to their chats. */
  businessOwners: z
    .array(z.string().regex(/^\d{1,16}$/, "each line should be a Telegram user id, in digits"))
    .max(20, "should be at most 20 owners")
    .default([]),
  /** How updates arrive; `server`: as the operator has chosen. */
  updates: z.enum(["server", "webhook", "polling"]).default("server"),
  /** Connect the bot even if its updates go to another server now. */
  takeOver: z.boolean().default(false),
  /** Telegram sends it in a header of each webhook call. */
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** Whether the bot may serve business accounts. */
export const isForBusiness = ({
  servesBusiness,
  businessOwners,
}: Pick<Settings, "servesBusiness" | "businessOwners">) => servesBusiness || businessOwners.length > 0;

/** The bot's user id: the first part of the token. */
export const botIdOf = ({ token }: Pick<Settings, "token">): string => token.split(":")[0] ?? "";

/** A method of the Bot API with its parameters, as a webhook's answer may carry one. */
export type BotCall = { method: string } & Record<string, unknown>;

/** The content of a ChatId. */
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

/**
 * The module that had the bot before reported the number alone: then the chat is empty, which means the message's own
 * chat.
 */
export function parseMessageId(id: MessengerMessageId): { chatId: string; messageId: string; owner?: string } {
  if (/^\d+$/.test(id)) return { chatId: "", messageId: id };
  const [, owner, chatId = "", message = ""] = /^(?:([^/]+)\/)?(-?\d+):(.+?)(?:e\d[\w-]*)?$/.exec(id) ?? [];
  return { chatId, messageId: message, owner };
}

const PUBLIC_API = "https://api.telegram.org";

export const serverSettings = z.object({
  TELEGRAM_API_URL: z
    .string()
    .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
    .refine((v) => URL.canParse(v) && /^https?:$/.test(new URL(v).protocol) && !new URL(v).search, {
      message: `should be an address such as ${PUBLIC_API}`,
    })
    .optional()
    .describe("Another address of the Bot API, such as a proxy's or an emulator's."),
});

export type Context = ChannelContext<Settings, z.infer<typeof serverSettings>>;

/** No trailing slash. */
export const apiUrlOf = ({ server }: Pick<Context, "server">): string => server.TELEGRAM_API_URL ?? PUBLIC_API;
