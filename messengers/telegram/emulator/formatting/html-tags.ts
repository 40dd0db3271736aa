import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { linkEntity } from "./linked.ts";
import { isEmojiId } from "./links.ts";
import { dateFormat } from "./times.ts";

export const TAGS = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  span: "spoiler",
  "tg-spoiler": "spoiler",
  "tg-emoji": "custom_emoji",
  "tg-time": "date_time",
  a: "text_link",
  pre: "pre",
  code: "code",
  blockquote: "blockquote",
} as const;

export interface OpenTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  /** Text length when the tag opened. */
  from: number;
}

/** Adds a closed tag's entity; empty tags add none. */
export function closed({ text, entities }: { text: string; entities: Entity[] }, tag: OpenTag): void {
  const span = { offset: tag.from, length: text.length - tag.from };
  if (span.length === 0) return;
  const last = entities.at(-1);
  const same = last?.offset === span.offset && last.length === span.length ? last : undefined;
  const made = entityOf(tag, span, text.slice(tag.from), same);
  if (made) entities.push(made);
}

type Span = Pick<Entity, "offset" | "length">;
const LANGUAGE = "language-";

/** `same`: the entity on the same range. Undefined: `same` was changed instead. */
function entityOf(tag: OpenTag, span: Span, words: string, same: Entity | undefined): Entity | undefined {
  const type = TAGS[tag.name as keyof typeof TAGS];
  const attribute = (name: string) => tag.attributes.get(name) ?? "";
  switch (type) {
    case "text_link":
      return linkEntity(attribute("href") || words, span);
    case "custom_emoji": {
      const id = attribute("emoji-id");
      if (!isEmojiId(id)) throw new Malformed("Invalid custom emoji identifier specified");
      return { type, ...span, custom_emoji_id: id };
    }
    case "date_time": {
      const unix_time = Number.parseInt(attribute("unix"), 10) || 0;
      const date_time_format = dateFormat(attribute("format"));
      return unix_time > 0 ? { type, ...span, unix_time, ...(date_time_format && { date_time_format }) } : undefined;
    }
    case "blockquote":
      return { type: tag.attributes.has("expandable") ? "expandable_blockquote" : type, ...span };
    case "pre":
    case "code":
      return codeOf(type, span, attribute("class"), same);
    default:
      return { type, ...span };
  }
}

/** `<pre><code class="language-…">`, in either order, is one entity. */
function codeOf(type: "pre" | "code", span: Span, className: string, same: Entity | undefined): Entity | undefined {
  const language = type === "code" && className.startsWith(LANGUAGE) ? className.slice(LANGUAGE.length) : "";
  const inner = same?.type === "code" ? CODE_LANGUAGES.get(same) : undefined;
  if (type === "pre" && same && inner) {
    same.type = "pre";
    same.language = inner;
    return undefined;
  }
  if (type === "code" && same?.type === "pre" && language) {
    same.language = language;
    return undefined;
  }
  const made: Entity = { type, ...span };
  if (language) CODE_LANGUAGES.set(made, language);
  return made;
}

/** Kept aside: only a `pre` shows its language. */
const CODE_LANGUAGES = new WeakMap<Entity, string>();
