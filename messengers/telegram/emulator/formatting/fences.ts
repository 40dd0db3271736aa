import { isSpace } from "./marked.ts";

/** Reads the language after an opening code fence and skips one line break. */
export function fenceAt(source: string, at: number): { language: string; end: number } {
  let end = at;
  while (!isSpace(source, end) && source.charAt(end) !== "`") end += 1;
  const isLanguage = end > at && end < source.length && source.charAt(end) !== "`";
  const language = isLanguage ? source.slice(at, end) : "";
  const from = at + language.length;
  const [first, second] = [source.charAt(from), source.charAt(from + 1)];
  const breaks = isBreak(first) ? (isBreak(second) && second !== first ? 2 : 1) : 0;
  return { language, end: from + breaks };
}

const isBreak = (character: string): boolean => character === "\n" || character === "\r";
