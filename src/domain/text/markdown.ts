import type { MarkedText } from "../channel/card.ts";
import type { Mark } from "../message/message.ts";
import { isAddress, rangeOf } from "./markup.ts";

// **bold** *italic* __underline__ ~~struck~~ `code` ```block``` [label](url); a backslash escapes.
// A mark never spans lines, except a code block, and never starts or ends with white space.

/** Style of each UTF-16 unit: bits in order of nesting, above them the number of its link. */
const BITS = { bold: 1, italic: 2, underline: 4, strikethrough: 8, code: 16 } as const;
const LINK = 32;
const DELIMITERS = [
  { bit: BITS.bold, sign: "**" },
  { bit: BITS.italic, sign: "*" },
  { bit: BITS.underline, sign: "__" },
  { bit: BITS.strikethrough, sign: "~~" },
];
const linkOf = (style: number) => Math.floor(style / LINK);

interface Painted {
  text: string;
  styles: Uint32Array;
  addresses: string[];
}
interface Block {
  start: number;
  end: number;
  language?: string;
}

export const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** Writes text in the notation and escapes its delimiters. Inexpressible formatting is dropped, never text. */
export function toMarkdown(given: MarkedText): string {
  const { text, marks } = withBareAddresses(given);
  const blocks = blocksOf(text, marks);
  const painted = paint(text, marks);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, language = "" } of blocks) {
    const content = text.slice(start, end);
    const fence = "`".repeat(Math.max(3, 1 + longestRun(content)));
    pieces.push(inline(painted, from, start, blocks), `${fence}${language}\n${content}\n${fence}`);
    from = end;
  }
  pieces.push(inline(painted, from, text.length, blocks));
  return pieces.join("");
}

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** Inexpressible links are written out after their labels, so that no URL is lost. */
function withBareAddresses({ text, marks }: MarkedText): MarkedText {
  const bare = marks.flatMap((mark) => {
    const range = mark.type === "link" && mark.url ? rangeOf(text, mark) : undefined;
    if (!range || !mark.url) return [];
    const isExpressible = isAddress(encodeUrl(mark.url)) && text.slice(range.start, range.end).trim() !== "";
    return isExpressible ? [] : [{ mark, at: range.end, insert: ` (${mark.url})` }];
  });
  let shown: MarkedText = { text, marks: marks.filter((mark) => !bare.some((each) => each.mark === mark)) };
  for (const { at, insert } of bare.sort((a, b) => b.at - a.at)) shown = insertText(shown, at, insert);
  return shown;
}

function insertText({ text, marks }: MarkedText, at: number, insert: string): MarkedText {
  const shifted = marks.map((mark) => {
    if (mark.offset >= at) return { ...mark, offset: mark.offset + insert.length };
    return mark.offset + mark.length > at ? { ...mark, length: mark.length + insert.length } : mark;
  });
  return { text: text.slice(0, at) + insert + text.slice(at), marks: shifted };
}

const encodeUrl = (url: string) => url.replace(/\s/g, encodeURIComponent).replaceAll("(", "%28").replaceAll(")", "%29");

