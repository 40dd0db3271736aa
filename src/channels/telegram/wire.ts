import * as z from "zod";
import { newSecret } from "../../domain/ids.ts";

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

/** `<bot id>:<35 characters>`. */
const TOKEN = /^(\d{6,16}):[\w-]{30,64}$/;
const TOKEN_HELP = "should look like 1234567890:AAF…, exactly as BotFather shows it";

export const settings = z.object({
  token: z
    .string()
    .transform((value) => value.trim())
    .pipe(z.string().regex(TOKEN, TOKEN_HELP))
    .meta({ secret: true }),
  /** Of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** `members`: one CRM chat per group member; `whole`: one per group. */
  groups: z.enum(["off", "members", "whole"]).default("off"),
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

/** The bot's user id: the first part of the token. */
export const botIdOf = ({ token }: Pick<Settings, "token">): string => token.split(":")[0] ?? "";
