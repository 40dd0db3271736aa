import type { MarkedText } from "../domain/channel/card.ts";
import type { Content, Mark, OutboundAct } from "../domain/message/message.ts";
import { toMarkdown } from "../domain/text/markdown.ts";
import { fromMarkdown } from "../domain/text/markdown-reading.ts";
import { type Markup, marksOf, plainText, type Writing } from "../domain/text/markup.ts";
import { readable } from "../domain/text/readable.ts";

/** Renders marked text for the gateway. If the markup makes it too long, drops the last marks. */
function render({ text, marks }: MarkedText, markup: Markup, max: number): string {
  const write = markup === "markdown" ? toMarkdown : readable;
  for (let kept = marks.length; kept > 0; kept >>= 1) {
    const rendered = write({ text, marks: marks.slice(0, kept) });
    if (rendered.length <= max) return rendered;
  }
  return write(plainText(text));
}

/** Renders the text of an edit or a note for the gateway. */
export const renderText = <Marked extends { text: string; marks?: Mark[] }>(
  marked: Marked,
  { markup, text }: Writing,
): Marked => ({
  ...marked,
  text: render({ text: marked.text, marks: marked.marks ?? [] }, markup, text),
  marks: undefined,
});

/** Renders a customer's content for the gateway. File captions are always plain. */
export function renderContent(content: Content, writing: Writing): Content {
  const { marks = [] } = content;
  if (!("files" in content)) return renderText({ ...content, text: content.text ?? "" }, writing);
  const note = content.note && render({ text: content.note, marks }, writing.markup, writing.note);
  return { ...content, note, marks: undefined };
}

export const readAct = (act: OutboundAct, markupOf: () => Markup): OutboundAct =>
  "content" in act ? { ...act, content: readContent(act.content, markupOf()) } : act;

/** Parses the markup of an agent's content into marks. */
export function readContent(content: Content, markup: Markup): Content {
  if (markup === "none") return content;
  if ("files" in content) {
    const { text, ...read } = readText(content.note);
    return { ...content, ...read, note: text };
  }
  return { ...content, ...readText(content.text) } as Content;
}

function readText(text: string | undefined): { text?: string; marks?: Mark[] } {
  if (!text) return { text };
  const read = fromMarkdown(text);
  return { text: read.text, ...marksOf(read) };
}
