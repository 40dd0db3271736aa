import type { MarkedText } from "../channel/card.ts";
import type { Mark } from "../message/message.ts";
import { isWord } from "./markdown.ts";
import { isAddress } from "./markup.ts";

/** A token of the notation: text, a delimiter, or code. */
interface Token {
  raw: string;
  /** Of an opening delimiter, once its closing one is found; without it the delimiter is plain text. */
  opens?: Omit<Mark, "offset" | "length">;
  /** Of a closing delimiter: index of the opening token. */
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

function codeAt(scan: Scan, at: number): number {
  const { notation } = scan;
  const size = runAt(notation, at, "`");
  const from = at + size;
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
