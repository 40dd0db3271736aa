import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { fenceAt } from "./fences.ts";
import { linkEntity } from "./linked.ts";
import { linkedEmoji, linkedTime } from "./links.ts";
import { bytesBefore, type Marked } from "./marked.ts";

type Kind =
  | "Bold"
  | "Italic"
  | "Underline"
  | "Strikethrough"
  | "Spoiler"
  | "Code"
  | "Pre"
  | "PreCode"
  | "TextUrl"
  | "CustomEmoji"
  | "BlockQuote";
interface Open {
  kind: Kind;
  language: string;
  /** Offset in the source; `from` is the offset in the text. */
  begin: number;
  from: number;
}
interface Scan extends Marked {
  readonly source: string;
  at: number;
  open: Open[];
  isQuoting: boolean;
  /** Only line breaks precede on this line. */
  isLineStart: boolean;
}

const RESERVED = new Set("_*[]()~`>#+-=|{}.!\n");
const CLOSING: Record<Kind, string> = {
  Bold: "*",
  Italic: "_",
  Underline: "__",
  Strikethrough: "~",
  Spoiler: "||",
  Code: "`",
  Pre: "```",
  PreCode: "```",
  TextUrl: "]",
  CustomEmoji: "]",
  BlockQuote: "",
};
const TYPES: Partial<Record<Kind, string>> = {
  Bold: "bold",
  Italic: "italic",
  Underline: "underline",
  Strikethrough: "strikethrough",
  Spoiler: "spoiler",
  Code: "code",
  Pre: "pre",
  PreCode: "pre",
};

/** https://core.telegram.org/bots/api#markdownv2-style, with the errors of Telegram's own parser. */
export function parseMarkdownV2(source: string): Marked {
  const scan: Scan = { source, at: 0, text: "", entities: [], open: [], isQuoting: false, isLineStart: true };
  while (scan.at < source.length) step(scan);
  endOfText(scan);
  return { text: scan.text, entities: scan.entities };
}

const characterAt = ({ source, at }: Scan, ahead = 0): string => source.charAt(at + ahead);
/** Any ASCII character can be escaped. */
const isEscape = (source: string, at: number): boolean =>
  source.charAt(at) === "\\" && source.charCodeAt(at + 1) > 0 && source.charCodeAt(at + 1) < 127;

function step(scan: Scan): void {
  const character = characterAt(scan);
  const inCode = ["Code", "Pre", "PreCode"].includes(scan.open.at(-1)?.kind ?? "");
  if (isEscape(scan.source, scan.at)) {
    take(scan, characterAt(scan, 1), 2);
    return;
  }
  if (inCode ? character !== "`" : !RESERVED.has(character)) take(scan, character, 1);
  else if (isEnd(scan, character)) close(scan, character);
  else open(scan, character);
}

/** Copies a character. */
function take(scan: Scan, character: string, length: number): void {
  scan.text += character;
  scan.at += length;
  if (character !== "\r") scan.isLineStart = character === "\n" && length === 2;
}

function isEnd(scan: Scan, character: string): boolean {
  const last = scan.open.at(-1);
  if (!last) return false;
  if (scan.isQuoting && character === "\n" && characterAt(scan, 1) !== ">") return true;
  const closing = CLOSING[last.kind];
  if (last.kind === "Italic" && characterAt(scan, 1) === "_") return false;
  return closing !== "" && scan.source.startsWith(closing, scan.at);
}

