import { newSecret } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";

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
const codePoints = (max: number) => (value: string) => [...value].length <= max;

export const openBody = z.object({ visitor: z.string().max(200).nullish() });
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
  author?: { name: string; bot: boolean };
  at: number;
}

/** An entry of the journal; also sent to the widget. */
export type Entry =
  | MessageEntry
  | { type: "edited"; id: string; text: string }
  | { type: "deleted" | "delivered" | "read"; id: string };
