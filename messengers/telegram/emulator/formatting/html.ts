import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { closed, type OpenTag, TAGS } from "./html-tags.ts";
import { bytesBefore, isSpace, type Marked } from "./marked.ts";
import { referenceAt } from "./references.ts";

interface Scan {
  readonly source: string;
  at: number;
  text: string;
  open: OpenTag[];
  entities: Entity[];
  /** A numeric reference named a lone surrogate. */
  halves: boolean;
}

const wrong = (scan: Scan, reason: string, at: number): Malformed =>
  new Malformed(`${reason} at byte offset ${bytesBefore(scan.source, at)}`);
const isTokenCharacter = (source: string, at: number): boolean => /[A-Za-z0-9.-]/.test(source.charAt(at));

/** https://core.telegram.org/bots/api#html-style, with the errors of Telegram's own parser. */
export function parseHtml(source: string): Marked {
  if (source.includes("\0")) throw new Malformed("Text must not contain null bytes");
  const scan: Scan = { source, at: 0, text: "", open: [], entities: [], halves: false };
  while (scan.at < source.length) {
    const character = source.charAt(scan.at);
    if (character === "<") readTag(scan);
    else if (character !== "&" || !readReference(scan)) {
      scan.text += character;
      scan.at += 1;
    }
  }
  const left = scan.open.at(-1);
  if (left) throw new Malformed(`Can't find end tag corresponding to start tag "${left.name}"`);
  if (scan.halves)
    throw new Malformed(
      "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units",
    );
  return { text: scan.text, entities: scan.entities };
}

function readReference(scan: Scan): boolean {
  const found = referenceAt(scan.source, scan.at);
  if (!found) return false;
  scan.text += found.character;
  scan.at = found.end;
  scan.halves ||= found.isHalf;
  return true;
}

function readTag(scan: Scan): void {
  const begin = scan.at;
  const isEnd = scan.source.charAt(begin + 1) === "/";
  scan.at += isEnd ? 2 : 1;
  if (isEnd) readEnd(scan, begin);
  else scan.open.push(readStart(scan, begin));
  scan.at += 1;
}

/** Up to a space or `>`. */
function readName(scan: Scan): string {
  const from = scan.at;
  while (!isSpace(scan.source, scan.at) && scan.source.charAt(scan.at) !== ">") scan.at += 1;
  return scan.source.slice(from, scan.at).toLowerCase();
}

function skipSpaces({ source }: Scan, at: number): number {
  let next = at;
  while (next < source.length && isSpace(source, next)) next += 1;
  return next;
}

function readEnd(scan: Scan, begin: number): void {
  const tag = scan.open.at(-1);
  if (!tag) throw wrong(scan, "Unexpected end tag", begin);
  const name = readName(scan);
  scan.at = skipSpaces(scan, scan.at);
  if (scan.source.charAt(scan.at) !== ">") throw wrong(scan, "Unclosed end tag", begin);
  if (name !== "" && name !== tag.name) {
    const at = bytesBefore(scan.source, begin);
    throw new Malformed(`Unmatched end tag at byte offset ${at}, expected "</${tag.name}>", found "</${name}>"`);
  }
  scan.open.pop();
  closed(scan, tag);
}

function readStart(scan: Scan, begin: number): OpenTag {
  const name = readName(scan);
  if (scan.at >= scan.source.length) throw wrong(scan, "Unclosed start tag", begin);
  if (!Object.hasOwn(TAGS, name)) throw wrong(scan, `Unsupported start tag "${name}"`, begin);
  const attributes = new Map<string, string>();
  while (scan.source.charAt(scan.at) !== ">") {
    scan.at = skipSpaces(scan, scan.at);
    if (scan.source.charAt(scan.at) === ">") break;
    const [key, value] = readAttribute(scan, name, begin);
    attributes.set(key, value);
  }
  if (name === "span" && attributes.get("class") !== "tg-spoiler")
    throw wrong(scan, 'Tag "span" must have class "tg-spoiler"', begin);
  return { name, attributes, from: scan.text.length };
}

function readAttribute(scan: Scan, tag: string, begin: number): [key: string, value: string] {
  const { source } = scan;
  const from = scan.at;
  while (!isSpace(source, scan.at) && !/[=>/"']/.test(source.charAt(scan.at))) scan.at += 1;
  const key = source.slice(from, scan.at);
  if (key === "") throw wrong(scan, `Empty attribute name in the tag "${tag}"`, begin);
  scan.at = skipSpaces(scan, scan.at);
  const unclosed = () => wrong(scan, `Unclosed start tag "${tag}"`, begin);
  if (source.charAt(scan.at) !== "=") {
    if (scan.at >= source.length) throw unclosed();
    return [key, ""];
  }
  scan.at = skipSpaces(scan, scan.at + 1);
  if (scan.at >= source.length) throw unclosed();
  const value = /['"]/.test(source.charAt(scan.at)) ? readLiteral(scan) : readToken(scan);
  if (scan.at >= source.length) throw wrong(scan, "Unclosed start tag", begin);
  return [key, value];
}

function readToken(scan: Scan): string {
  const from = scan.at;
  while (isTokenCharacter(scan.source, scan.at)) scan.at += 1;
  if (!isSpace(scan.source, scan.at) && scan.source.charAt(scan.at) !== ">")
    throw wrong(scan, "Unexpected end of name token", from);
  return scan.source.slice(from, scan.at).toLowerCase();
}

function readLiteral(scan: Scan): string {
  const { source } = scan;
  const quotation = source.charAt(scan.at);
  scan.at += 1;
  let value = "";
  while (scan.at < source.length && source.charAt(scan.at) !== quotation) {
    const found = source.charAt(scan.at) === "&" ? referenceAt(source, scan.at) : undefined;
    value += found?.character ?? source.charAt(scan.at);
    scan.at = found?.end ?? scan.at + 1;
  }
  if (scan.at < source.length) scan.at += 1;
  return value;
}
