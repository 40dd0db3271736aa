import type { Entity } from "../wire.ts";

export interface Marked {
  text: string;
  entities: Entity[];
}

/** UTF-8 offset, as in Telegram's errors. */
export const bytesBefore = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at));

/** A word boundary for Telegram's parsers; the end of the text counts too. */
export const isSpace = (text: string, at: number): boolean =>
  at >= text.length || /[ \t\r\n\0\v]/.test(text.charAt(at));

/** Entities within a range, clipped and relative to it. */
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
