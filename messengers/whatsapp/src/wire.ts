import { newSecret } from "gangway-messenger/ids";
import * as z from "zod";

/** Longest texts, characters (developers.facebook.com/docs/whatsapp/cloud-api/reference/messages). */
export const TEXT_LENGTH = 4_096;
export const CAPTION_LENGTH = 1_024;
/** Body of a message with buttons or a list. */
export const BODY_LENGTH = 1_024;

/** Largest files by kind, bytes (docs/whatsapp/cloud-api/reference/media). */
export const IMAGE_BYTES = 5_000_000;
export const AUDIO_BYTES = 16_000_000;
export const VIDEO_BYTES = 16_000_000;
export const FILE_BYTES = 100_000_000;
export const STICKER_BYTES = 100_000;

const HOUR_MS = 3_600_000;
/** How long an agent may answer freely after the customer's last message; longer after a click on an ad. */
export const WINDOW_MS = 24 * HOUR_MS;
export const AD_WINDOW_MS = 72 * HOUR_MS;

const id = (words: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{5,20}$/, words);

/** Requests go to Meta itself, or to 360dialog, which passes them on. */
export const settings = z.object({
  via: z.enum(["meta", "360dialog"]).default("meta"),
  token: z.string().trim().min(20, "should be the whole token, as Meta or 360dialog shows it").meta({ secret: true }),
  phoneNumberId: id("should be the phone number ID: digits only, and not the number itself"),
  wabaId: id("should be the WhatsApp Business Account ID: digits only"),
  /** Empty: the app is that of this server's operator. */
  appSecret: z
    .string()
    .trim()
    .regex(/^([\da-f]{32})?$/i, "should be the app secret: 32 characters, 0 to 9 and a to f")
    .default("")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** `whole`: a group is one chat; `off`: messages in groups are not passed on. */
  groups: z.enum(["whole", "off"]).default("whole"),
  /** Show customers that somebody is typing once an agent has read their message. */
  typing: z.boolean().default(false),
  /** For a number that is also used in an app on a phone: ask for what was written there. */
  importHistory: z.boolean().default(false),
  /** Subscribe even if another server receives the account's messages now. */
  takeOver: z.boolean().default(false),
  /** Meta repeats it when it checks our address; 360dialog sends it with each webhook. */
  verifyToken: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

export const loginOf = (phoneNumberId: string): string => `whatsapp:${phoneNumberId}`;
