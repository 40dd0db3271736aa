import type { MarkedText } from "./card.ts";
import type { Mark } from "./message.ts";

/** A break is looked for in the last part of a piece, so that pieces do not become tiny. */
const SEARCHED = 0.5;

/**
 * A text in pieces of at most `most` UTF-16 units (the first of at most `first`): cut between paragraphs, lines,
 * sentences or words, never within a surrogate pair or a joined emoji, nor within an address that fits into a piece.
 * What is between two pieces is white space only. Never empty: no text is one empty piece.
 */
export function splitText({ text, marks }: MarkedText, most: number, first = most): MarkedText[] {
  const pieces: MarkedText[] = [];
  let from = 0;
  for (;;) {
    const room = pieces.length === 0 ? first : most;
    const to = text.length - from <= room ? text.length : breakBefore(text, from, from + room);
    const piece = text.slice(from, to);
    // A piece of what is too long may end at the text's end, beyond its room: with white space.
    const cut = pieces.length > 0 || text.length - from > room;
    const shown = cut ? piece.trimEnd() : piece;
    if (shown) pieces.push({ text: shown, marks: within(marks, from, from + shown.length) });
    from = to;
    while (from < text.length && /\s/.test(text[from] ?? "")) from += 1;
    if (from >= text.length) return pieces.length > 0 ? pieces : [{ text: "", marks: [] }];
  }
}

/** Best places first: between paragraphs, lines, sentences (one sign is enough: many would be read again from each), words. */
const BREAKS = [/\n{2,}/g, /\n/g, /[.!?…。！？]\s/g, /\s/g];

/** Where the piece that began at `from` ends, at most at `limit`. */
function breakBefore(text: string, from: number, limit: number): number {
  const lowest = from + Math.floor((limit - from) * SEARCHED);
  for (const pattern of BREAKS) {
    const at = lastMatch(pattern, text, lowest, limit);
    if (at !== undefined) return at;
  }
  // One word longer than half a piece: before it, if it fits into the next piece whole.
  const space = text.slice(from, limit).search(/\s\S*$/);
  const wordEnd = limit + text.slice(limit, limit + (limit - from)).search(/\s|$/);
  if (space > 0 && wordEnd - (from + space) <= limit - from) return from + space + 1;
  return wholeLetter(text, from, limit);
}

function lastMatch(pattern: RegExp, text: string, lowest: number, limit: number): number | undefined {
  const window = text.slice(lowest, limit + 1);
  let found: number | undefined;
  for (const match of window.matchAll(pattern)) {
    const end = lowest + match.index + match[0].length;
    // White space after the last letter may stand beyond the limit: it is cut off.
    if (lowest + match.index + match[0].trimEnd().length <= limit) found = Math.min(end, limit + 1);
  }
  return found;
}

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** UTF-16 units of the longest letter that is kept whole: joined emoji of a family have about 25. */
const LONGEST_LETTER = 64;

function wholeLetter(text: string, from: number, limit: number): number {
  const start = Math.max(from, limit - LONGEST_LETTER);
  const safe = isLow(text, start) && start > from ? start + 1 : start;
  let at = safe;
  for (const { index, segment } of letters.segment(text.slice(safe, limit + LONGEST_LETTER))) {
    if (safe + index + segment.length > limit) break;
    at = safe + index + segment.length;
  }
  if (at > from && at > safe) return at;
  return isLow(text, limit) && limit - 1 > from ? limit - 1 : limit;
}

const isLow = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** The marks of a stretch of the text, counted from its beginning; one that reaches over the cut is cut. */
function within(marks: Mark[], from: number, to: number): Mark[] {
  return marks.flatMap((mark) => {
    const start = Math.max(mark.offset, from);
    const end = Math.min(mark.offset + mark.length, to);
    return end > start ? [{ ...mark, offset: start - from, length: end - start }] : [];
  });
}
