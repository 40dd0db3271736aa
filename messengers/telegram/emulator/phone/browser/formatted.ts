import { el, webAddress } from "gangway-messenger/kit/emulator/browser/dom";
import type { Mark } from "../../phone-wire.ts";

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
  custom_emoji: "span",
};

const endOf = ({ offset, length }: Mark) => offset + length;

/** Renders text and marks as nested nodes, never HTML. */
export function formatted(text: string, marks: Mark[]): Node[] {
  const ordered = [...marks].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return between(text, ordered, 0, text.length);
}

function between(text: string, marks: Mark[], from: number, to: number): Node[] {
  const nodes: Node[] = [];
  let at = from;
  let left = marks;
  while (left.length > 0) {
    const [mark, ...rest] = left as [Mark, ...Mark[]];
    const end = Math.min(endOf(mark), to);
    left = rest.filter((each) => each.offset >= end);
    if (mark.offset < at) continue;
    nodes.push(document.createTextNode(text.slice(at, mark.offset)));
    const inner = rest.filter((each) => each.offset < end);
    nodes.push(marked(between(text, inner, mark.offset, end), text.slice(mark.offset, end), mark));
    at = end;
  }
  nodes.push(document.createTextNode(text.slice(at, to)));
  return nodes;
}

function marked(nodes: Node[], words: string, { type, url, language }: Mark): Node {
  const address = type === "text_link" ? webAddress(url) : type === "url" ? webAddress(words) : undefined;
  if (address) return el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...nodes);
  const tag = TAGS[type];
  if (tag) return el(tag, { class: type === "spoiler" && "spoiler", title: language }, ...nodes);
  const plain = document.createDocumentFragment();
  plain.append(...nodes);
  return plain;
}
