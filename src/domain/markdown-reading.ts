import type { MarkedText } from "./card.ts";
import { isWord } from "./markdown.ts";
import { isAddress } from "./markup.ts";
import type { Mark } from "./message.ts";

/** A piece of the notation: letters, a sign that begins or ends a mark, or code. */
interface Token {
  written: string;
  /** Of a sign that begins a mark: there once the one that ends it is found. Without it the sign is letters. */
  begins?: Omit<Mark, "offset" | "length">;
  /** The place of the token that begins what this one ends. */
  ends?: number;
  code?: { content: string; type: "code" | "pre"; language?: string };
  /** Where in the notation its run of signs began. */
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
/** A longer run of `*` or `_` is a line or a blank, no sign. */
const LONGEST_RUN = 4;
const AFTER_LABEL = /\]\(([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)/y;
const LANGUAGE = /([\w+#.-]{0,32})\n/y;

interface Scan {
  notation: string;
  tokens: Token[];
  /** Places of the tokens that may begin a mark, by their sign. */
  open: Record<string, number[]>;
  /** Fences that close nowhere in the rest. */
  lone: Set<string>;
}

/** What a text in the notation says. Signs that have no partner are letters, so that nothing of a broken notation is lost. */
export function fromMarkdown(notation: string): MarkedText {
  const scan: Scan = { notation, tokens: [], open: emptied(), lone: new Set() };
  let at = 0;
  while (at < notation.length) at = next(scan, at);
  return built(scan.tokens);
}

const emptied = (): Scan["open"] => ({ "**": [], "*": [], __: [], _: [], "~~": [], "[": [] });

/** Reads one piece; where it ends. */
function next(scan: Scan, at: number): number {
  const { notation } = scan;
  const sign = notation[at] ?? "";
  if (sign === "\\") return escapeAt(scan, at);
  if (sign === "`") return codeAt(scan, at);
  if (sign === "*" || sign === "_" || sign === "~") return signsAt(scan, at, sign);
  if (sign === "]") return labelEnd(scan, at);
  if (sign === "[") {
    scan.open["["]?.push(scan.tokens.push({ written: sign }) - 1);
    return at + 1;
  }
  if (sign === "\n") {
    scan.open = emptied();
    return letters(scan, at, at + 1);
  }
  const rest = /[\\`*_~[\]\n]/g;
  rest.lastIndex = at;
  return letters(scan, at, rest.exec(notation)?.index ?? notation.length);
}

function letters({ notation, tokens }: Scan, from: number, to: number): number {
  tokens.push({ written: notation.slice(from, to) });
  return to;
}

function escapeAt(scan: Scan, at: number): number {
  const after = scan.notation[at + 1];
  if (after === undefined || !ESCAPED.includes(after)) return letters(scan, at, at + 1);
  return letters(scan, at + 1, at + 2);
}

const runAt = (notation: string, at: number, sign: string): number => {
  let end = at;
  while (notation[end] === sign) end += 1;
  return end - at;
};

/** `**`, `*`, `__`, `_` and `~~`, also several in a row: the innermost ends first, then the longer begins. */
function signsAt(scan: Scan, at: number, sign: string): number {
  const { notation } = scan;
  const size = runAt(notation, at, sign);
  const end = at + size;
  if (size > LONGEST_RUN || (sign === "~" && size !== 2)) return letters(scan, at, end);
  const [before, after] = [notation[at - 1], notation[end]];
  const can = { begin: after !== undefined && /\S/.test(after), end: before !== undefined && /\S/.test(before) };
  for (let left = size; left > 0; ) {
    const lone = sign.repeat(Math.min(left, 2));
    // Within a word an underscore is a letter.
    const [begins, ends] =
      lone === "_" ? [can.begin && !isWord(before), can.end && !isWord(after)] : [can.begin, can.end];
    const innermost = ends ? begunBefore(scan, at, left > 2 ? [sign, sign + sign] : [lone]) : undefined;
    if (innermost) {
      finish(scan, innermost.place, { type: TYPES[innermost.written] ?? "bold" }, innermost.written);
      left -= innermost.written.length;
    } else if (begins) {
      scan.open[lone]?.push(scan.tokens.push({ written: lone, run: at }) - 1);
      left -= lone.length;
    } else {
      scan.tokens.push({ written: sign.repeat(left) });
      left = 0;
    }
  }
  return end;
}

/** The last token with one of these signs that waits for its end and does not belong to the run at hand. */
function begunBefore({ tokens, open }: Scan, run: number, signs: string[]) {
  const places = signs.flatMap((sign) => open[sign]?.at(-1) ?? []).filter((place) => tokens[place]?.run !== run);
  if (places.length === 0) return undefined;
  const place = Math.max(...places);
  return { place, written: tokens[place]?.written ?? "" };
}

/** Ends the mark that began there; what began since and has not ended stays letters. */
function finish({ tokens, open }: Scan, place: number, begins: Token["begins"], written: string): void {
  const token = tokens[place];
  if (token) token.begins = begins;
  tokens.push({ written, ends: place });
  for (const places of Object.values(open)) while ((places.at(-1) ?? -1) >= place) places.pop();
}

function labelEnd(scan: Scan, at: number): number {
  const place = scan.open["["]?.pop();
  if (place === undefined) return letters(scan, at, at + 1);
  AFTER_LABEL.lastIndex = at;
  const [written, url] = AFTER_LABEL.exec(scan.notation) ?? [];
  if (!written || !isAddress(url)) return letters(scan, at, at + 1);
  const isBlank = scan.tokens.slice(place + 1).every((token) => !(token.code?.content ?? token.written).trim());
  if (isBlank) return letters(scan, at, at + 1);
  finish(scan, place, { type: "link", url }, written);
  // A link holds no link.
  scan.open["["] = [];
  return at + written.length;
}

function codeAt(scan: Scan, at: number): number {
  const { notation } = scan;
  const size = runAt(notation, at, "`");
  const from = at + size;
  const found = size > 2 ? block(scan, from, size) : span(scan, from, size);
  if (!found?.content.trim()) return letters(scan, at, from);
  const { end, ...code } = found;
  if (code.type === "pre") scan.open = emptied();
  scan.tokens.push({ written: notation.slice(at, end), code });
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

/** Where the next run of exactly so many backticks begins, behind `before`. */
function fenceAfter({ notation, lone }: Scan, from: number, size: number, before: "" | "\n"): number | undefined {
  const sought = before + "`".repeat(size);
  if (lone.has(sought)) return undefined;
  for (let at = notation.indexOf(sought, from); at >= 0; at = notation.indexOf(sought, at)) {
    const start = at + before.length;
    const length = runAt(notation, start, "`");
    if (length === size) return start;
    at = start + length;
  }
  lone.add(sought);
  return undefined;
}

function built(tokens: Token[]): MarkedText {
  let text = "";
  const marks: Mark[] = [];
  const starts = new Map<number, number>();
  for (const [place, { written, begins, ends, code }] of tokens.entries()) {
    const offset = text.length;
    if (begins) starts.set(place, offset);
    else if (ends !== undefined) {
      const start = starts.get(ends) ?? offset;
      const of = tokens[ends]?.begins;
      if (of) marks.push({ ...of, offset: start, length: offset - start });
    } else if (code) {
      const { content, ...kind } = code;
      marks.push({ ...kind, offset, length: content.length });
      text += content;
    } else text += written;
  }
  return { text, marks: marks.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}
