import { normalized } from "../../../emulator/formatting/normalized.ts";
import { readText } from "../../../emulator/formatting/reading.ts";
import type { Entity } from "../../../emulator/wire.ts";

const inWords = ({ type, offset, length, ...more }: Entity, text: string) =>
  [type, text.slice(offset, offset + length), ...Object.values(more)].join(" ");

/** A text and its entities as Telegram stores them, or Telegram's error. */
export function kept(text: string, mode?: string, entities?: unknown): [text: string, ...marks: string[]] {
  try {
    const made = normalized(readText({ text, mode, entities }));
    return [made.text, ...made.entities.map((each) => inWords(each, made.text))];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
