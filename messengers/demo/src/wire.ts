import { newSecret } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import { z } from "zod";

/** Longest text of the customer, and of one message to them; code points and UTF-16 units. */
export const TEXT_LENGTH = 4096;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest request, bytes: the longest text, escaped. */
export const REQUEST_BYTES = 64 * 1024;

export const settings = z.object({
  /** Language of product and order cards, and of the customer's name. */
  language: z.enum(LANGUAGES).default("en"),
  /** Proves the requests of the account's page. */
  customerKey: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** What the customer says. */
export const said = z.object({
  id: z.uuid(),
  text: z.string().refine((text) => text.trim() !== "" && [...text].length <= TEXT_LENGTH),
});

/** An entry of the journal. */
export const entry = z.object({
  from: z.enum(["customer", "agent"]),
  id: z.string(),
  text: z.string(),
  author: z.string().optional(),
});
export type Entry = z.infer<typeof entry>;
