import type { Content } from "./message.ts";

/** The same with words before it. */
export function prefixed(content: Content, words: string): Content {
  if (content.type === "text") return { ...content, text: words + content.text };
  if ("files" in content) return { ...content, note: (words + (content.note ?? "")).trimEnd() };
  return content;
}
