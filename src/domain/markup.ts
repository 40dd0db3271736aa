import type { MarkedText } from "./card.ts";
import type { Mark } from "./message.ts";

/** The notation of formatting inside texts at the gateway; `none`: texts are plain. */
export const MARKUPS = ["none", "markdown"] as const;
export type Markup = (typeof MARKUPS)[number];

/** How texts are written at the gateway, and the most UTF-16 units of a text and of a note there. */
export interface Writing {
  markup: Markup;
  text: number;
  note: number;
}

/** What a notation can say. */
export const FORMATS: Mark["type"][] = ["bold", "italic", "underline", "strikethrough", "code", "pre", "link"];

/** Longest address of a link, UTF-16 units. */
const ADDRESS_LENGTH = 2_048;
const SCHEMES = /^(https?|mailto|tel|tg):/i;

/** Whether a link may lead there. */
export const isAddress = (url: string | undefined): url is string =>
  url !== undefined && url.length <= ADDRESS_LENGTH && SCHEMES.test(url) && URL.canParse(url);

/** Texts one after another with `separator` between them; empty ones are left out. */
export function joinedTexts(parts: MarkedText[], separator: string): MarkedText {
  const joined: MarkedText = { text: "", marks: [] };
  for (const { text, marks } of parts) {
    if (!text) continue;
    if (joined.text) joined.text += separator;
    joined.marks.push(...moved(marks, joined.text.length));
    joined.text += text;
  }
  return joined;
}

/** The same after so many UTF-16 units more. */
export const moved = (marks: Mark[], by: number): Mark[] =>
  marks.map((mark) => ({ ...mark, offset: mark.offset + by }));

export const unmarked = (text: string | undefined): MarkedText => ({ text: text ?? "", marks: [] });

/** The property that a text without formatting does not have. */
export const marksOf = ({ marks }: MarkedText): { marks?: Mark[] } => (marks.length > 0 ? { marks } : {});

/** A stretch inside the text that begins and ends between whole characters; undefined when nothing is left of it. */
export function stretchOf(text: string, { offset, length }: Pick<Mark, "offset" | "length">) {
  const [start, end] = [boundary(text, offset), boundary(text, offset + length)];
  return end > start ? { start, end } : undefined;
}

function boundary(text: string, at: number): number {
  const within = Math.min(Math.max(0, Math.trunc(at)), text.length);
  const code = text.charCodeAt(within);
  return code >= 0xdc00 && code <= 0xdfff ? within + 1 : within;
}
