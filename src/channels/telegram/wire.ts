import { z } from "zod";
import { newSecret } from "../../domain/ids.ts";

/** Limits of the Bot API (core.telegram.org/bots/api): UTF-16 units of a text and of a caption, and files of one album. */
export const TEXT_LENGTH = 4096;
export const CAPTION_LENGTH = 1024;
export const MOST_FILES = 10;
/** Largest photo that can be sent as one, bytes; and the largest file that a bot can fetch. */
export const PHOTO_BYTES = 10 * 1024 * 1024;
export const FETCH_BYTES = 20 * 1024 * 1024;

/** What has to be asked for by name; reactions are not sent otherwise (Bot API, setWebhook). */
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

/** `<bot id>:<35 characters>` as BotFather gives it. */
const TOKEN = /^(\d{6,16}):[\w-]{30,64}$/;
const TOKEN_HELP = "should look like 1234567890:AAF…, exactly as BotFather shows it";

export const settings = z.object({
  token: z
    .string()
    .transform((value) => value.trim())
    .pipe(z.string().regex(TOKEN, TOKEN_HELP))
    .meta({ secret: true }),
  /** Of cards, and of what the module itself writes to customers and agents. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** `members`: each member of a group has a chat of their own at the CRM; `whole`: a group is one chat. */
  groups: z.enum(["off", "members", "whole"]).default("off"),
  /** User ids of the owners whose business accounts the bot speaks for: anybody can connect a bot to their own chats. */
  businessOwners: z
    .array(z.string().regex(/^\d{1,16}$/, "each line should be a user id of Telegram, in digits"))
    .max(20, "should be at most 20 owners")
    .default([]),
  /** How updates come; `server`: as this server is set up. */
  updates: z.enum(["server", "webhook", "polling"]).default("server"),
  /** Connect also a bot whose updates go to another server now. */
  takeOver: z.boolean().default(false),
  /** Comes back in the header of each webhook. */
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** The bot's user id, which its token begins with. */
export const botIdOf = ({ token }: Pick<Settings, "token">): string => token.split(":")[0] ?? "";
