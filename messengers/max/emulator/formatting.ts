import type { Markup } from "./world.ts";

export interface Formatted {
  text: string;
  markup: Markup[];
}

/** Tags by what they mean (schema, Text formatting). All others are stripped. */
const TAGS: Record<string, string> = {
  i: "emphasized",
  em: "emphasized",
  b: "strong",
  strong: "strong",
  del: "strikethrough",
  s: "strikethrough",
  ins: "underline",
  u: "underline",
  a: "link",
  pre: "monospaced",
  code: "monospaced",
  mark: "highlighted",
  blockquote: "quote",
  h1: "heading",
};
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>|&(#\d+|#x[\da-f]+|[a-z]+);|[^<&]+|[<&]/gi;
const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

const decoded = (name: string): string => {
  if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? `&${name};`;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
};
const plain = (text: string) => text.replace(/&(#\d+|#x[\da-f]+|[a-z]+);/gi, (_, name: string) => decoded(name));

export function fromHtml(html: string): Formatted {
  const markup: Markup[] = [];
  const open: { tag: string; from: number; url?: string }[] = [];
  let text = "";
  for (const [whole, slash, name = "", attributes = "", entity] of html.matchAll(TOKEN)) {
    const tag = name.toLowerCase();
    if (entity) text += decoded(entity);
    else if (!name) text += whole;
    else if (!TAGS[tag]) continue;
    else if (slash) {
      const at = open.findLastIndex((each) => each.tag === tag);
      const [found] = at < 0 ? [] : open.splice(at, 1);
      if (found) add(markup, TAGS[tag], found.from, text.length, found.url);
    } else {
      const [, double, single] = HREF.exec(attributes) ?? [];
      open.push({ tag, from: text.length, ...(tag === "a" && { url: plain(double ?? single ?? "") }) });
    }
  }
  return { text, markup };
}

function add(markup: Markup[], type: string, from: number, to: number, url?: string): void {
  if (to <= from || (type === "link" && !url)) return;
  markup.push({ type, from, length: to - from, ...(url && { url }) });
}

/** Longest delimiters first. */
const DELIMITERS: [string, string][] = [
  ["```", "monospaced"],
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strikethrough"],
  ["++", "underline"],
  ["^^", "highlighted"],
  ["`", "monospaced"],
  ["*", "emphasized"],
  ["_", "emphasized"],
];

/** MAX's Markdown, as far as bots write it: pairs of delimiters and links. */
export function fromMarkdown(source: string): Formatted {
  const markup: Markup[] = [];
  let text = "";
  const read = (from: number, to: number): void => {
    let at = from;
    while (at < to) {
      const link = /^\[([^\]\n]*)\]\(([^)\s]+)\)/.exec(source.slice(at, to));
      if (link) {
        const start = text.length;
        read(at + 1, at + 1 + (link[1]?.length ?? 0));
        add(markup, "link", start, text.length, link[2]);
        at += link[0].length;
        continue;
      }
      const [mark, type] = DELIMITERS.find(([each]) => source.startsWith(each, at)) ?? [];
      const end = mark ? source.indexOf(mark, at + mark.length) : -1;
      if (mark && type && end > at + mark.length && end + mark.length <= to) {
        const start = text.length;
        if (type === "monospaced") text += source.slice(at + mark.length, end);
        else read(at + mark.length, end);
        add(markup, type, start, text.length);
        at = end + mark.length;
        continue;
      }
      text += source[at] ?? "";
      at += 1;
    }
  };
  read(0, source.length);
  return { text, markup };
}
