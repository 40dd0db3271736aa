import { cutFileName, cutText, splitText } from "gangway-messenger/text";
import { describe, expect, it } from "vitest";
import { type Random, seeded } from "../../../test/support/random.ts";

const WORDS = [
  "rope",
  "a",
  "knot.",
  "🧵",
  "👨‍👩‍👧",
  "https://shop.example/rope?size=10",
  "שלום",
  "\n",
  "\n\n",
  "очень",
  "e\u0301",
];
const said = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick(WORDS)).join(random.chance(0.9) ? " " : "");
const LONE_SURROGATE = /\p{Cs}/u;
const bare = (text: string) => text.replace(/\s+/g, "");

describe("a text longer than a message", () => {
  it("is split into pieces within the limit, and loses only white space at the cuts", () => {
    const random = seeded(1);
    for (let n = 0; n < 3_000; n++) {
      const text = said(random, 1 + random.int(60));
      const max = 40 + random.int(100);
      const pieces = splitText({ text, marks: [] }, max, { first: 20 + random.int(20) });
      expect(pieces.length).toBeGreaterThan(0);
      for (const piece of pieces) expect(piece.text.length).toBeLessThanOrEqual(max);
      expect(bare(pieces.map((piece) => piece.text).join(" "))).toBe(bare(text));
    }
  });

  it("is never cut inside a grapheme, however it is joined, or inside a URL", () => {
    const random = seeded(2);
    for (let n = 0; n < 2_000; n++) {
      const text = said(random, 80);
      for (const { text: piece } of splitText({ text, marks: [] }, 60)) {
        expect(piece).not.toMatch(LONE_SURROGATE);
        expect(piece).not.toMatch(/^[\u200d\u0301]|\u200d$/);
      }
    }
    const address = "https://shop.example/rope?size=10";
    const text = Array.from({ length: 200 }, () => address).join(" ");
    for (const { text: piece } of splitText({ text, marks: [] }, 60))
      expect(piece.split(" ").every((each) => each === address)).toBe(true);
  });

  it("is cut between paragraphs rather than lines, lines rather than sentences, sentences rather than words", () => {
    const cut = (text: string) => splitText({ text, marks: [] }, 20).map((piece) => piece.text);
    expect(cut("one two three\n\nfour five six")).toEqual(["one two three", "four five six"]);
    expect(cut("one two three.\nfour five six")).toEqual(["one two three.", "four five six"]);
    expect(cut("one two three. Four five six")).toEqual(["one two three.", "Four five six"]);
    expect(cut("one two three four five six")).toEqual(["one two three four", "five six"]);
  });

  it("is measured in bytes where the messenger counts those, and still cut between graphemes", () => {
    const random = seeded(3);
    const family = "👨‍👩‍👧";
    for (let n = 0; n < 3_000; n++) {
      const text = said(random, 1 + random.int(80));
      const max = 60 + random.int(100);
      const pieces = splitText({ text, marks: [] }, max, { unit: "bytes" }).map((piece) => piece.text);
      for (const piece of pieces) {
        expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(max);
        expect(piece).not.toMatch(LONE_SURROGATE);
        expect(piece).not.toMatch(/^[\u200d\u0301]|\u200d$/);
      }
      expect(bare(pieces.join(" "))).toBe(bare(text));
    }
    expect(
      splitText({ text: family.repeat(100), marks: [] }, 1_000, { unit: "bytes" }).map((each) => each.text),
    ).toEqual([55, 45].map((count) => family.repeat(count)));
    expect(splitText({ text: "ж".repeat(501), marks: [] }, 1_000, { unit: "bytes" }).map((each) => each.text)).toEqual(
      [500, 1].map((count) => "ж".repeat(count)),
    );
  });

  it("keeps its marks in position", () => {
    const text = "one two three four five six seven";
    const marks = [
      { type: "bold" as const, offset: text.indexOf("five"), length: 8 },
      { type: "italic" as const, offset: 0, length: text.length },
    ];
    const pieces = splitText({ text, marks }, 12);
    const marked = pieces.flatMap((piece) =>
      piece.marks
        .filter(({ type }) => type === "bold")
        .map(({ offset, length }) => piece.text.slice(offset, offset + length)),
    );
    expect(marked.join(" ")).toBe("five six");
    for (const { text: piece, marks: own } of pieces)
      for (const { offset, length } of own) expect(offset + length).toBeLessThanOrEqual(piece.length);
  });

  it("may have a shorter first piece, and always has at least one piece", () => {
    const [first, second] = splitText({ text: "one two three four", marks: [] }, 100, { first: 8 });
    expect([first?.text, second?.text]).toEqual(["one two", "three four"]);
    expect(splitText({ text: "", marks: [] }, 10)).toEqual([{ text: "", marks: [] }]);
    expect(splitText({ text: " \n ".repeat(20), marks: [] }, 10)).toHaveLength(1);
  });

  it("is scanned in linear time, even if it is a hundred thousand dots or a single word", () => {
    for (const text of [".".repeat(1_000_000), "x".repeat(4_000_000), " .".repeat(50_000)])
      for (const max of [4_096, 600_000]) {
        const pieces = splitText({ text, marks: [] }, max);
        expect(bare(pieces.map((piece) => piece.text).join(""))).toBe(bare(text));
      }
  });

  it("is cut after the whole run of punctuation that ends a sentence", () => {
    const pieces = splitText({ text: "one two three?!... Four five six", marks: [] }, 24);
    expect(pieces.map((piece) => piece.text)).toEqual(["one two three?!...", "Four five six"]);
  });

  it("is cut even without a single space", () => {
    const text = "🧵".repeat(32_000);
    const pieces = splitText({ text, marks: [] }, 4_096);
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  });
});

describe("a text that is cut", () => {
  it.each([
    ["rope", 4, "rope"],
    ["rope", 3, "rop"],
    ["🧵🧵", 2, "🧵🧵"],
    ["🧵🧵🧵", 2, "🧵🧵"],
    ["очень", 2, "оч"],
    ["", 2, ""],
  ])("keeps its first characters, no halves: %s to %s", (text, max, kept) => {
    expect(cutText(text, max)).toBe(kept);
  });
});

describe("a cut text", () => {
  it("ends before a character that would be halved, whatever is counted", () => {
    expect(cutText("ab😀c", 3)).toBe("ab😀");
    expect(cutText("ab😀c", 3, "utf16")).toBe("ab");
    expect(cutText("ab😀c", 5, "bytes")).toBe("ab");
    expect(cutText("ab😀c", 6, "bytes")).toBe("ab😀");
    expect([cutText("ab", 2), cutText("ab", 2, "utf16"), cutText("é", 2, "bytes")]).toEqual(["ab", "ab", "é"]);
  });

  it("that names a file keeps its extension", () => {
    expect(cutFileName(`${"😀".repeat(300)}.pdf`, 240)).toBe(`${"😀".repeat(236)}.pdf`);
    expect(cutFileName("bill.pdf", 240)).toBe("bill.pdf");
    expect(cutFileName("x".repeat(300), 240)).toBe("x".repeat(240));
  });
});
