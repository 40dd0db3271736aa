import type { MarkedText } from "../../domain/card.ts";
import { rangeOf } from "../../domain/markup.ts";
import type { Mark } from "../../domain/message.ts";
import type { Entities } from "./update.ts";

/** Most stretches of formatting that are looked at: Telegram itself keeps a hundred in a text. */
const MOST_ENTITIES = 300;
/** Most lines that are marked as quoted: a text of Telegram's has no more letters. */
const MOST_LINES = 4_096;

const TYPES: Record<string, Mark["type"]> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "code",
  pre: "pre",
  text_link: "link",
};
const QUOTES = ["blockquote", "expandable_blockquote"];
const QUOTED = "> ";

interface Stretch {
  start: number;
  end: number;
}

/** A text with the formatting that the gateway has words for. Quoted lines begin with a sign; all else (spoilers, mentions, emoji) is its letters. */
export function markedText(text: string, entities: Entities): MarkedText {
  const marks: Mark[] = [];
  const quotes: Stretch[] = [];
  for (const entity of (entities ?? []).slice(0, MOST_ENTITIES)) {
    if (!entity) continue;
    const { type, url, language } = entity;
    const stretch = rangeOf(text, entity);
    if (!stretch) continue;
    const { start, end } = stretch;
    const mark = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (mark && (mark !== "link" || url))
      marks.push({
        type: mark,
        offset: start,
        length: end - start,
        ...(mark === "link" && { url }),
        ...(mark === "pre" && { language }),
      });
    if (QUOTES.includes(type)) quotes.push(stretch);
  }
  return quoted({ text, marks }, lineStarts(text, quotes));
}

function quoted({ text, marks }: MarkedText, starts: number[]): MarkedText {
  const pieces = starts.map((at, n) => text.slice(n === 0 ? 0 : starts[n - 1], at) + QUOTED);
  // What begins at a line's start begins behind the sign, and what ends there ends before it.
  const moved = marks.map((mark): Mark => {
    const { offset, length } = mark;
    const start = offset + QUOTED.length * below(starts, offset + 1);
    const end = offset + length + QUOTED.length * below(starts, offset + length);
    return { ...mark, offset: start, length: end - start };
  });
  return { text: pieces.join("") + text.slice(starts.at(-1) ?? 0), marks: moved };
}

/** How many of the sorted places are lower. */
function below(places: number[], at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
/** Where the lines of quotes begin. Each once, and each part of the text is read once, however the quotes lie within each other. */
function lineStarts(text: string, quotes: Stretch[]): number[] {
  const starts: number[] = [];
  let read = 0;
  for (const { start, end } of quotes.sort((a, b) => a.start - b.start)) {
    if (start >= read) starts.push(start);
    // A line end that is the last sign of a quote begins a line of the next one only.
    let at = text.indexOf("\n", Math.max(start, read - 1));
    for (; at >= 0 && at < end - 1 && starts.length < MOST_LINES; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    read = Math.max(read, end);
  }
  return starts;
}
