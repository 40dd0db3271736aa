import type { MarkedText } from "../channel/card.ts";
import { joinTexts, plainText, shifted } from "../text/markup.ts";
import type { AlbumWords, Content } from "./message.ts";

/** The text of a message, or the note of its files. */
export const wordsIn = (content: Content): MarkedText => ({
  text: ("files" in content ? content.note : content.text) ?? "",
  marks: content.marks ?? [],
});

export function prefixed(content: Content, words: string): Content {
  const marks = content.marks && shifted(content.marks, words.length);
  if (content.type === "text") return { ...content, text: words + content.text, marks };
  if ("files" in content) return { ...content, note: (words + (content.note ?? "")).trimEnd() || undefined, marks };
  return content;
}

/** The gateway has one text for all parts of a message. */
export function albumText({ head, captions, otherwise }: AlbumWords): MarkedText {
  const all = joinTexts(captions, "\n");
  return joinTexts([plainText(head), all.text ? all : otherwise], "");
}
