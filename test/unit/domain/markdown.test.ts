import type { Mark, MarkedText } from "gangway-messenger/message";
import { rangeOf } from "gangway-messenger/text";
import { describe, expect, it } from "vitest";
import { fromMarkdown, toMarkdown } from "../../../src/domain/markdown.ts";
import { fc, tries } from "../../support/property.ts";

const URL = "https://shop.example/a_b?x=1";
const mark = (type: Mark["type"], offset: number, length: number, more: Partial<Mark> = {}): Mark => {
  return { type, offset, length, ...(type === "link" && { url: URL }), ...more };
};
const LINE = [
  "a",
  "b",
  "7",
  " ",
  " ",
  "🧵",
  "*",
  "_",
  "~",
  "\\",
  "[",
  "]",
  "(",
  ")",
  "!",
  "ж",
  "\r",
  "https://a_b.example/~c",
];
const texts = (signs: string[]) =>
  fc.array(fc.constantFrom(...signs), { maxLength: 24 }).map((chosen) => chosen.join(""));
const marks = (...types: Mark["type"][]) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...types), fc.integer({ min: -2, max: 30 }), fc.integer({ min: -1, max: 14 }), fc.nat(1))
      .map(([type, offset, length, n]) => mark(type, offset, length, type === "link" ? { url: `${URL}&n=${n}` } : {})),
    { maxLength: 7 },
  );
const STYLES = ["bold", "italic", "underline", "strikethrough"] as const;
const ALL = [...STYLES, "code", "pre", "link"] as const;

/** The formats of each visible unit. */
const shown = ({ text, marks: given }: MarkedText) =>
  [...text].map((letter, n, all) => {
    if (/\s/.test(letter)) return letter;
    const at = all.slice(0, n).join("").length;
    const on = given.filter(({ offset, length }) => offset <= at && offset + length > at);
    const link = on.filter(({ type }) => type === "link").sort((a, b) => a.offset - b.offset)[0];
    const types = new Set(on.map(({ type }) => type));
    return `${letter} ${[...types].sort().join(" ")} ${link?.url ?? ""}`;
  });

function isVisible(text: string, each: Mark): boolean {
  const stretch = rangeOf(text, each);
  return stretch !== undefined && text.slice(stretch.start, stretch.end).trim() !== "";
}

