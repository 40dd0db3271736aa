import type { MarkedText } from "../../../domain/channel/card.ts";
import type { Mark } from "../../../domain/message/message.ts";
import { countBefore } from "../../../domain/sorted.ts";
import { rangeOf } from "../../../domain/text/markup.ts";
import type { Entities } from "../reading/update.ts";

/** Entities beyond this are ignored; Telegram itself keeps 100 per text. */
export const MAX_ENTITIES = 300;
/** Quoted lines beyond this are not marked; a text has at most as many characters. */
const MAX_LINES = 4_096;

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

interface TextRange {
  start: number;
  end: number;
}

/** Text with the formatting that the gateway knows. Quoted lines start with `> `; spoilers, mentions and others become plain text. */
export function markedText(text: string, entities: Entities): MarkedText {
  const marks: Mark[] = [];
  const quotes: TextRange[] = [];
  for (const entity of (entities ?? []).slice(0, MAX_ENTITIES)) {
    if (!entity) continue;
    const { type, url, language } = entity;
    const range = rangeOf(text, entity);
    if (!range) continue;
    const { start, end } = range;
    const mark = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (mark && (mark !== "link" || url))
      marks.push({
        type: mark,
        offset: start,
        length: end - start,
        ...(mark === "link" && { url }),
        ...(mark === "pre" && { language }),
      });
    if (QUOTES.includes(type)) quotes.push(range);
  }
  return inserted({ text, marks }, lineStarts(text, quotes), QUOTED);
}

/** All lines as a quote. */
export const quotedLines = (marked: MarkedText): MarkedText =>
  marked.text ? inserted(marked, lineStarts(marked.text, [{ start: 0, end: marked.text.length }]), QUOTED) : marked;

/** All lines but the first with `by` before them. */
export function indented(marked: MarkedText, by: string): MarkedText {
  const [, ...further] = lineStarts(marked.text, [{ start: 0, end: marked.text.length }]);
  return inserted(marked, further, by);
}

/** Puts `head` where lines start. */
function inserted({ text, marks }: MarkedText, starts: number[], head: string): MarkedText {
  const pieces = starts.map((at, n) => text.slice(n === 0 ? 0 : starts[n - 1], at) + head);
  // A mark that starts at a line's start begins after the head; one that ends there ends before it.
  const moved = marks.map((mark): Mark => {
    const { offset, length } = mark;
    const start = offset + head.length * below(starts, offset + 1);
    const end = offset + length + head.length * below(starts, offset + length);
    return { ...mark, offset: start, length: end - start };
  });
  return { text: pieces.join("") + text.slice(starts.at(-1) ?? 0), marks: moved };
}

const below = (positions: number[], at: number) => countBefore(positions, (position) => position < at);

/** Offsets where quoted lines start. Linear time, even for nested or overlapping quotes. */
function lineStarts(text: string, quotes: TextRange[]): number[] {
  const starts: number[] = [];
  let scanned = 0;
  for (const { start, end } of quotes.sort((a, b) => a.start - b.start)) {
    if (start >= scanned) starts.push(start);
    // A newline that ends a quote does not start a line of that quote.
    let at = text.indexOf("\n", Math.max(start, scanned - 1));
    for (; at >= 0 && at < end - 1 && starts.length < MAX_LINES; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    scanned = Math.max(scanned, end);
  }
  return starts;
}
