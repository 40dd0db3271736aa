import type { Mark, MarkedText } from "gangway-messenger/message";
import { applyEdits, type Edit, rangeOf, urlAfter } from "gangway-messenger/text";

/** How WhatsApp writes formatting in a text (faq.whatsapp.com, How to format your messages). */
const SIGNS: Partial<Record<Mark["type"], string>> = {
  bold: "*",
  italic: "_",
  strikethrough: "~",
  code: "`",
  pre: "```",
};
export const FORMATS = Object.keys(SIGNS) as Mark["type"][];

interface Span {
  type: Mark["type"];
  start: number;
  end: number;
}

/** The text with WhatsApp's markup. What it cannot express, such as half a word in bold, stays plain. */
export function formatted({ text, marks }: MarkedText): string {
  const edits: Edit[] = [];
  const spans: Span[] = [];
  for (const mark of marks) {
    const range = rangeOf(text, mark);
    if (!range) continue;
    edits.push(...urlAfter(text, mark, range));
    if (SIGNS[mark.type]) spans.push(...linesOf(text, { type: mark.type, ...range }));
  }
  const shown = nested(spans.filter((span) => isSayable(text, span)));
  const sign = ({ type }: Span) => SIGNS[type] ?? "";
  for (const span of shown) edits.push({ at: span.start, rank: 2, insert: sign(span) });
  // The innermost ends first.
  for (const span of shown.toReversed()) edits.push({ at: span.end, rank: 0, insert: sign(span) });
  return applyEdits(text, edits);
}

/** Markers must be next to words, and within one line unless they mark a block. */
function linesOf(text: string, { type, start, end }: Span): Span[] {
  if (type === "pre") return [{ type, start, end }];
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const feed = text.indexOf("\n", from);
    const to = feed < 0 || feed > end ? end : feed;
    const line = text.slice(from, to);
    const first = from + line.length - line.trimStart().length;
    if (line.trim()) spans.push({ type, start: first, end: first + line.trim().length });
    from = to + 1;
  }
  return spans;
}

const isWordAt = (text: string, at: number) => /[\p{L}\p{N}]/u.test(text[at] ?? "");
const isCode = ({ type }: Span) => type === "code" || type === "pre";

const isSayable = (text: string, { type, start, end }: Span): boolean =>
  !isWordAt(text, start - 1) && !isWordAt(text, end) && !text.slice(start, end).includes(SIGNS[type]?.[0] ?? "");

/** Drops marks that cross or lie within code, where markers would be read as characters. Outermost first. */
function nested(spans: Span[]): Span[] {
  const kept: Span[] = [];
  const codeFirst = (a: Span, b: Span) => Number(isCode(b)) - Number(isCode(a)) || a.start - b.start || b.end - a.end;
  for (const span of spans.toSorted(codeFirst)) {
    const goesWith = (other: Span) =>
      other.end <= span.start ||
      span.end <= other.start ||
      (!isCode(other) && other.type !== span.type && other.start <= span.start && span.end <= other.end);
    if (kept.every(goesWith)) kept.push(span);
  }
  return kept.toSorted((a, b) => a.start - b.start || b.end - a.end);
}
