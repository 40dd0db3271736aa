import { normalized } from "../../../../sandbox/src/telegram/formatting/normalized.ts";
import { readText } from "../../../../sandbox/src/telegram/formatting/reading.ts";
import type { Entity } from "../../../../sandbox/src/telegram/wire.ts";

const told = ({ type, offset, length, ...more }: Entity, text: string) =>
  [type, text.slice(offset, offset + length), ...Object.values(more)].join(" ");

/** A text as Telegram would keep it: `text` and what is marked in it, or what it says against it. */
export function kept(text: string, mode?: string, entities?: unknown): [text: string, ...marks: string[]] {
  try {
    const made = normalized(readText({ text, mode, entities }));
    return [made.text, ...made.entities.map((each) => told(each, made.text))];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
