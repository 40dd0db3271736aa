import type { Mark } from "gangway-messenger/message";
import { readable } from "gangway-messenger/text";
import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/property.ts";

const mark = (type: Mark["type"], offset: number, length: number, url?: string): Mark => ({
  type,
  offset,
  length,
  url,
});
const struck = (offset: number, length: number) => mark("strikethrough", offset, length);
const SHOP = "https://shop.example/a";

describe("formatting as plain text", () => {
  it("puts one sign around struck-through text, even if its ranges touch", () => {
    expect(readable({ text: "5 6", marks: [struck(0, 1)] })).toBe("~5~ 6");
    expect(readable({ text: "5 000 € 4 000 €", marks: [struck(2, 5), struck(0, 2), struck(1, 3)] })).toBe(
      "~5 000 €~ 4 000 €",
    );
  });

  it("puts a URL after its label, unless the label shows it", () => {
    expect(readable({ text: "see here!", marks: [mark("link", 4, 4, SHOP)] })).toBe(`see here (${SHOP})!`);
    expect(readable({ text: "shop.example/a", marks: [mark("link", 0, 14, `${SHOP}/`)] })).toBe("shop.example/a");
    expect(readable({ text: "a@b.example", marks: [mark("link", 0, 11, "mailto:a@b.example")] })).toBe("a@b.example");
    expect(readable({ text: "old new", marks: [struck(0, 3), mark("link", 0, 3, SHOP), struck(4, 3)] })).toBe(
      `~old~ (${SHOP}) ~new~`,
    );
  });

  it("keeps lines of code, and drops purely visual formats", () => {
    const marks = (["bold", "italic", "underline", "code", "pre"] as const).map((type) => mark(type, 0, 9));
    expect(readable({ text: "if (a)\n  b", marks })).toBe("if (a)\n  b");
  });

  it("keeps every character, whatever the marks", () => {
    const texts = fc.array(fc.constantFrom("a", "\n", "🧵", " "), { maxLength: 40 }).map((signs) => signs.join(""));
    const places = fc.array(fc.tuple(fc.integer({ min: -5, max: 70 }), fc.integer({ min: -5, max: 70 }), fc.boolean()));
    fc.assert(
      fc.property(texts, places, (text, given) => {
        const marks = given.map(([at, length, link]) => (link ? mark("link", at, length, SHOP) : struck(at, length)));
        expect(readable({ text, marks }).replaceAll(` (${SHOP})`, "").replaceAll("~", "")).toBe(text);
      }),
    );
  });

  it("does not compare an overlong label with its URL", () => {
    const text = "/".repeat(100_000);
    const marks = Array.from({ length: 300 }, () => mark("link", 0, text.length, SHOP));
    expect(readable({ text, marks })).toHaveLength(text.length + 300 * ` (${SHOP})`.length);
  });
});
