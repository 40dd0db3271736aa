import { describe, expect, it } from "vitest";
import { plainText } from "../../../src/channels/telegram/formatting.ts";
import { fc } from "../../support/property.ts";

const quote = (offset: number, length: number) => ({ type: "blockquote", offset, length, url: undefined });
const link = (offset: number, length: number, url: string) => ({ type: "text_link", offset, length, url });
const marksIn = (text: string) => text.split("> ").length - 1;
const BOMB = 100 * 1024;

describe("what plain text shows of formatting", () => {
  it("marks each quoted line once, however quotes lie within and beside each other", () => {
    expect(plainText("a\nb\nc\nd", [quote(0, 5), quote(2, 3), quote(0, 3)])).toBe("> a\n> b\n> c\nd");
    expect(plainText("a\nb\nc\nd", [quote(4, 3), quote(0, 4)])).toBe("> a\n> b\n> c\n> d");
    expect(plainText("a\nb\nc", [quote(0, 2), quote(0, 5)])).toBe("> a\n> b\n> c");
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

  it("looks at some hundreds of stretches, and grows by some thousand marks, whatever a text of a bomb has", () => {
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

  it("reads a text once, and no label that is too long to be an address", () => {
    const nested = Array.from({ length: 300 }, (_, n) => quote(n, BOMB - 2 * n));
    const links = Array.from({ length: 300 }, (_, n) => link(0, BOMB, `https://shop.example/${n}`));
    const text = counted("a\n".repeat(BOMB / 2));
    plainText(text.counted, nested);
    expect(text.steps()).toBeLessThan(10 * 300 + 4_096);
    const label = counted("/".repeat(BOMB));
    plainText(label.counted, links);
    expect(label.read()).toBeLessThanOrEqual(2 * BOMB);
  });
});

/** A text that counts how often it is searched and how much of it is cut out. */
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
