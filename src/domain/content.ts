import type { MarkedText } from "./card.ts";
import { moved } from "./markup.ts";
import type { Content } from "./message.ts";

/** The words of a content: its text, or the note of its files. */
export const wordsIn = (content: Content): MarkedText => ({
  text: ("files" in content ? content.note : content.text) ?? "",
  marks: content.marks ?? [],
});

/** The same with words before it. */
export function prefixed(content: Content, words: string): Content {
  const marks = content.marks && moved(content.marks, words.length);
  if (content.type === "text") return { ...content, text: words + content.text, marks };
  if ("files" in content) return { ...content, note: (words + (content.note ?? "")).trimEnd(), marks };
  return content;
}
