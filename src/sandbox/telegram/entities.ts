import { badRequest } from "./refusal.ts";
import type { Entity } from "./wire.ts";

// The rest are dropped: https://limits.tginfo.me
const MOST_ENTITIES = 100;

const FOUND: readonly [type: string, pattern: RegExp][] = [
  ["url", /\bhttps?:\/\/[^\s<>"]*[^\s<>".,!?;:)\]]/g],
  ["email", /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  ["bot_command", /(?<![\w/])\/[A-Za-z0-9_]{1,32}(?:@\w{3,32})?\b/g],
  ["mention", /(?<![\w@])@[A-Za-z]\w{3,31}\b/g],
  ["hashtag", /(?<![\w#])#[\p{L}\d_]*[\p{L}_][\p{L}\d_]*/gu],
];

/** A text with its formatting and with the links, commands and the like that Telegram finds in it itself. */
export function formatted(text: string, given: readonly Entity[] = []): { text: string; entities: Entity[] } {
  const cut = text.trimEnd();
  for (const entity of given) checkBounds(text, entity);
  const kept = given
    .map((each) => ({ ...each, length: Math.min(each.length, cut.length - each.offset) }))
    .filter((each) => each.length > 0);
  const entities = [...kept, ...detected(cut, kept)].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: cut, entities: entities.slice(0, MOST_ENTITIES) };
}

function detected(text: string, given: readonly Entity[]): Entity[] {
  const found: Entity[] = [];
  const stops = given.filter(({ type }) => ["code", "pre", "text_link", "text_mention", "url"].includes(type));
  for (const [type, pattern] of FOUND) {
    for (const match of text.matchAll(pattern)) {
      const entity = { type, offset: match.index, length: match[0].length };
      if (![...stops, ...found].some((other) => overlap(entity, other))) found.push(entity);
    }
  }
  const same = (a: Entity, b: Entity) => a.type === b.type && a.offset === b.offset;
  return found.filter((each) => !given.some((other) => same(each, other)));
}

const overlap = (a: Entity, b: Entity): boolean => a.offset < b.offset + b.length && b.offset < a.offset + a.length;

function checkBounds(text: string, { offset, length }: Entity): void {
  const end = offset + length;
  if (offset < 0 || offset > text.length)
    throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (end > text.length) throw badRequest(`entity ends after the end of the text at UTF-16 offset ${end}`);
  if (splitsPair(text, offset))
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, offset)}`);
  if (splitsPair(text, end))
    throw badRequest(`entity ends in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, end)}`);
}

const splitsPair = (text: string, at: number): boolean =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1));
const byteOffset = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at - 1));

// https://core.telegram.org/bots/api#sendmessage and #sendphoto, in UTF-16 units
export const MOST_TEXT = 4096;
export const MOST_CAPTION = 1024;

export function textContent(text: string, entities?: readonly Entity[]): { text: string; entities?: Entity[] } {
  const made = formatted(text, entities);
  if (made.text.trim() === "") throw badRequest("message text is empty");
  if (made.text.length > MOST_TEXT) throw badRequest("message is too long");
  return { text: made.text, ...(made.entities.length > 0 && { entities: made.entities }) };
}

export function captionContent(
  caption: string | undefined,
  entities?: readonly Entity[],
): { caption?: string; caption_entities?: Entity[] } {
  const made = formatted(caption ?? "", caption === undefined ? [] : entities);
  if (made.text.trim() === "") return {};
  if (made.text.length > MOST_CAPTION) throw badRequest("message caption is too long");
  return { caption: made.text, ...(made.entities.length > 0 && { caption_entities: made.entities }) };
}
