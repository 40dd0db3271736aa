import type { Mark, MarkedText } from "gangway-messenger/message";
import { rangeOf } from "gangway-messenger/text";
import type { Body } from "../update.ts";

/** Markup beyond this is ignored. */
const MAX_MARKUP = 300;

/** MAX's formatting that the gateway can express. A heading and highlighted words become bold; mentions become text. */
const TYPES: Record<string, Mark["type"]> = {
  strong: "bold",
  heading: "bold",
  highlighted: "bold",
  emphasized: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  monospaced: "code",
  link: "link",
};
const QUOTED = "> ";

/** A text with its formatting. Quoted lines begin with `> `. */
export function markedText({ text, markup }: Pick<Body, "text" | "markup">): MarkedText {
  const words = text ?? "";
  const marks: Mark[] = [];
  const starts = new Set<number>();
  for (const { type, from, length, url } of (markup ?? []).slice(0, MAX_MARKUP)) {
    const range = rangeOf(words, { offset: from, length });
    if (!range) continue;
    const { start, end } = range;
    const mark = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (mark && (mark !== "link" || url))
      marks.push({ type: mark, offset: start, length: end - start, ...(mark === "link" && url && { url }) });
    if (type === "quote") for (const at of lineStarts(words, start, end)) starts.add(at);
  }
  return withHeads(
    { text: words, marks },
    [...starts].sort((one, other) => one - other),
  );
}

function lineStarts(text: string, start: number, end: number): number[] {
  const starts = [start];
  for (let at = text.indexOf("\n", start); at >= 0 && at < end - 1; at = text.indexOf("\n", at + 1))
    starts.push(at + 1);
  return starts;
}

/** Inserts `> ` at line starts. A mark that starts there begins after it; one that ends there ends before it. */
function withHeads({ text, marks }: MarkedText, starts: number[]): MarkedText {
  if (starts.length === 0) return { text, marks };
  const below = (at: number) => starts.findLastIndex((start) => start < at) + 1;
  const pieces = starts.map((at, n) => text.slice(n === 0 ? 0 : starts[n - 1], at) + QUOTED);
  const moved = marks.map((mark): Mark => {
    const offset = mark.offset + QUOTED.length * below(mark.offset + 1);
    const end = mark.offset + mark.length + QUOTED.length * below(mark.offset + mark.length);
    return { ...mark, offset, length: end - offset };
  });
  return { text: pieces.join("") + text.slice(starts.at(-1) ?? 0), marks: moved };
}
