import { type ChatId, newSecret } from "gangway-messenger/ids";
import type { ChannelContext } from "gangway-messenger/port";
import * as z from "zod";

/**
 * Longest text, bytes of UTF-8: reports differ on whether MAX counts bytes or characters, and there are never fewer
 * bytes.
 */
export const TEXT_LENGTH = 4_000;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Pictures per message: it holds 12 attachments, and a keyboard is one. */
export const MAX_PICTURES = 11;
/** The gateway's largest file, bytes. MAX itself takes more: pictures 50 MB, videos 250 MB, audio 256 MB, files 4 GB. */
export const FILE_BYTES = 20 * 1024 * 1024;
/** Largest webhook, bytes: a text of 4,000 characters, its quoted message, their markup and attachments are well below. */
export const REQUEST_BYTES = 256 * 1024;

export const HOST = "platform-api2.max.ru";

/** Updates that the webhook subscribes to. Groups, channels and muted dialogs contain nothing that a CRM needs. */
export const UPDATE_TYPES = [
  "message_created",
  "message_edited",
  "message_removed",
  "message_callback",
  "bot_started",
  "bot_stopped",
];

export const settings = z.object({
  token: z
    .string()
    .trim()
    // Goes into a header.
    .regex(/^[\x21-\x7e]{20,512}$/, "should be the whole token, as MAX shows it")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("ru"),
  /** How updates arrive; `server`: as the operator has chosen. */
  updates: z.enum(["server", "webhook", "polling"]).default("server"),
  /** End the subscriptions of other services. */
  takeOver: z.boolean().default(false),
  /** MAX sends it in a header of each webhook. */
  webhookSecret: z
    .string()
    .regex(/^[\w-]{32,256}$/)
    .default(newSecret)
    .meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

const PUBLIC_API = `https://${HOST}`;

export const serverSettings = z.object({
  MAX_API_URL: z
    .string()
    .transform((value) => value.replace(/(?<!\/)\/+$/, ""))
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && !new URL(value).search, {
      message: `should be an address such as ${PUBLIC_API}`,
    })
    .optional()
    .describe("Another address of the Bot API, such as an emulator's."),
  MAX_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      `File with the certificate authorities of ${HOST} (PEM), where Node does not know them: those of the Russian state. Trusted for this host only.`,
    ),
});
export type Server = z.infer<typeof serverSettings>;
export type Context = ChannelContext<Settings, Server>;

/** No trailing slash. */
export const apiUrlOf = ({ server }: Pick<Context, "server">): string => server.MAX_API_URL ?? PUBLIC_API;

export const isPolling = ({ settings: own, server }: Pick<Context, "settings" | "server">): boolean =>
  (own.updates === "server" ? server.updates : own.updates) === "polling";

// A chat is named by MAX's id of the dialog, or by `u` and the customer's id if a callback has named no dialog.

export const chatOfUser = (userId: string): ChatId => `u${userId}` as ChatId;

/** The query that addresses it, and the dialog's id, if known. */
export function addressOf(chat: ChatId): { query: Record<string, string>; dialog?: string } {
  return chat.startsWith("u") ? { query: { user_id: chat.slice(1) } } : { query: { chat_id: chat }, dialog: chat };
}

// Keys of notes.

/** The chat of a customer: the first id stays. */
export const dialogKey = (user: string): string => `dialog:${user}`;
/** The message that a step with this key became, and the key of a message of ours. */
export const sentKey = (key: string): string => `became:${key}`;
export const oursKey = (mid: string): string => `ours:${mid}`;
/** Attachments of a customer's message, as a digest: an edit update holds the whole message, not the change. */
export const filesKey = (mid: string): string => `files:${mid}`;
/** The bot's own user id. */
export const ME = "login:";
/** Marker of long polling. */
export const CURSOR = "cursor";

export const NOTES = {
  expires: ["became:", "ours:", "files:"],
  ofStep: ["became:"],
  stays: ["dialog:", ME, CURSOR],
  ofCustomer: ["dialog:"],
};
