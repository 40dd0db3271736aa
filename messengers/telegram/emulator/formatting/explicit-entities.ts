import { type Fields, fieldsOf, withPrefix } from "../fields.ts";
import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { checkedLink, isEmojiId, linkedUser } from "./links.ts";
import { dateFormat } from "./times.ts";

const PLAIN = new Set([
  ..."bold italic underline strikethrough spoiler code blockquote expandable_blockquote".split(" "),
]);
/** Telegram detects these itself and ignores them in requests. */
const FOUND = new Set("mention hashtag cashtag bot_command url email phone_number bank_card_number".split(" "));

/** Entities of a request; anything but a list counts as absent. */
export function explicitEntities(raw: unknown): Entity[] {
  const value = typeof raw === "string" ? parsed(raw) : raw;
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => withPrefix("Can't parse MessageEntity: ", () => entityOf(each)) ?? []);
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function entityOf(value: unknown): Entity | undefined {
  const fields = fieldsOf(value, "expected an Object");
  const span = { offset: fields.integer("offset"), length: fields.integer("length") };
  const type = fields.text("type");
  if (type === "") throw new Malformed("Type is not specified");
  if (FOUND.has(type)) return undefined;
  const more = PLAIN.has(type) ? {} : detailsOf(type, fields);
  if (!more) throw new Malformed("Unsupported type specified");
  return { type, ...span, ...more };
}

function detailsOf(type: string, fields: Fields): Partial<Entity> | undefined {
  switch (type) {
    case "pre": {
      const language = fields.optionalText("language");
      return language ? { language } : {};
    }
    case "text_link":
      return { url: fields.text("url") };
    case "text_mention":
      return { user: { id: fields.object("user").integer("id") } };
    case "custom_emoji":
      return { custom_emoji_id: fields.long("custom_emoji_id") };
    case "date_time": {
      const unix_time = fields.integer("unix_time");
      const date_time_format = dateFormat(fields.optionalText("date_time_format"));
      return { unix_time, ...(date_time_format && { date_time_format }) };
    }
    default:
      return undefined;
  }
}

/** Normalizes a link, or turns it into a mention. Throws Malformed. */
export function checkedEntity(entity: Entity): Entity {
  if (entity.type === "custom_emoji" && !isEmojiId(entity.custom_emoji_id ?? ""))
    throw new Malformed("Invalid custom emoji identifier specified");
  if (entity.type !== "text_link") return entity;
  const { url = "", ...rest } = entity;
  const user = linkedUser(url);
  if (user !== undefined) return { ...rest, type: "text_mention", user: { id: user } };
  return { ...rest, url: withPrefix("Entity ", () => checkedLink(url)) };
}
