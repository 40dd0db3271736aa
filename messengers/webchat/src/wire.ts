import { newSecret } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import type { SendStep } from "gangway-messenger/plan";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import { isTimeZone, spansIn } from "./hours.ts";

/** Longest text of a visitor, code points. Longer texts of agents are split. */
export const TEXT_LENGTH = 4096;
/** File limits, as announced to the gateway. */
export const MAX_FILES = 10;
export const IMAGE_BYTES = 10 * 1024 * 1024;
export const FILE_BYTES = 20 * 1024 * 1024;
/** Largest JSON body. */
export const JSON_BYTES = 64 * 1024;

/** An origin as browsers send it in `Origin`: lower case, punycode, no default port, no path. */
const shopOrigin = z.string().transform((value, context) => {
  const url = URL.canParse(value.trim()) ? new URL(value.trim()) : undefined;
  const bare = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (bare) return url.origin;
  context.addIssue({ code: "custom", message: "each line should be an address such as https://shop.example.com" });
  return z.NEVER;
});

const words = (max: number) => z.string().trim().max(max, `should have at most ${max} characters`);
const wholeNumber = (max: number) => z.number().int().min(0).max(max, `should be a number up to ${max}`);
const webPicture = words(500).refine(
  (value) => value === "" || (/^https:\/\//.test(value) && URL.canParse(value)),
  "should be an address that begins with https://",
);

export const settings = z.object({
  title: z
    .string()
    .trim()
    .min(1, "give the window a title")
    .max(60, "should have at most 60 characters")
    .default("Chat with us"),
  greeting: z.string().max(500, "should have at most 500 characters").default("Hello! How can we help you?"),
  /** Of the window, and of product and order cards. */
  language: z.enum(LANGUAGES).default("en"),
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, "should be a colour such as #0f5f6b")
    .default("#0f5f6b"),
  /** Sites that may show the chat; empty: any. */
  allowedOrigins: z.array(shopOrigin).max(100, "should be at most 100 sites").default([]),
  logoAddress: webPicture.default(""),
  colourScheme: z.enum(["auto", "light", "dark"]).default("auto"),
  windowSide: z.enum(["right", "left"]).default("right"),
  /** Of the launcher from the edges of the window, pixels. */
  offsetX: wholeNumber(300).default(24),
  offsetY: wholeNumber(300).default(24),
  /** Beside the launcher's picture; empty: none. */
  launcherText: words(30).default(""),
  awayText: words(500).default(""),
  openingHours: z
    .array(z.string().refine((line) => spansIn(line) !== undefined, "each line should be such as mon-fri 9:00-18:00"))
    .max(20, "should be at most 20 lines")
    .default([]),
  openingZone: z
    .string()
    .trim()
    .max(60)
    .refine(isTimeZone, "should be a time zone such as Europe/Madrid")
    .default("UTC"),
  /** 0: not shown. */
  replyMinutes: wholeNumber(10_080).default(0),
  /** Minutes without an answer after which the window asks for an address; 0: never. */
  askAfterMinutes: wholeNumber(1_440).default(5),
  /** Asked before the first message. */
  askName: z.boolean().default(false),
  askEmail: z.boolean().default(false),
  askPhone: z.boolean().default(false),
  /** To be agreed to before the first message; empty: nothing. */
  consentText: words(500).default(""),
  /** Seconds on a page after which the greeting shows itself; 0: never. */
  greetAfter: wholeNumber(3_600).default(0),
  greetWhom: z.enum(["all", "new", "returning"]).default("all"),
  /** Paths such as `/cart` or `/rope/*`; empty: all. */
  greetPages: z.array(z.string().max(200)).max(50, "should be at most 50 lines").default([]),
  /** What a visitor may begin with. */
  starters: z.array(words(80)).max(6, "should be at most 6 lines").default([]),
  /** The page's title stands before a chat's first message: the gateway has no field for it. */
  pageTitle: z.boolean().default(false),
  /** Signs visitor tokens. */
  visitorKey: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

const clientId = z.uuid("should be a UUID");
/** Longer UTM tags are truncated: they must not cost the message. */
const UTM_LENGTH = 255;
const utmTag = z
  .string()
  .transform((tag) => cutText(tag, UTM_LENGTH))
  .nullish()
  .catch(undefined);
const utm = z.object({ source: utmTag, medium: utmTag, campaign: utmTag, term: utmTag, content: utmTag });
export type Utm = z.infer<typeof utm>;
/** What is longer is truncated or ignored: it must not cost the message. */
const contact = z.object({ name: z.string().nullish(), email: z.string().nullish(), phone: z.string().nullish() });
export type Contact = z.infer<typeof contact>;
const codePoints = (max: number) => (value: string) => [...value].length <= max;

export const openBody = z.object({
  visitor: z.string().max(200).nullish(),
  /** A customer of the shop, signed by the shop. */
  user: z.object({ id: z.string().min(1).max(255), signature: z.string().max(128) }).nullish(),
});
const aside = z.string().nullish().catch(undefined);
export const visitBody = z.object({
  page: z.string(),
  title: aside,
  referrer: aside,
  language: aside,
  utm: utm.nullish().catch(undefined),
});
export const readBody = z.object({ id: z.string().min(1).max(255) });
export const messageBody = z
  .object({
    id: clientId,
    text: z.string().refine(codePoints(TEXT_LENGTH), `should have at most ${TEXT_LENGTH} characters`).nullish(),
    files: z
      .array(z.object({ id: z.string().max(120) }))
      .max(MAX_FILES, `should be at most ${MAX_FILES} files`)
      .nullish(),
    quote: z.string().max(255).nullish(),
    page: z.string().nullish(),
    title: z.string().nullish().catch(undefined),
    /** What the visitor, or the page, says of them: not verified. */
    contact: contact.nullish().catch(undefined),
    /** What the agent asked for, if the text is the answer. */
    answers: z.enum(["phone", "email"]).nullish().catch(undefined),
    utm: utm.nullish().catch(undefined),
  })
  .refine((body) => body.files?.length || body.text?.trim(), { path: ["text"], message: "should not be empty" });

/** A file as the widget shows it. */
export interface ShownFile {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  image: boolean;
  /** Pixels, if known. */
  width?: number;
  height?: number;
}

export interface MessageEntry {
  type: "message";
  from: "visitor" | "agent";
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id?: string; text?: string };
  suggestions?: { type: "text" | "phone" | "email" | "url"; title: string; payload?: string }[];
  author?: { name: string; bot: boolean; avatar?: string };
  /** Shown in place of the text, which says the same. */
  item?: SendStep["item"];
  /** The agent's own, before the item. */
  words?: string;
  at: number;
}

/** An entry of the journal; also sent to the widget. */
export type Entry =
  | MessageEntry
  | { type: "edited"; id: string; text: string }
  | { type: "deleted" | "delivered" | "read"; id: string }
  /** A visitor's token has ended; `id` is its serial number. */
  | { type: "ended"; id: string };
