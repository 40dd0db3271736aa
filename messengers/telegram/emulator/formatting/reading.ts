import { withPrefix } from "../fields.ts";
import { Malformed } from "../refusal.ts";
import { checkedEntity, explicitEntities } from "./explicit-entities.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";
import { parseMarkdownV2 } from "./markdown-v2.ts";
import type { Marked } from "./marked.ts";

/** A text of a request, formatted by `mode` or `entities`. */
export interface TextInput {
  text: string;
  mode?: string | undefined;
  /** Unvalidated. */
  entities?: unknown;
}

// "Text is too long": telegram-bot-api's Client.cpp
const MAX_BYTES = 1 << 15;
const PARSERS: Record<string, (source: string) => Marked> = {
  markdown: parseMarkdown,
  markdownv2: parseMarkdownV2,
  html: parseHtml,
};

/** Throws Telegram's error for an unreadable text. */
export function readText({ text, mode = "", entities }: TextInput): Marked {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Malformed("Text is too long");
  const name = mode.toLowerCase();
  if (text === "" || name === "" || name === "none")
    return { text, entities: explicitEntities(entities).map(checkedEntity) };
  const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
  if (!parse) throw new Malformed("Unsupported parse_mode");
  return withPrefix("Can't parse entities: ", () => parse(text));
}
