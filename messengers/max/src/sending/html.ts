import type { Mark, MarkedText } from "gangway-messenger/message";
import { rangeOf } from "gangway-messenger/text";

/** MAX's tags (dev.max.ru, Text formatting). Monospaced words and blocks look the same. */
const TAGS: Record<Mark["type"], string> = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  link: "a",
};

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);

/** A text as MAX's HTML: each range with the same formatting has its own tags, so that they nest. */
export function htmlOf({ text, marks }: MarkedText): string {
  const ranges = marks.flatMap((mark) => {
    const range = rangeOf(text, mark);
    return range && (mark.type !== "link" || mark.url) ? [{ ...range, mark }] : [];
  });
  const cuts = [...new Set([0, text.length, ...ranges.flatMap(({ start, end }) => [start, end])])];
  cuts.sort((one, other) => one - other);
  return cuts
    .map((from, n) => {
      const to = cuts[n + 1] ?? from;
      const over = ranges.filter(({ start, end }) => start <= from && end >= to);
      return to > from ? wrapped(escaped(text.slice(from, to)), over) : "";
    })
    .join("");
}

const wrapped = (inner: string, over: { mark: Mark }[]): string =>
  over.reduceRight((within, { mark: { type, url } }) => {
    const tag = TAGS[type];
    return `<${tag}${type === "link" ? ` href="${escaped(url ?? "")}"` : ""}>${within}</${tag}>`;
  }, inner);
