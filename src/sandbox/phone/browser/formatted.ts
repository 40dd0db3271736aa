import { el, webAddress } from "../../browser/dom.ts";
import type { Mark } from "../../telegram/phone-wire.ts";

const TAGS: Record<string, "b" | "i" | "u" | "s" | "code" | "pre" | "blockquote" | "span"> = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote",
  spoiler: "span",
};

/** A text with its marks as nodes; where marks overlap the later one begins anew. Never markup. */
export function formatted(text: string, marks: Mark[]): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const mark of [...marks].sort((a, b) => a.offset - b.offset)) {
    if (mark.offset < from) continue;
    nodes.push(document.createTextNode(text.slice(from, mark.offset)));
    nodes.push(marked(text.slice(mark.offset, mark.offset + mark.length), mark));
    from = mark.offset + mark.length;
  }
  nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

function marked(words: string, { type, url }: Mark): Node {
  const address = type === "text_link" ? webAddress(url) : type === "url" ? webAddress(words) : undefined;
  if (address) return el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, words);
  const tag = TAGS[type];
  return tag ? el(tag, { class: type === "spoiler" && "spoiler" }, words) : document.createTextNode(words);
}
