import type { MarkedText } from "./card.ts";
import { isAddress, stretchOf } from "./markup.ts";
import type { Mark } from "./message.ts";

// **bold** *italic* __underline__ ~~struck~~ `code` ```block``` [label](address), a backslash before what is meant as it stands.
// A mark never reaches over a line's end, except a block's, and neither begins nor ends with white space.

/** What each unit of the text bears: bits in the order of nesting, above them the number of its link. */
const BITS = { bold: 1, italic: 2, underline: 4, strikethrough: 8, code: 16 } as const;
const LINK = 32;
const SIGNS = [
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

/** A text in the notation, its own signs escaped. What the notation cannot say is left out, but never a letter of the text. */
export function toMarkdown(given: MarkedText): string {
  const { text, marks } = withBareAddresses(given);
  const blocks = blocksOf(text, marks);
  const painted = paint(text, marks);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, language = "" } of blocks) {
    const content = text.slice(start, end);
    const fence = "`".repeat(Math.max(3, 1 + longest(content)));
    pieces.push(inline(painted, from, start, blocks), `${fence}${language}\n${content}\n${fence}`);
    from = end;
  }
  pieces.push(inline(painted, from, text.length, blocks));
  return pieces.join("");
}

const longest = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** Links that the notation cannot say stand behind their labels, so that no address gets lost. */
function withBareAddresses({ text, marks }: MarkedText): MarkedText {
  const bare = marks.flatMap((mark) => {
    const stretch = mark.type === "link" && mark.url ? stretchOf(text, mark) : undefined;
    if (!stretch || !mark.url) return [];
    const isSayable = isAddress(encoded(mark.url)) && text.slice(stretch.start, stretch.end).trim() !== "";
    return isSayable ? [] : [{ mark, at: stretch.end, insert: ` (${mark.url})` }];
  });
  let shown: MarkedText = { text, marks: marks.filter((mark) => !bare.some((each) => each.mark === mark)) };
  for (const { at, insert } of bare.sort((a, b) => b.at - a.at)) shown = inserted(shown, at, insert);
  return shown;
}

function inserted({ text, marks }: MarkedText, at: number, insert: string): MarkedText {
  const moved = marks.map((mark) => {
    if (mark.offset >= at) return { ...mark, offset: mark.offset + insert.length };
    return mark.offset + mark.length > at ? { ...mark, length: mark.length + insert.length } : mark;
  });
  return { text: text.slice(0, at) + insert + text.slice(at), marks: moved };
}

const encoded = (url: string) => url.replace(/\s/g, encodeURIComponent).replaceAll("(", "%28").replaceAll(")", "%29");

