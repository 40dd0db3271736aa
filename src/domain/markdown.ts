import type { Mark, MarkedText } from "gangway-messenger/message";
import { rangeOf } from "gangway-messenger/text";

/** How formatting is written in texts at the gateway; `none`: plain text. */
export const MARKUPS = ["none", "markdown"] as const;

export type Markup = (typeof MARKUPS)[number];

/** How texts are written at the gateway, and the maximum UTF-16 units of a text and of a note there. */
export interface Writing {
  markup: Markup;
  text: number;
  note: number;
}

/** The formatting that a notation can express. */
export const FORMATS: Mark["type"][] = ["bold", "italic", "underline", "strikethrough", "code", "pre", "link"];

/** Maximum length of a link's URL, UTF-16 units. */
const MAX_URL = 2_048;

const SCHEMES = /^(https?|mailto|tel|tg):/i;

/** Whether a link may point to this URL. */
export const isAddress = (url: string | undefined): url is string =>
  url !== undefined && url.length <= MAX_URL && SCHEMES.test(url) && URL.canParse(url);

// **bold** *italic* __underline__ ~~struck~~ `code` ```block``` [label](url); a backslash escapes.
// A mark never spans lines, except a code block, and never starts or ends with white space.

/** Style of each UTF-16 unit: the low bits in nesting order, and above them the number of its link. */
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

const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

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

/** A token of the notation: text, a delimiter, or code. */
interface Token {
  raw: string;
  /** Set on an opening delimiter once its closing one is found; otherwise the delimiter is plain text. */
  opens?: Omit<Mark, "offset" | "length">;
  /** On a closing delimiter: index of the opening token. */
  closes?: number;
  code?: { content: string; type: "code" | "pre"; language?: string };
  /** Offset at which its run of delimiters began. */
  run?: number;
}

const TYPES: Record<string, Mark["type"]> = {
  "**": "bold",
  "*": "italic",
  __: "underline",
  _: "italic",
  "~~": "strikethrough",
};

const ESCAPED = "\\*`[]_~";

/** A longer run of `*` or `_` is a rule or a blank to fill in, not a delimiter. */
const MAX_RUN = 4;

