import type { Entity } from "../wire.ts";

/** A text and what is marked in it. */
export interface Marked {
  text: string;
  entities: Entity[];
}

/** UTF-8 bytes before a position: how Telegram tells where something is wrong. */
export const bytesBefore = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at));

/** What separates words for Telegram's parsers; the end of the text is one, too. */
export const isSpace = (text: string, at: number): boolean =>
  at >= text.length || /[ \t\r\n\0\v]/.test(text.charAt(at));

/** Those that lie in a part of a text, told from its beginning. */
export function marksWithin(marks: readonly Entity[], from: number, length: number): Entity[] {
  return marks.flatMap((each) => {
    const start = Math.max(each.offset, from);
    const end = Math.min(each.offset + each.length, from + length);
    return start < end ? [{ ...each, offset: start - from, length: end - start }] : [];
  });
}

// "Currently, only bold, italic, underline, strikethrough, spoiler, custom_emoji, and date_time entities are kept in
// quotes": https://core.telegram.org/bots/api#textquote
const QUOTED = new Set(["bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji", "date_time"]);
export const isQuoted = ({ type }: Entity): boolean => QUOTED.has(type);
