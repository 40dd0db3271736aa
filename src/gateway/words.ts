import type { MarkedText } from "../domain/card.ts";
import { toMarkdown } from "../domain/markdown.ts";
import { fromMarkdown } from "../domain/markdown-reading.ts";
import { type Markup, marksOf, plainText, type Writing } from "../domain/markup.ts";
import type { Content, Mark, OutboundAct } from "../domain/message.ts";
import { readable } from "../domain/readable.ts";

/** A text as the gateway gets it. Where its formatting leaves too little room for the letters, the last marks go. */
function written({ text, marks }: MarkedText, markup: Markup, most: number): string {
  const write = markup === "markdown" ? toMarkdown : readable;
  for (let kept = marks.length; kept > 0; kept >>= 1) {
    const shown = write({ text, marks: marks.slice(0, kept) });
    if (shown.length <= most) return shown;
  }
  return write(plainText(text));
}

/** The text of an edit or a note as the gateway gets it. */
export const writtenText = <Said extends { text: string; marks?: Mark[] }>(
  said: Said,
  { markup, text }: Writing,
): Said => ({
  ...said,
  text: written({ text: said.text, marks: said.marks ?? [] }, markup, text),
  marks: undefined,
});

/** A customer's content with its words as the gateway gets them. Captions of files are plain in any notation. */
export function writtenContent(content: Content, writing: Writing): Content {
  const { marks = [] } = content;
  if (!("files" in content)) return writtenText({ ...content, text: content.text ?? "" }, writing);
  const note = content.note && written({ text: content.note, marks }, writing.markup, writing.note);
  return { ...content, note, marks: undefined };
}

export const readAct = (act: OutboundAct, markupOf: () => Markup): OutboundAct =>
  "content" in act ? { ...act, content: readContent(act.content, markupOf()) } : act;

/** What an agent wrote, with the formatting that its words say. */
export function readContent(content: Content, markup: Markup): Content {
  if (markup === "none") return content;
  if ("files" in content) {
    const { text, ...read } = readWords(content.note);
    return { ...content, ...read, note: text };
  }
  return { ...content, ...readWords(content.text) } as Content;
}

function readWords(words: string | undefined): { text?: string; marks?: Mark[] } {
  if (!words) return { text: words };
  const read = fromMarkdown(words);
  return { text: read.text, ...marksOf(read) };
}
