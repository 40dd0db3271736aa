import type { AlbumWords, Content, FilePart, Mark, MarkedText, Suggestion } from "./message.ts";

/** The text of a message, or the note of its files. */
export const wordsIn = (content: Content): MarkedText => ({
  text: ("files" in content ? content.note : content.text) ?? "",
  marks: content.marks ?? [],
});

export function prefixed(content: Content, words: string): Content {
  const marks = content.marks && shifted(content.marks, words.length);
  if (content.type === "text") return { ...content, text: words + content.text, marks };
  if ("files" in content) return { ...content, note: (words + (content.note ?? "")).trimEnd() || undefined, marks };
  return content;
}

/** The gateway has one text for all parts of a message. */
export function albumText({ head, captions, otherwise }: AlbumWords): MarkedText {
  const all = joinTexts(captions, "\n");
  return joinTexts([plainText(head), all.text ? all : otherwise], "");
}

/** Joins non-empty texts with `separator`. */
export function joinTexts(parts: MarkedText[], separator: string): MarkedText {
  const joined: MarkedText = { text: "", marks: [] };
  for (const { text, marks } of parts) {
    if (!text) continue;
    if (joined.text) joined.text += separator;
    joined.marks.push(...shifted(marks, joined.text.length));
    joined.text += text;
  }
  return joined;
}

export const shifted = (marks: Mark[], by: number): Mark[] =>
  marks.map((mark) => ({ ...mark, offset: mark.offset + by }));

export const plainText = (text: string | undefined): MarkedText => ({ text: text ?? "", marks: [] });

/** A `marks` property, only if there are any. */
export const marksOf = ({ marks }: MarkedText): { marks?: Mark[] } => (marks.length > 0 ? { marks } : {});

/** The range of a mark, clamped to the text and to whole surrogate pairs; undefined if empty. */
export function rangeOf(text: string, { offset, length }: Pick<Mark, "offset" | "length">) {
  const [start, end] = [boundary(text, offset), boundary(text, offset + length)];
  return end > start ? { start, end } : undefined;
}

function boundary(text: string, at: number): number {
  const within = Math.min(Math.max(0, Math.trunc(at)), text.length);
  const code = text.charCodeAt(within);
  return code >= 0xdc00 && code <= 0xdfff ? within + 1 : within;
}

/** A longer label, UTF-16 units, is not compared with its URL. */
const MAX_LABEL = 2_048;

/** A piece that is put into a text. */
export interface Edit {
  at: number;
  /** Order at one offset: closing delimiters, URLs, opening delimiters. */
  rank: 0 | 1 | 2;
  insert: string;
}

/** Formatting as plain text: `~` around struck-through text, a link's URL after its label. */
export function readable({ text, marks }: MarkedText): string {
  if (marks.length === 0) return text;
  const edits: Edit[] = [];
  const struck: { start: number; end: number }[] = [];
  for (const mark of marks) {
    const range = rangeOf(text, mark);
    if (!range) continue;
    if (mark.type === "strikethrough") struck.push(range);
    edits.push(...urlAfter(text, mark, range));
  }
  for (const { start, end } of merge(struck))
    edits.push({ at: start, rank: 2, insert: "~" }, { at: end, rank: 0, insert: "~" });
  return applyEdits(text, edits);
}

function merge(ranges: { start: number; end: number }[]) {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** A link's URL after its label, unless that shows it. */
export const urlAfter = (text: string, { type, url }: Mark, { start, end }: { start: number; end: number }): Edit[] =>
  type === "link" && url && !showsUrl(text, start, end, url) ? [{ at: end, rank: 1, insert: ` (${url})` }] : [];

export function applyEdits(text: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { at, insert } of edits.sort((a, b) => a.at - b.at || a.rank - b.rank)) {
    pieces.push(text.slice(from, at), insert);
    from = at;
  }
  return pieces.join("") + text.slice(from);
}

function showsUrl(text: string, start: number, end: number, url: string): boolean {
  if (end - start > MAX_LABEL) return false;
  const bare = (address: string) => address.replace(/^(https?:\/\/|mailto:|tel:)/, "").replace(/\/$/, "");
  return bare(text.slice(start, end).trim()) === bare(url);
}

/** What a messenger counts: UTF-16 units, or bytes of UTF-8. */
export type TextUnit = "utf16" | "bytes";

const utf8 = new TextEncoder();

export const lengthOf = (text: string, unit: TextUnit = "utf16"): number =>
  unit === "utf16" ? text.length : utf8.encode(text).length;

/** Length of the longest start of `text` after `from` that measures at most `max`; UTF-16 units. */
function roomIn(text: string, from: number, max: number, unit: TextUnit): number {
  if (unit === "utf16") return Math.min(max, text.length - from);
  let bytes = 0;
  let at = from;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > max) break;
    at += code < 0x10000 ? 1 : 2;
  }
  return at - from;
}

const SURROGATE = /[\uD800-\uDFFF]/;

/** The start of a text: at most `max` characters (code points), UTF-16 units or bytes; never half a character. */
export function cutText(text: string, max: number, unit: "characters" | TextUnit = "characters"): string {
  if (text.length <= max && unit !== "bytes") return text;
  if (unit === "characters") return SURROGATE.test(text) ? [...text].slice(0, max).join("") : text.slice(0, max);
  const end = roomIn(text, 0, max, unit);
  return text.slice(0, end < text.length && isLowSurrogate(text, end) ? end - 1 : end);
}

/** Maximum characters of a message quoted to identify it. */
export const EXCERPT_LENGTH = 80;