/** Merges blocks that touch or overlap. */
function blocksOf(text: string, marks: Mark[]): Block[] {
  const blocks: Block[] = [];
  const given = marks.filter(({ type }) => type === "pre").sort((a, b) => a.offset - b.offset);
  for (const mark of given) {
    const range = rangeOf(text, mark);
    if (!range || !text.slice(range.start, range.end).trim()) continue;
    const last = blocks.at(-1);
    const language = mark.language && /^[\w+#.-]{1,32}$/.test(mark.language) ? mark.language : undefined;
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else blocks.push({ ...range, language });
  }
  return blocks;
}

function paint(text: string, marks: Mark[]): Painted {
  const styles = new Uint32Array(text.length);
  for (const [type, bit] of Object.entries(BITS)) {
    const deltas = new Int32Array(text.length + 1);
    for (const mark of marks) {
      const range = mark.type === type ? rangeOf(text, mark) : undefined;
      if (!range) continue;
      deltas[range.start] = (deltas[range.start] ?? 0) + 1;
      deltas[range.end] = (deltas[range.end] ?? 0) - 1;
    }
    let depth = 0;
    for (let at = 0; at < text.length; at += 1) {
      depth += deltas[at] ?? 0;
      if (depth > 0) styles[at] = (styles[at] ?? 0) | bit;
    }
  }
  // Code has no other formatting, as in messengers.
  for (const [at, style] of styles.entries()) if (style & BITS.code) styles[at] = BITS.code;
  return { text, styles, addresses: paintLinks(text, marks, styles) };
}

function paintLinks(text: string, marks: Mark[], styles: Uint32Array): string[] {
  const addresses: string[] = [];
  let from = 0;
  for (const mark of marks.filter(({ type }) => type === "link").sort((a, b) => a.offset - b.offset)) {
    const range = rangeOf(text, mark);
    if (!range || !mark.url) continue;
    addresses.push(encodeUrl(mark.url));
    for (let at = Math.max(from, range.start); at < range.end; at += 1)
      styles[at] = (styles[at] ?? 0) + LINK * addresses.length;
    from = Math.max(from, range.end);
  }
  return addresses;
}

/** Text outside code blocks. */
function inline(painted: Painted, from: number, to: number, blocks: Block[]): string {
  normalizeWhiteSpace(painted, from, to);
  if (blocks.some(({ end }) => end === from)) dropCode(painted, from, to, 1);
  if (blocks.some(({ start }) => start === to)) dropCode(painted, to - 1, from - 1, -1);
  const { text, styles } = painted;
  const out: string[] = [];
  let open = 0;
  for (let start = from, end = from; start < to; start = end) {
    const style = styles[start] ?? 0;
    while (end < to && styles[end] === style) end += 1;
    out.push(delimitersBetween(painted, open, style), styled(text, start, end, (style & BITS.code) > 0));
    open = style;
  }
  return out.join("") + delimitersBetween(painted, open, 0);
}

/** White space keeps only the style shared by both its neighbours; a line break has none. */
function normalizeWhiteSpace({ text, styles }: Painted, from: number, to: number): void {
  for (const { 0: space, index } of text.slice(from, to).matchAll(/\s+/g)) {
    const [start, end] = [from + index, from + index + space.length];
    const around = start > from && end < to && !space.includes("\n");
    let common = around ? (styles[start - 1] ?? 0) : 0;
    for (let at = start; around && at <= end; at += 1) common = commonStyle(common, styles[at] ?? 0);
    styles.fill(common, start, end);
  }
}

/** The common outer part of two styles. */
function commonStyle(one: number, other: number): number {
  if (linkOf(one) !== linkOf(other)) return 0;
  let kept = linkOf(one) * LINK;
  for (const bit of Object.values(BITS)) {
    if ((one & bit) !== (other & bit)) return kept;
    kept |= one & bit;
  }
  return kept;
}

/** Drop code style next to a block: its backticks would lengthen the fence. */
function dropCode({ styles }: Painted, from: number, to: number, by: 1 | -1): void {
  for (let at = from; at !== to && (styles[at] ?? 0) & BITS.code; at += by) styles[at] = (styles[at] ?? 0) - BITS.code;
}

/** The delimiters between two styles: closing ones, then opening ones. */
function delimitersBetween({ addresses }: Painted, before: number, after: number): string {
  const kept = commonStyle(before & ~BITS.code, after & ~BITS.code);
  let closed = "";
  let opened = "";
  if (linkOf(after) !== linkOf(kept)) opened += "[";
  for (const { bit, sign } of DELIMITERS) {
    if (before & bit & ~kept) closed = sign + closed;
    if (after & bit & ~kept) opened += sign;
  }
  if (linkOf(before) !== linkOf(kept)) closed += `](${addresses[linkOf(before) - 1]})`;
  return closed + opened;
}

function styled(text: string, from: number, to: number, isCode: boolean): string {
  const content = text.slice(from, to);
  if (!isCode) return escaped(content);
  const runs = new Set((content.match(/`+/g) ?? []).map((run) => run.length));
  const size = [1, 2].find((length) => !runs.has(length));
  if (size === undefined) return escaped(content);
  const fence = "`".repeat(size);
  const gap = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return fence + gap + content + gap + fence;
}

/** Escapes delimiters. `_` inside a word and a lone `~` are inert and stay as is, so that URLs stay whole. */
function escaped(content: string): string {
  return content.replace(/[\\*`[\]_~]/g, (sign, at: number) => {
    const [before, after] = [content[at - 1], content[at + 1]];
    const isInert =
      (sign === "_" && isWord(before) && isWord(after)) ||
      (sign === "~" && before !== undefined && after !== undefined && before !== "~" && after !== "~");
    return isInert ? sign : `\\${sign}`;
  });
}
