import { decoded, fieldsOf } from "../fields.ts";
import { isQuoted, type Marked, marksWithin } from "../formatting/marked.ts";
import { normalized } from "../formatting/normalized.ts";
import { readText } from "../formatting/reading.ts";
import { originOf } from "../origins.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { chatOf, type Extras } from "../rooms.ts";
import type { Entity, Message } from "../wire.ts";
import type { Post, Room } from "../world.ts";
import type { BotRequest } from "./request.ts";
import { roomOfChat, type Target } from "./targets.ts";

export interface Reply {
  id: number;
  /** Set when the target is in another chat. */
  chat?: string;
  isOptional: boolean;
  quote: Marked;
  quotePosition: number;
}

/** Reads `reply_parameters`, else the older parameters. */
export function readReply({ raw, args }: BotRequest): Reply | undefined {
  const given = raw.get("reply_parameters");
  const none = { quote: { text: "", entities: [] }, quotePosition: 0 };
  if (given === undefined || given === null) {
    const id = args.reply_to_message_id ?? 0;
    return id > 0 ? { id, isOptional: args.allow_sending_without_reply ?? false, ...none } : undefined;
  }
  if (given === "") return undefined;
  const value = decoded(given, "Can't parse reply parameters JSON object");
  const fields = fieldsOf(value, "Object expected as reply parameters");
  const quote = readText({
    text: fields.optionalText("quote"),
    mode: fields.optionalText("quote_parse_mode"),
    entities: fields.raw("quote_entities"),
  });
  const id = fields.optionalInteger("message_id");
  if (fields.optionalInteger("ephemeral_message_id") > 0) throw badRequest("MESSAGE_ID_INVALID");
  const chat = fields.optionalText("chat_id");
  const isOptional = fields.optionalFlag("allow_sending_without_reply");
  const quotePosition = fields.optionalInteger("quote_position");
  return id > 0 ? { id, ...(chat && { chat }), isOptional, quote, quotePosition } : undefined;
}

/** The replied message as embedded in the reply. */
export function repliedTo(request: BotRequest, { room, business }: Target, reply: Reply | undefined): Extras {
  if (!reply) return {};
  const there = elsewhere(request, reply, room);
  const found = (there ?? room).posts.get(reply.id);
  if (!found) {
    if (reply.isOptional && !business) return {};
    throw business ? badRequest("MESSAGE_ID_INVALID") : new Malformed("Message to be replied not found");
  }
  const quote = reply.quote.text === "" ? {} : { quote: quoted(found.message, reply) };
  if (there) return { external_reply: externalReply(request, there, found), ...quote };
  const { reply_to_message: _, ...replied } = found.message;
  return { reply_to_message: replied, ...quote };
}

function elsewhere(request: BotRequest, { chat }: Reply, room: Room): Room | undefined {
  if (chat === undefined || chat === String(request.args.chat_id)) return undefined;
  const there = roomOfChat(request, chat);
  return there === room ? undefined : there;
}

function externalReply({ world }: BotRequest, room: Room, post: Post) {
  const { text: _text, entities: _entities, caption: _caption, caption_entities: _marks, ...rest } = post.message;
  const media = Object.fromEntries(Object.entries(rest).filter(([name]) => MEDIA.has(name)));
  const isGroup = room.kind === "supergroup" || room.kind === "channel";
  return {
    origin: originOf(world, room, post),
    ...(isGroup && { chat: chatOf(world, room), message_id: post.message.message_id }),
    ...media,
  };
}
const MEDIA = new Set(
  "animation audio document photo sticker video video_note voice has_media_spoiler contact dice location poll venue".split(
    " ",
  ),
);

function quoted({ text, caption, entities, caption_entities }: Message, reply: Reply) {
  const whole = text ?? caption ?? "";
  const quote = normalized(reply.quote);
  const positions = occurrences(whole, quote.text);
  const marks = (entities ?? caption_entities ?? []).filter(isQuoted);
  const own = quote.entities.filter(isQuoted);
  const nearest = positions
    .filter((position) => sameMarks(marksWithin(marks, position, quote.text.length), own))
    .sort((a, b) => Math.abs(a - reply.quotePosition) - Math.abs(b - reply.quotePosition))[0];
  if (nearest === undefined) throw badRequest("QUOTE_TEXT_INVALID");
  return {
    text: quote.text,
    ...(own.length > 0 && { entities: own }),
    position: nearest,
    is_manual: true as const,
  };
}

function occurrences(whole: string, part: string): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(part); at >= 0 && part !== ""; at = whole.indexOf(part, at + 1)) found.push(at);
  return found;
}

function sameMarks(some: readonly Entity[], others: readonly Entity[]): boolean {
  const keys = (marks: readonly Entity[]) => marks.map(({ type, offset, length }) => `${type} ${offset} ${length}`);
  return keys(some).sort().join() === keys(others).sort().join();
}
