import type { MarkedText } from "../channel/card.ts";
import type { Mark } from "../message/message.ts";

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