/** How a text begins: at most `max` characters, cut after a word, with "…" for the rest. */
export function excerptOf(text: string, max = EXCERPT_LENGTH): string {
  if (cutText(text, max) === text) return text;
  const start = cutText(text, max - 1);
  const isWordOver = /\s/.test(text.charAt(start.length));
  const words = isWordOver ? start : start.replace(/\s+\S*$/, "");
  // One long word, or a script without spaces.
  return `${(words.length * 2 < start.length ? start : words).trimEnd()}…`;
}

const EXTENSION = /\.[^.\s/]{1,16}$/;

/** A file's name of at most `max` characters; it keeps its extension. */
export function cutFileName(name: string, max: number): string {
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const rest = name.slice(0, name.length - extension.length);
  return cutText(name, max) === name ? name : cutText(rest, Math.max(1, max - extension.length)) + extension;
}

const isLowSurrogate = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

/** UTF-16 units reserved for a file's name, and for a URL not known yet: signed ones have several hundred. */
export const MAX_NAME = 200;

type Named = Pick<FilePart, "caption" | "name">;

function nameOf({ caption, name }: Named, known?: string): string {
  // Do not cut a surrogate pair in half.
  return cutText(caption || name || known || "file", MAX_NAME, "utf16");
}

export const linkLine = (file: Named, at: { name?: string; url: string }): string =>
  `${nameOf(file, at.name)}: ${at.url}`;

export const buttonLine = ({ title, payload }: Suggestion): string =>
  payload && payload !== title ? `${title}: ${payload}` : title;

/** Share of a piece, from its end, that is searched for a break: pieces do not become tiny. */
const SEARCHED_SHARE = 0.5;

/**
 * Splits text into pieces that measure at most `max` (the first at most `first`): between paragraphs, lines,
 * sentences or words; never inside a surrogate pair, a joined emoji, or a URL that fits into one piece. Only white
 * space is dropped between pieces. Empty text is one empty piece.
 */
export function splitText(
  { text, marks }: MarkedText,
  max: number,
  { first = max, unit = "utf16" }: { first?: number; unit?: TextUnit } = {},
): MarkedText[] {
  const pieces: MarkedText[] = [];
  let from = 0;
  for (;;) {
    const limit = roomIn(text, from, pieces.length === 0 ? first : max, unit);
    const to = text.length - from <= limit ? text.length : breakBefore(text, from, from + limit);
    const piece = text.slice(from, to);
    // If the text is split, trim: the last piece may exceed its limit by trailing white space.
    const cut = pieces.length > 0 || text.length - from > limit;
    const shown = cut ? piece.trimEnd() : piece;
    if (shown) pieces.push({ text: shown, marks: marksWithin(marks, from, from + shown.length) });
    from = to;
    while (from < text.length && /\s/.test(text[from] ?? "")) from += 1;
    if (from >= text.length) return pieces.length > 0 ? pieces : [{ text: "", marks: [] }];
  }
}

/** Best first: paragraphs, lines, sentences, words. One sentence mark only: runs would backtrack quadratically. */
const BREAKS = [/\n{2,}/g, /\n/g, /[.!?…。！？]\s/g, /\s/g];

/** End of the piece that starts at `from`, at most `limit`. */
function breakBefore(text: string, from: number, limit: number): number {
  const start = from + Math.floor((limit - from) * SEARCHED_SHARE);
  for (const pattern of BREAKS) {
    const at = lastMatch(pattern, text, start, limit);
    if (at !== undefined) return at;
  }
  // A word longer than half a piece moves to the next piece if it fits there whole.
  const space = text.slice(from, limit).search(/\s\S*$/);
  const wordEnd = limit + text.slice(limit, limit + (limit - from)).search(/\s|$/);
  if (space > 0 && wordEnd - (from + space) <= limit - from) return from + space + 1;
  return graphemeEnd(text, from, limit);
}

function lastMatch(pattern: RegExp, text: string, start: number, limit: number): number | undefined {
  const searched = text.slice(start, limit + 1);
  let found: number | undefined;
  for (const match of searched.matchAll(pattern)) {
    const end = start + match.index + match[0].length;
    // White space may exceed the limit: it is trimmed.
    if (start + match.index + match[0].trimEnd().length <= limit) found = Math.min(end, limit + 1);
  }
  return found;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Maximum UTF-16 units of a grapheme kept whole; a family emoji has about 25. */
const MAX_GRAPHEME = 64;

function graphemeEnd(text: string, from: number, limit: number): number {
  const start = Math.max(from, limit - MAX_GRAPHEME);
  const safe = isLowSurrogate(text, start) && start > from ? start + 1 : start;
  let at = safe;
  for (const { index, segment } of graphemes.segment(text.slice(safe, limit + MAX_GRAPHEME))) {
    if (safe + index + segment.length > limit) break;
    at = safe + index + segment.length;
  }
  if (at > from && at > safe) return at;
  return isLowSurrogate(text, limit) && limit - 1 > from ? limit - 1 : limit;
}

/** Marks within a range, relative to its start; marks that cross its ends are cut. */
function marksWithin(marks: Mark[], from: number, to: number): Mark[] {
  return marks.flatMap((mark) => {
    const start = Math.max(mark.offset, from);
    const end = Math.min(mark.offset + mark.length, to);
    return end > start ? [{ ...mark, offset: start - from, length: end - start }] : [];
  });
}

const URL_UNITS = 1_000;

/** UTF-16 units to reserve for the lines of these files. */
export const linkRoom = (files: Named[]): number =>
  files.reduce((sum, { caption, name }) => {
    const length = caption || name ? nameOf({ caption, name }).length : MAX_NAME;
    return sum + length + ": \n".length + URL_UNITS;
  }, 0);