describe("formatting in Markdown", () => {
  it.each<[string, string, Mark[]]>([
    ["**bold**", "bold", [mark("bold", 0, 4)]],
    ["*it* _it_", "it it", [mark("italic", 0, 2), mark("italic", 3, 2)]],
    ["__u__ ~~5~~ 6", "u 5 6", [mark("underline", 0, 1), mark("strikethrough", 2, 1)]],
    ["`a*b` ``c`d``", "a*b c`d", [mark("code", 0, 3), mark("code", 4, 3)]],
    ["```js\nif (a)\n  b\n```", "if (a)\n  b", [mark("pre", 0, 10, { language: "js" })]],
    ["say ```x y```!", "say x y!", [mark("pre", 4, 3)]],
    [
      "[a **b**](https://a.example/x_(y))",
      "a b",
      [mark("link", 0, 3, { url: "https://a.example/x_(y)" }), mark("bold", 2, 1)],
    ],
    ["***both* one**", "both one", [mark("bold", 0, 8), mark("italic", 0, 4)]],
    ["un**bel**ievable", "unbelievable", [mark("bold", 2, 3)]],
  ])("%j is parsed", (notation, text, wanted) => {
    expect(fromMarkdown(notation)).toEqual({ text, marks: wanted });
  });

  it.each([
    "2 * 3 * 4",
    "**open",
    "a~~b",
    "snake_case_name and file__name",
    "[label](not an address)",
    "[label](javascript:alert(1))",
    "[](https://a.example)",
    "* one\n* two",
    "`open",
    "```\nopen",
    "card *****1234",
    "_________",
    "****",
    "~5~ ~~~~",
    "C:\\dir\\",
    "a ]( b",
    "one *line\nand* the next",
    "`` ``",
  ])("%j has no pairs and loses no character", (notation) => {
    expect(fromMarkdown(notation)).toEqual({ text: notation, marks: [] });
  });

  it("writes each format, and escapes its own delimiters in the text", () => {
    const text = "bold it un st code 2*3 a_b _c_ [d]";
    const given = [mark("bold", 0, 4), mark("italic", 5, 2), mark("underline", 8, 2), mark("strikethrough", 11, 2)];
    expect(toMarkdown({ text, marks: [...given, mark("code", 14, 4)] })).toBe(
      "**bold** *it* __un__ ~~st~~ `code` 2\\*3 a_b \\_c\\_ \\[d\\]",
    );
    const block = { text: "see\nx = 1\n```\nend", marks: [mark("pre", 4, 9, { language: "py" }), mark("link", 14, 3)] };
    expect(toMarkdown(block)).toBe(`see\n\`\`\`\`py\nx = 1\n\`\`\`\n\`\`\`\`\n[end](${URL})`);
  });

  it("writes a URL it cannot express after its label", () => {
    const link = (text: string, url: string) => toMarkdown({ text, marks: [mark("link", 0, text.length, { url })] });
    expect(link("page", "javascript:alert(1)")).toBe("page (javascript:alert(1))");
    expect(link(" ", "https://a.example")).toBe("  (https://a.example)");
    expect(link("page", "https://a.example/(1) 2")).toBe("[page](https://a.example/%281%29%202)");
  });

  it("takes no character of a text for a delimiter, whatever the text contains", () => {
    fc.assert(
      fc.property(texts([...LINE, "`", "\n", "```"]), (text) => {
        expect(fromMarkdown(toMarkdown({ text, marks: [] }))).toEqual({ text, marks: [] });
      }),
      tries(2_000),
    );
  });

  it("keeps every character, and the formats of every visible one, whether marks nest, overlap, touch, are empty or exceed the text", () => {
    const given = fc.tuple(texts([...LINE, "\n"]), marks(...STYLES, "link"));
    fc.assert(
      fc.property(given, ([text, some]) => {
        const before = { text, marks: some.filter((each) => each.type !== "link" || isVisible(text, each)) };
        const after = fromMarkdown(toMarkdown(before));
        expect(after.text).toBe(text);
        expect(shown(after)).toEqual(shown(before));
      }),
      tries(3_000),
    );
  });

  it("keeps every character of code and blocks, even with backticks", () => {
    fc.assert(
      fc.property(texts([...LINE, "\n", "`", "``", "```"]), marks("bold", "code", "pre"), (text, some) => {
        expect(fromMarkdown(toMarkdown({ text, marks: some })).text).toBe(text);
      }),
      tries(3_000),
    );
  });

  it("is stable: text read and written once stays the same when read and written again", () => {
    const notations = texts([...LINE, "**", "__", "~~", "`", "```", "\n", "[a](", `](${URL})`]);
    fc.assert(
      fc.property(notations, (notation) => {
        const once = fromMarkdown(notation);
        const again = toMarkdown(once);
        expect(fromMarkdown(again).text).toBe(once.text);
        expect(toMarkdown(fromMarkdown(again))).toBe(again);
      }),
      tries(3_000),
    );
  });

  it("takes a run of more than 16 backticks for text", () => {
    const [sixteen, more] = ["`".repeat(16), "`".repeat(17)];
    expect(fromMarkdown(`${sixteen}a${sixteen}`).text).toBe("a");
    expect(fromMarkdown(`${more}a${more}`)).toEqual({ text: `${more}a${more}`, marks: [] });
  });

  it("reads and writes huge hostile texts in less than quadratic time", () => {
    const bombs = ["**a", "a~~ ", "[", "](", "`", "[a](https://a.example)", "*a**", "``` ", "``\n"];
    for (const bomb of bombs) {
      const notation = bomb.repeat(65_535 / bomb.length);
      expect(fromMarkdown(toMarkdown(fromMarkdown(notation))).text).toBe(fromMarkdown(notation).text);
    }
    const nested = Array.from({ length: 300 }, (_, n) => mark(ALL[n % 5] ?? "bold", n, 60_000));
    expect(fromMarkdown(toMarkdown({ text: "a ".repeat(32_000), marks: nested })).text).toHaveLength(64_000);
  });
});
