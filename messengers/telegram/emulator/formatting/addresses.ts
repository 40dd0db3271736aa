import type { Entity } from "../wire.ts";
import { isTopLevelDomain } from "./domains.ts";

// Character sets and scan order: TDLib's td/telegram/MessageEntity.cpp.
const FOREIGN = "\\u2000-\\u200b\\u200e\\u200f\\u2016-\\u206f\\p{Z}";
const DOMAIN = new RegExp(`[A-Za-z0-9_.~-]|[^\\0-\\u00bf${FOREIGN}]`, "u");
const PATH = new RegExp(`[^\\n<>"«»${FOREIGN}]*`, "uy");
const LOGIN = new RegExp(`[^\\n/[\\]{}()'\`<>"@«»${FOREIGN}]`, "u");
const PROTOCOL = /[A-Za-z0-9+-]|[^\0-\u007f\p{Z}]/u;
const OWN = new RegExp(`(?:tg|ton|tonsite)://[A-Za-z0-9_-]{1,253}(?:[/?#][^\\n<>"«»${FOREIGN}]*)?`, "giu");
const EMAIL =
  /^(?:[a-z0-9_-]{0,26}[.+]){0,10}[a-z0-9_-]{1,35}@(?:[a-z0-9](?:[a-z0-9_-]{0,28}[a-z0-9])?\.){1,6}[a-z]{2,8}$/i;
// Longer candidates skip the regular expression.
const MAX_EMAIL = 600;

/** URLs and e-mail addresses, in order. */
export function addresses(text: string): Entity[] {
  const own = [...text.matchAll(OWN)].map((match) => {
    const length = trimmed(match[0]).length;
    return { type: "url", offset: match.index, length };
  });
  return [...own, ...candidates(text).flatMap(([from, to]) => entityOf(text, from, to) ?? [])];
}

function entityOf(text: string, from: number, to: number): Entity | undefined {
  const words = text.slice(from, to);
  const mailto = words.startsWith("mailto:") ? "mailto:".length : 0;
  if (isEmail(words.slice(mailto))) return { type: "email", offset: from + mailto, length: words.length - mailto };
  const length = lengthOfUrl(words);
  return length === 0 ? undefined : { type: "url", offset: from, length };
}

const isEmail = (words: string): boolean => words.length <= MAX_EMAIL && EMAIL.test(words);
const trimmed = (words: string): string => words.replace(/(?<![.:;,('?!`])[.:;,('?!`]+$/, "");

/** Candidate ranges: text around each dot, with possible login, protocol, port and path. */
function candidates(text: string): [from: number, to: number][] {
  const found: [number, number][] = [];
  let floor = 0;
  for (let dot = text.indexOf("."); dot >= 0 && dot + 1 < text.length; dot = text.indexOf(".", floor)) {
    if (text.charAt(dot + 1) === " ") {
      floor = dot + 2;
      continue;
    }
    const made = candidateAt(text, floor, dot);
    if (made.isGood && made.to > dot + 1) found.push([made.from, made.to]);
    floor = made.isGood ? made.to : text.lastIndexOf(".", made.to - 1) + 1;
    while (made.isGood && text.charAt(floor) === ".") floor += 1;
    floor = Math.max(floor, dot + 1);
  }
  return found;
}

const back = (text: string, floor: number, from: number, pattern: RegExp): number => {
  let at = from;
  while (at > floor && pattern.test(text.charAt(at - 1))) at -= 1;
  return at;
};

function candidateAt(text: string, floor: number, dot: number): { from: number; to: number; isGood: boolean } {
  let from = back(text, floor, dot, DOMAIN);
  let to = dot;
  let hasLogin = false;
  for (; to < text.length; to += 1) {
    if (text.charAt(to) === "@") hasLogin = true;
    else if (!DOMAIN.test(text.charAt(to))) break;
  }
  if (hasLogin) from = back(text, floor, from, LOGIN);
  to = endOfAddress(text, dot, to);
  let isGood = true;
  if (from > floor && text.charAt(from - 1) === "@") {
    const login = back(text, floor, from - 1, LOGIN);
    isGood = !hasLogin && login < from - 1;
    from = login;
  }
  const start = startOfAddress(text, floor, from);
  return { from: start ?? from, to, isGood: isGood && start !== undefined };
}

/** Includes port and path, excludes trailing dots. */
function endOfAddress(text: string, dot: number, domainEnd: number): number {
  const port = /:0*([1-9]\d{0,4})(?!\d)/y;
  port.lastIndex = domainEnd;
  const found = port.exec(text);
  let end = domainEnd + (found && Number(found[1]) <= 65_535 ? found[0].length : 0);
  const sign = text.charAt(end);
  if (sign === "/" || sign === "?" || sign === "#") {
    PATH.lastIndex = end + 1;
    const path = trimmed(PATH.exec(text)?.[0] ?? "");
    if (sign === "/" || path !== "") end += 1 + path.length;
  }
  while (end > dot + 1 && text.charAt(end - 1) === ".") end -= 1;
  return end;
}

/** Includes the protocol; undefined if the preceding text rules out a URL. */
function startOfAddress(text: string, floor: number, from: number): number | undefined {
  if (from === floor) return from;
  const isAfterProtocol = from - floor >= 6 && text.startsWith("://", from - 3);
  if (!isAfterProtocol) return /[\p{L}\p{N}_/#@]/u.test(text.charAt(from - 1)) ? undefined : from;
  const name = text.slice(back(text, floor, from - 3, PROTOCOL), from - 3).toLowerCase();
  if (name.endsWith("http") && name !== "shttp") return from - "http://".length;
  if (name.endsWith("https")) return from - "https://".length;
  return name.endsWith("ftp") && name !== "tftp" && name !== "sftp" ? from - "ftp://".length : undefined;
}

/** Length of the URL; 0 if it is none. */
function lengthOfUrl(words: string): number {
  const protocol = /^(?:https?|ftp):\/\//i.exec(words)?.[0] ?? "";
  const rest = words.slice(protocol.length);
  const cut = rest.search(/[/?#]/);
  const authority = cut < 0 ? rest : rest.slice(0, cut);
  const path = cut < 0 ? "" : rest.slice(cut);
  const domain = authority.slice(authority.indexOf("@") + 1).replace(/:[^:]*$/, "");
  if (!isDomain(domain, protocol !== "")) return 0;
  return protocol.length + authority.length + trimmed(balanced(path)).length;
}

const OPENING: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Cuts before the first unmatched closing bracket. */
function balanced(path: string): string {
  const open = new Map<string, number>();
  for (const [at, character] of [...path].entries()) {
    const opening = OPENING[character] ?? character;
    const change = opening === character ? 1 : -1;
    open.set(opening, (open.get(opening) ?? 0) + change);
    if (change < 0 && (open.get(opening) ?? 0) < 0) return [...path].slice(0, at).join("");
  }
  return path;
}

function isDomain(domain: string, hasProtocol: boolean): boolean {
  const parts = domain.split(".");
  if (parts.length === 1 || parts.some((part) => part === "" || part.length >= 64 || part.endsWith("-"))) return false;
  if (parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return true;
  if (/^[\d.]*$/.test(domain)) return false;
  const top = parts.at(-1) ?? "";
  if ([...top].length <= 1 || /[_-]/.test(top.replace(/^xn--(?=[A-Za-z0-9]{2})/, ""))) return false;
  if (!top.startsWith("xn--") && !hasProtocol && !isTopLevelDomain(top)) return false;
  return !(parts.at(-2) ?? "").includes("_") && domain.toLowerCase() !== "teiegram.org";
}