function reserved(character: string): Malformed {
  return new Malformed(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
}
const unended = (scan: Scan, { kind, begin }: Open): Malformed =>
  new Malformed(`Can't find end of ${kind} entity at byte offset ${bytesBefore(scan.source, begin)}`);

const SINGLE: Record<string, Kind> = { "*": "Bold", "~": "Strikethrough", "[": "TextUrl" };

function open(scan: Scan, character: string): void {
  const begin = scan.at;
  const push = (kind: Kind, length: number, language = "") => {
    scan.at += length;
    scan.open.push({ kind, language, begin, from: scan.text.length });
  };
  const next = characterAt(scan, 1);
  const single = SINGLE[character];
  if (single) push(single, 1);
  else if (character === "_") push(next === "_" ? "Underline" : "Italic", next === "_" ? 2 : 1);
  else if (character === "|" && next === "|") push("Spoiler", 2);
  else if (character === "!" && next === "[") push("CustomEmoji", 2);
  else if (character === "`") openCode(scan, push);
  else if (character === "\n") {
    scan.text += character;
    scan.at += 1;
    scan.isLineStart = true;
  } else if (character === ">" && scan.isLineStart) {
    if (scan.isQuoting) scan.at += 1;
    else push("BlockQuote", 1);
    scan.isQuoting = true;
  } else throw reserved(character);
}

function openCode(scan: Scan, push: (kind: Kind, length: number, language?: string) => void): void {
  if (!scan.source.startsWith("```", scan.at)) {
    push("Code", 1);
    return;
  }
  const { language, end } = fenceAt(scan.source, scan.at + 3);
  push(language ? "PreCode" : "Pre", end - scan.at, language);
}

function close(scan: Scan, character: string): void {
  const last = scan.open.pop();
  if (!last) return;
  if (character === "\n") closeQuote(scan, last);
  else closeMark(scan, last);
}

function closeMark(scan: Scan, last: Open): void {
  const span = { offset: last.from, length: scan.text.length - last.from };
  scan.at += CLOSING[last.kind].length;
  const entity = entityOf(scan, last, span);
  if (entity && span.length > 0) scan.entities.push(entity);
}

function entityOf(scan: Scan, { kind, language, from }: Open, span: Pick<Entity, "offset" | "length">) {
  if (kind === "TextUrl") {
    const address = characterAt(scan) === "(" ? readAddress(scan) : scan.text.slice(from);
    return linkEntity(address, span);
  }
  if (kind === "CustomEmoji") return emojiOf(scan, span);
  return { type: TYPES[kind] ?? "", ...span, ...(language && { language }) };
}

function readAddress(scan: Scan): string {
  const { source } = scan;
  const from = scan.at + 1;
  let at = from;
  let address = "";
  while (at < source.length && source.charAt(at) !== ")") {
    const escaped = isEscape(source, at) ? 1 : 0;
    address += source.charAt(at + escaped);
    at += 1 + escaped;
  }
  if (at >= source.length) throw new Malformed(`Can't find end of a URL at byte offset ${bytesBefore(source, from)}`);
  scan.at = at + 1;
  return address;
}

function emojiOf(scan: Scan, span: Pick<Entity, "offset" | "length">): Entity {
  if (characterAt(scan) !== "(") throw new Malformed("The entity must contain a tg://emoji or tg://time URL");
  const address = readAddress(scan);
  const custom_emoji_id = linkedEmoji(address);
  if (custom_emoji_id) return { type: "custom_emoji", ...span, custom_emoji_id };
  const time = linkedTime(address);
  if (!time) throw new Malformed("Invalid tg://emoji or tg://time URL specified");
  return { type: "date_time", ...span, ...time };
}

/** A spoiler opened at the very end of a quotation makes it expandable. */
function isUnfolding(scan: Scan, { kind, begin }: Open, end: number): boolean {
  return kind === "Spoiler" && (begin === end - 2 || (begin === end - 3 && scan.source.charAt(end - 1) === "\r"));
}

function closeQuote(scan: Scan, last: Open): void {
  const unfolds = isUnfolding(scan, last, scan.at);
  const quote = unfolds ? scan.open.pop() : last;
  if (quote?.kind !== "BlockQuote") throw unended(scan, quote ?? last);
  scan.isQuoting = false;
  scan.text += "\n";
  scan.at += 1;
  scan.isLineStart = true;
  quoted(scan, quote, unfolds);
}

function quoted(scan: Scan, { from }: Open, unfolds: boolean): void {
  const span = { offset: from, length: scan.text.length - from };
  if (span.length > 0) scan.entities.push({ type: unfolds ? "expandable_blockquote" : "blockquote", ...span });
}

function endOfText(scan: Scan): void {
  const last = scan.open.at(-1);
  if (scan.isQuoting && last) {
    const unfolds = last.kind === "Spoiler" && last.begin === scan.source.length - 2;
    if (unfolds) scan.open.pop();
    if (scan.open.at(-1)?.kind === "BlockQuote") quoted(scan, scan.open.pop() as Open, unfolds);
  }
  const left = scan.open.at(-1);
  if (left) throw unended(scan, left);
}
