import type { Mark } from "gangway-messenger/message";
import { expect, it } from "vitest";
import { fc } from "../../../../../test/support/property.ts";
import { fromHtml } from "../../../emulator/formatting.ts";
import { htmlOf } from "../../../src/sending/html.ts";

it.each<[string, Mark[], string]>([
  ["a < b & c", [], "a &lt; b &amp; c"],
  ["bold", [{ type: "bold", offset: 0, length: 4 }], "<b>bold</b>"],
  [
    "one two",
    [
      { type: "bold", offset: 0, length: 5 },
      { type: "italic", offset: 4, length: 3 },
    ],
    "<b>one </b><b><i>t</i></b><i>wo</i>",
  ],
  [
    "shop",
    [{ type: "link", offset: 0, length: 4, url: 'https://x.example/?a=1&b="' }],
    '<a href="https://x.example/?a=1&amp;b=&quot;">shop</a>',
  ],
  ["code", [{ type: "pre", offset: 0, length: 4, language: "js" }], "<pre>code</pre>"],
  ["👍", [{ type: "bold", offset: 1, length: 9 }], "👍"],
])("%s with %o becomes %s", (text, marks, html) => {
  expect(htmlOf({ text, marks })).toBe(html);
});

const TYPES = ["bold", "italic", "underline", "strikethrough", "code", "link"] as const;
const NAMES: Record<string, string> = {
  bold: "strong",
  italic: "emphasized",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "monospaced",
  link: "link",
};

it("whatever overlaps, MAX shows the same words, each with its own formatting", () => {
  const mark = fc.record({ type: fc.constantFrom(...TYPES), offset: fc.nat(30), length: fc.nat(20) });
  const words = fc.string({ unit: fc.constantFrom("a", "<", "&", '"', "b>", "é", " ", "\n", "&amp;"), maxLength: 20 });
  fc.assert(
    fc.property(words, fc.array(mark, { maxLength: 6 }), (text, given) => {
      const marks = given.map((each): Mark => ({ ...each, url: "https://x.example/?a&b" }));
      const shown = fromHtml(htmlOf({ text, marks }));
      expect(shown.text).toBe(text);
      for (let at = 0; at < text.length; at++) {
        const over = (all: { from: number; length: number; type: string }[]) =>
          [
            ...new Set(all.filter((each) => each.from <= at && at < each.from + each.length).map((each) => each.type)),
          ].sort();
        const wanted = marks.map(({ type, offset, length }) => ({ type: NAMES[type] ?? "", from: offset, length }));
        expect(over(shown.markup)).toEqual(over(wanted));
      }
    }),
  );
});