/** Blocks that touch or overlap are one. */
function blocksOf(text: string, marks: Mark[]): Block[] {
  const blocks: Block[] = [];
  const given = marks.filter(({ type }) => type === "pre").sort((a, b) => a.offset - b.offset);
  for (const mark of given) {
    const stretch = stretchOf(text, mark);
    if (!stretch || !text.slice(stretch.start, stretch.end).trim()) continue;
    const last = blocks.at(-1);
    const language = mark.language && /^[\w+#.-]{1,32}$/.test(mark.language) ? mark.language : undefined;
    if (last && stretch.start <= last.end) last.end = Math.max(last.end, stretch.end);
    else blocks.push({ ...stretch, language });
  }
  return blocks;
}

function paint(text: string, marks: Mark[]): Painted {
  const styles = new Uint32Array(text.length);
  for (const [type, bit] of Object.entries(BITS)) {
    const turns = new Int32Array(text.length + 1);
    for (const mark of marks) {
      const stretch = mark.type === type ? stretchOf(text, mark) : undefined;
      if (!stretch) continue;
      turns[stretch.start] = (turns[stretch.start] ?? 0) + 1;
      turns[stretch.end] = (turns[stretch.end] ?? 0) - 1;
    }
    let depth = 0;
    for (let at = 0; at < text.length; at += 1) {
      depth += turns[at] ?? 0;
      if (depth > 0) styles[at] = (styles[at] ?? 0) | bit;
    }
  }
  // Code bears nothing else, as at messengers.
  for (const [at, style] of styles.entries()) if (style & BITS.code) styles[at] = BITS.code;
  return { text, styles, addresses: paintLinks(text, marks, styles) };
}

function paintLinks(text: string, marks: Mark[], styles: Uint32Array): string[] {
  const addresses: string[] = [];
  let from = 0;
  for (const mark of marks.filter(({ type }) => type === "link").sort((a, b) => a.offset - b.offset)) {
    const stretch = stretchOf(text, mark);
    if (!stretch || !mark.url) continue;
    addresses.push(encoded(mark.url));
    for (let at = Math.max(from, stretch.start); at < stretch.end; at += 1)
      styles[at] = (styles[at] ?? 0) + LINK * addresses.length;
    from = Math.max(from, stretch.end);
  }
  return addresses;
}

/** The text outside of blocks. */
function inline(painted: Painted, from: number, to: number, blocks: Block[]): string {
  settle(painted, from, to);
  if (blocks.some(({ end }) => end === from)) uncode(painted, from, to, 1);
  if (blocks.some(({ start }) => start === to)) uncode(painted, to - 1, from - 1, -1);
  const { text, styles } = painted;
  const out: string[] = [];
  let open = 0;
  for (let start = from, end = from; start < to; start = end) {
    const style = styles[start] ?? 0;
    while (end < to && styles[end] === style) end += 1;
    out.push(turn(painted, open, style), leaf(text, start, end, (style & BITS.code) > 0));
    open = style;
  }
  return out.join("") + turn(painted, open, 0);
}

/** White space bears what is open on both sides of it without being opened anew, and a line's end bears nothing. */
function settle({ text, styles }: Painted, from: number, to: number): void {
  for (const { 0: space, index } of text.slice(from, to).matchAll(/\s+/g)) {
    const [start, end] = [from + index, from + index + space.length];
    const around = start > from && end < to && !space.includes("\n");
    let common = around ? (styles[start - 1] ?? 0) : 0;
    for (let at = start; around && at <= end; at += 1) common = shared(common, styles[at] ?? 0);
    styles.fill(common, start, end);
  }
}

/** The outermost of two styles as far as they are the same. */
function shared(one: number, other: number): number {
  if (linkOf(one) !== linkOf(other)) return 0;
  let kept = linkOf(one) * LINK;
  for (const bit of Object.values(BITS)) {
    if ((one & bit) !== (other & bit)) return kept;
    kept |= one & bit;
  }
  return kept;
}

/** Code that touches a block would make its fence longer. */
function uncode({ styles }: Painted, from: number, to: number, by: 1 | -1): void {
  for (let at = from; at !== to && (styles[at] ?? 0) & BITS.code; at += by) styles[at] = (styles[at] ?? 0) - BITS.code;
}

/** The signs that end what ends and begin what begins. */
function turn({ addresses }: Painted, before: number, after: number): string {
  const kept = shared(before & ~BITS.code, after & ~BITS.code);
  let closed = "";
  let opened = "";
  if (linkOf(after) !== linkOf(kept)) opened += "[";
  for (const { bit, sign } of SIGNS) {
    if (before & bit & ~kept) closed = sign + closed;
    if (after & bit & ~kept) opened += sign;
  }
  if (linkOf(before) !== linkOf(kept)) closed += `](${addresses[linkOf(before) - 1]})`;
  return closed + opened;
}

function leaf(text: string, from: number, to: number, isCode: boolean): string {
  const content = text.slice(from, to);
  if (!isCode) return escaped(content);
  const runs = new Set((content.match(/`+/g) ?? []).map((run) => run.length));
  const size = [1, 2].find((length) => !runs.has(length));
  if (size === undefined) return escaped(content);
  const fence = "`".repeat(size);
  const gap = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return fence + gap + content + gap + fence;
}

/** Letters that can never be taken for signs. Within a word `_` is none, nor is `~` alone, so that addresses stay whole. */
function escaped(content: string): string {
  return content.replace(/[\\*`[\]_~]/g, (sign, at: number) => {
    const [before, after] = [content[at - 1], content[at + 1]];
    const isInert =
      (sign === "_" && isWord(before) && isWord(after)) ||
      (sign === "~" && before !== undefined && after !== undefined && before !== "~" && after !== "~");
    return isInert ? sign : `\\${sign}`;
  });
}