const AFTER_LABEL = /\]\(([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)/y;

const LANGUAGE = /([\w+#.-]{0,32})\n/y;

interface Scan {
  notation: string;
  tokens: Token[];
  /** Indexes of possible opening tokens, by delimiter. */
  open: Record<string, number[]>;
  /** Fences with no closing fence in the rest: found once, not searched again. */
  unclosed: Set<string>;
}

/** Parses the notation. Unmatched delimiters become plain text, so that nothing of broken notation is lost. */
export function fromMarkdown(notation: string): MarkedText {
  const scan: Scan = { notation, tokens: [], open: noneOpen(), unclosed: new Set() };
  let at = 0;
  while (at < notation.length) at = readToken(scan, at);
  return render(scan.tokens);
}

const noneOpen = (): Scan["open"] => ({ "**": [], "*": [], __: [], _: [], "~~": [], "[": [] });

/** Reads one token; returns the offset of its end. */
function readToken(scan: Scan, at: number): number {
  const { notation } = scan;
  const sign = notation[at] ?? "";
  if (sign === "\\") return escapeAt(scan, at);
  if (sign === "`") return codeAt(scan, at);
  if (sign === "*" || sign === "_" || sign === "~") return delimitersAt(scan, at, sign);
  if (sign === "]") return labelEnd(scan, at);
  if (sign === "[") {
    scan.open["["]?.push(scan.tokens.push({ raw: sign }) - 1);
    return at + 1;
  }
  if (sign === "\n") {
    scan.open = noneOpen();
    return pushText(scan, at, at + 1);
  }
  const rest = /[\\`*_~[\]\n]/g;
  rest.lastIndex = at;
  return pushText(scan, at, rest.exec(notation)?.index ?? notation.length);
}

function pushText({ notation, tokens }: Scan, from: number, to: number): number {
  tokens.push({ raw: notation.slice(from, to) });
  return to;
}

function escapeAt(scan: Scan, at: number): number {
  const after = scan.notation[at + 1];
  if (after === undefined || !ESCAPED.includes(after)) return pushText(scan, at, at + 1);
  return pushText(scan, at + 1, at + 2);
}

const runAt = (notation: string, at: number, sign: string): number => {
  let end = at;
  while (notation[end] === sign) end += 1;
  return end - at;
};

/** `**`, `*`, `__`, `_` and `~~`, alone or in a run: close the innermost first, then open the longer. */
function delimitersAt(scan: Scan, at: number, sign: string): number {
  const { notation } = scan;
  const size = runAt(notation, at, sign);
  const end = at + size;
  if (size > MAX_RUN || (sign === "~" && size !== 2)) return pushText(scan, at, end);
  const [before, after] = [notation[at - 1], notation[end]];
  const can = { open: after !== undefined && /\S/.test(after), close: before !== undefined && /\S/.test(before) };
  for (let left = size; left > 0; ) {
    const delimiter = sign.repeat(Math.min(left, 2));
    // Inside a word an underscore is plain text.
    const [opens, closes] =
      delimiter === "_" ? [can.open && !isWord(before), can.close && !isWord(after)] : [can.open, can.close];
    const innermost = closes ? openerBefore(scan, at, left > 2 ? [sign, sign + sign] : [delimiter]) : undefined;
    if (innermost) {
      close(scan, innermost.index, { type: TYPES[innermost.raw] ?? "bold" }, innermost.raw);
      left -= innermost.raw.length;
    } else if (opens) {
      scan.open[delimiter]?.push(scan.tokens.push({ raw: delimiter, run: at }) - 1);
      left -= delimiter.length;
    } else {
      scan.tokens.push({ raw: sign.repeat(left) });
      left = 0;
    }
  }
  return end;
}

/** The last open token with one of these delimiters, outside the current run. */
function openerBefore({ tokens, open }: Scan, run: number, delimiters: string[]) {
  const indexes = delimiters.flatMap((each) => open[each]?.at(-1) ?? []).filter((index) => tokens[index]?.run !== run);
  if (indexes.length === 0) return undefined;
  const index = Math.max(...indexes);
  return { index, raw: tokens[index]?.raw ?? "" };
}

/** Closes the mark opened at `index`; delimiters opened since stay plain text. */
function close({ tokens, open }: Scan, index: number, opens: Token["opens"], raw: string): void {
  const token = tokens[index];
  if (token) token.opens = opens;
  tokens.push({ raw, closes: index });
  for (const indexes of Object.values(open)) while ((indexes.at(-1) ?? -1) >= index) indexes.pop();
}

function labelEnd(scan: Scan, at: number): number {
  const index = scan.open["["]?.pop();
  if (index === undefined) return pushText(scan, at, at + 1);
  AFTER_LABEL.lastIndex = at;
  const [raw, url] = AFTER_LABEL.exec(scan.notation) ?? [];
  if (!raw || !isAddress(url)) return pushText(scan, at, at + 1);
  const isBlank = scan.tokens.slice(index + 1).every((token) => !(token.code?.content ?? token.raw).trim());
  if (isBlank) return pushText(scan, at, at + 1);
  close(scan, index, { type: "link", url }, raw);
  // Links do not nest.
  scan.open["["] = [];
  return at + raw.length;
}

/** Longest fence of code, in backticks. */
const MAX_FENCE = 16;

function codeAt(scan: Scan, at: number): number {
  const { notation } = scan;
  const size = runAt(notation, at, "`");
  const from = at + size;
  // Each size may search the rest of the text once for nothing: the limit bounds the time.
  if (size > MAX_FENCE) return pushText(scan, at, from);
  const found = size > 2 ? block(scan, from, size) : span(scan, from, size);
  if (!found?.content.trim()) return pushText(scan, at, from);
  const { end, ...code } = found;
  if (code.type === "pre") scan.open = noneOpen();
  scan.tokens.push({ raw: notation.slice(at, end), code });
  return end;
}

type Code = NonNullable<Token["code"]> & { end: number };

function block(scan: Scan, from: number, size: number): Code | undefined {
  const { notation } = scan;
  LANGUAGE.lastIndex = from;
  const head = LANGUAGE.exec(notation);
  const start = from + (head?.[0].length ?? 0);
  const close = head ? fenceAfter(scan, start, size, "\n") : undefined;
  if (head && close !== undefined)
    return {
      ...{ type: "pre", content: notation.slice(start, close - 1), end: close + size },
      ...(head[1] && { language: head[1] }),
    };
  const same = fenceAfter(scan, from, size, "");
  return same === undefined ? undefined : { type: "pre", content: notation.slice(from, same), end: same + size };
}

function span(scan: Scan, from: number, size: number): Code | undefined {
  const close = fenceAfter(scan, from, size, "");
  if (close === undefined) return undefined;
  const content = scan.notation.slice(from, close);
  if (content.includes("\n")) return undefined;
  const isPadded = /^ .* $/s.test(content) && (content[1] === "`" || content.at(-2) === "`");
  return { type: "code", content: isPadded ? content.slice(1, -1) : content, end: close + size };
}

/** Offset of the next run of exactly `size` backticks that follows `before`. */
function fenceAfter({ notation, unclosed }: Scan, from: number, size: number, before: "" | "\n"): number | undefined {
  const fence = before + "`".repeat(size);
  if (unclosed.has(fence)) return undefined;
  for (let at = notation.indexOf(fence, from); at >= 0; at = notation.indexOf(fence, at)) {
    const start = at + before.length;
    const length = runAt(notation, start, "`");
    if (length === size) return start;
    at = start + length;
  }
  unclosed.add(fence);
  return undefined;
}

function render(tokens: Token[]): MarkedText {
  let text = "";
  const marks: Mark[] = [];
  const starts = new Map<number, number>();
  for (const [index, { raw, opens, closes, code }] of tokens.entries()) {
    const offset = text.length;
    if (opens) starts.set(index, offset);
    else if (closes !== undefined) {
      const start = starts.get(closes) ?? offset;
      const of = tokens[closes]?.opens;
      if (of) marks.push({ ...of, offset: start, length: offset - start });
    } else if (code) {
      const { content, ...kind } = code;
      marks.push({ ...kind, offset, length: content.length });
      text += content;
    } else text += raw;
  }
  return { text, marks: marks.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}
