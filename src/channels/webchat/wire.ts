import { z } from "zod";
import { newSecret } from "../../domain/ids.ts";

/** Most characters (code points) of a text, and the limits of files, as announced to the gateway. */
export const TEXT_LENGTH = 4096;
export const MOST_FILES = 10;
export const IMAGE_BYTES = 10 * 1024 * 1024;
export const FILE_BYTES = 20 * 1024 * 1024;
/** Largest JSON body a widget sends. */
export const JSON_BYTES = 64 * 1024;

const shopOrigin = z
  .string()
  .transform((value) => value.trim().replace(/\/+$/, "").toLowerCase())
  .refine((value) => URL.canParse(value) && new URL(value).origin === value, {
    message: "each line should be an address such as https://shop.example.com",
  });

export const settings = z.object({
  title: z.string().min(1, "please give the window a title").max(60).default("Chat with us"),
  greeting: z.string().max(500).default("Hello! How can we help you?"),
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, "should be a colour such as #0f5f6b")
    .default("#0f5f6b"),
  /** Sites that may show the chat; none stands for any. */
  allowedOrigins: z.array(shopOrigin).max(100).default([]),
  /** Signs visitor tokens. */
  visitorKey: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

const clientId = z.uuid("should be a UUID");
const codePoints = (most: number) => (value: string) => [...value].length <= most;

export const openBody = z.object({ visitor: z.string().max(200).optional() });
export const readBody = z.object({ id: z.string().min(1).max(255) });
export const messageBody = z
  .object({
    id: clientId,
    text: z.string().refine(codePoints(TEXT_LENGTH), `should have at most ${TEXT_LENGTH} characters`).optional(),
    files: z
      .array(z.object({ id: z.string().regex(/^[\w-]{16,64}$/) }))
      .max(MOST_FILES)
      .default([]),
    quote: z.string().max(255).optional(),
    page: z.string().max(2048).optional(),
  })
  .refine((body) => body.files.length > 0 || (body.text ?? "").trim() !== "", {
    path: ["text"],
    message: "should not be empty",
  });

/** A file as the widget shows it. */
export interface ShownFile {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  image: boolean;
}

/** What the journal holds and the widget is sent. */
export type Entry =
  | {
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
  | { type: "edited"; id: string; text: string }
  | { type: "deleted" | "delivered" | "read"; id: string };
