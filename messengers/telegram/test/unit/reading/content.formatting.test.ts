import { describe, expect, it } from "vitest";
import { fc } from "../../../../../test/support/property.ts";
import { markedText } from "../../../src/reading/content.ts";

const plainText = (...given: Parameters<typeof markedText>) => markedText(...given).text;
const mark = (type: string, offset: number, length: number, more = {}) => ({
  type,
  offset,
  length,
  url: undefined,
  language: undefined,
  ...more,
});
const quote = (offset: number, length: number) => mark("blockquote", offset, length);
const marksIn = (text: string) => text.split("> ").length - 1;
const BOMB = 100 * 1024;

describe("a text with Telegram's formatting", () => {
  it("marks each quoted line once, however quotes lie within and beside each other", () => {
    expect(plainText("a\nb\nc\nd", [quote(0, 5), quote(2, 3), quote(0, 3)])).toBe("> a\n> b\n> c\nd");
    expect(plainText("a\nb\nc\nd", [quote(4, 3), quote(0, 4)])).toBe("> a\n> b\n> c\n> d");
    expect(plainText("a\nb\nc", [quote(0, 2), quote(0, 5)])).toBe("> a\n> b\n> c");
  });

  it("keeps the formatting that the gateway knows, and of all else the text", () => {
    const url = "https://shop.example";
    const kept = ["bold", "italic", "underline", "strikethrough", "code"].map((type, n) => mark(type, n, 1));
    const others = ["spoiler", "custom_emoji", "date_time", "mention", "url", "constructor"].map((type) =>
      mark(type, 0, 3),
    );
    const entities = [...kept, ...others, mark("pre", 5, 1, { language: "js" }), mark("text_link", 6, 1, { url })];
    expect(markedText("biuscpl", [...entities, mark("text_mention", 0, 7), mark("text_link", 0, 7)])).toEqual({
      text: "biuscpl",
      marks: [...kept, mark("pre", 5, 1, { language: "js" }), mark("link", 6, 1, { url })],
    });
  });

  it("shifts marks by the quote signs before them", () => {
    const quoted = markedText("ab\ncd ef", [quote(0, 5), mark("bold", 0, 5), mark("italic", 3, 2), mark("code", 6, 2)]);
    const said = quoted.marks.map(({ type, offset, length }) => [type, quoted.text.slice(offset, offset + length)]);
    expect(quoted.text).toBe("> ab\n> cd ef");
    expect(said).toEqual([
      ["bold", "ab\n> cd"],
      ["italic", "cd"],
      ["code", "ef"],
    ]);
  });

  it("keeps every sign of the text, and adds no more than a mark a line", () => {
    const texts = fc.array(fc.constantFrom("a", "\n", "🧵", " "), { maxLength: 60 }).map((signs) => signs.join(""));
    const quotes = fc.array(fc.tuple(fc.integer({ min: -5, max: 70 }), fc.integer({ min: -5, max: 70 })));
    fc.assert(
      fc.property(texts, quotes, (text, stretches) => {
        const shown = plainText(
          text,
          stretches.map(([offset, length]) => quote(offset, length)),
        );
        expect(shown.replaceAll("> ", "")).toBe(text);
        expect(marksIn(shown)).toBeLessThanOrEqual(text.split("\n").length + stretches.length);
      }),
    );
  });

  it("reads some hundred entities, and adds some thousand quote signs at most, whatever a malicious text has", () => {
    let looked = 0;
    const entities = Array.from({ length: 5_000 }, (_, n) => ({
      ...quote(n, BOMB - 2 * n),
      get offset() {
        looked += 1;
        return n;
      },
    }));
    const shown = plainText("\n".repeat(BOMB), entities);
    expect(looked).toBeLessThanOrEqual(300);
    expect(shown.length).toBeLessThanOrEqual(BOMB + 2 * 4_500);
  });

  it("reads a text once", () => {
    const nested = Array.from({ length: 300 }, (_, n) => quote(n, BOMB - 2 * n));
    const text = counted("a\n".repeat(BOMB / 2));
    plainText(text.counted, nested);
    expect(text.steps()).toBeLessThan(10 * 300 + 4_096);
    expect(text.read()).toBeLessThanOrEqual(2 * BOMB);
  });
});

/** A text that counts how often it is searched and how much of it is sliced. */
function counted(text: string) {
  const made = { steps: 0, read: 0 };
  const searching = {
    length: text.length,
    charCodeAt: (at: number) => text.charCodeAt(at),
    indexOf: (sign: string, from: number) => {
      made.steps += 1;
      return text.indexOf(sign, from);
    },
    slice: (from: number, to = text.length) => {
      made.read += to - from;
      return text.slice(from, to);
    },
  };
  return { counted: searching as unknown as string, steps: () => made.steps, read: () => made.read };
}
