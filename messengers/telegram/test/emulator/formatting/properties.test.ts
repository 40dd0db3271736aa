import { describe, expect, it } from "vitest";
import { cpuMeter } from "../../../../../test/support/cpu.ts";
import { fc, tries } from "../../../../../test/support/property.ts";
import { detectEntities } from "../../../emulator/formatting/detected-entities.ts";
import { parseHtml } from "../../../emulator/formatting/html.ts";
import { parseMarkdown } from "../../../emulator/formatting/markdown.ts";
import { parseMarkdownV2 } from "../../../emulator/formatting/markdown-v2.ts";
import { nested } from "../../../emulator/formatting/nesting.ts";
import { normalized } from "../../../emulator/formatting/normalized.ts";
import { readText } from "../../../emulator/formatting/reading.ts";
import { BotRefusal } from "../../../emulator/refusal.ts";

const signs = "*_~`|[]()>#+-=!.{}\\<&;/\"'@:$ \n\t\rabы🌊1".split("");
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.array(fc.constantFrom(...signs), { maxLength: 60 }).map((letters) => letters.join("")),
);
const RUNS = tries(500);

const forMarkdownV2 = (text: string) => text.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, "\\$&");
const forHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const forMarkdown = (text: string) => text.replace(/[_*`[]/g, "\\$&");

/** The result, or the message of a refusal. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(BotRefusal);
    return (error as Error).message;
  }
}

describe("a text with everything escaped", () => {
  it.each([
    ["MarkdownV2", forMarkdownV2],
    ["HTML", forHtml],
  ] as const)("comes back unchanged from %s, with only detected entities", (mode, escaped) => {
    fc.assert(
      fc.property(anyText, (text) => {
        // Texts with a zero byte are refused before parsing.
        fc.pre(!text.includes("\0"));
        expect(readText({ text: escaped(text), mode })).toEqual({ text, entities: [] });
        const plain = outcome(() => normalized(readText({ text })));
        expect(outcome(() => normalized(readText({ text: escaped(text), mode })))).toEqual(plain);
      }),
      RUNS,
    );
  });

  it("comes back from Markdown, too, unless a backslash precedes a mark", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!/\\[_*`[]/.test(text));
        expect(parseMarkdown(forMarkdown(text))).toEqual({ text, entities: [] });
      }),
      RUNS,
    );
  });
});

describe("any text at all", () => {
  it.each(["MarkdownV2", "Markdown", "HTML"])("is read as %s or refused in Telegram's words", (mode) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const made = outcome(() => normalized(readText({ text, mode })));
        if (typeof made === "string") expect(made).toMatch(/^Bad Request: \S/);
      }),
      RUNS,
    );
  });

  it("gets entities that lie within it and never cross", () => {
    const type = fc.constantFrom("bold", "italic", "spoiler", "code", "pre", "text_link", "blockquote");
    const mark = fc.record({ type, offset: fc.nat(40), length: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 12 }), (marks) => {
        const made = nested(marks);
        for (const one of made)
          for (const other of made) {
            const apart = one.offset + one.length <= other.offset || other.offset + other.length <= one.offset;
            const holds = (outer: typeof one, inner: typeof one) =>
              outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
            expect(apart || holds(one, other) || holds(other, one)).toBe(true);
          }
        expect(nested(made)).toEqual(made);
      }),
      RUNS,
    );
  });
});

const LENGTH = 60_000;
/** CPU time, usually below 60; quadratic work would need many seconds. */
const MAX_MS = 1_500;
const PUMPS = [
  ..."*_~`[](!|<>&#@/.:-+$\"'=\\\n a1ы",
  "a.",
  "a@",
  "@a.b",
  "<b>",
  "</b>",
  "&#",
  "[a](",
  "![a](",
  "http://a.b/",
  "+1 ",
  "#a",
  "/a@",
  "a:b@c.d/",
  "||",
  "__",
  "```",
  "**>",
  "<a href='",
  "e.com ",
];

function workOn(read: (text: string) => unknown, text: string): number {
  const cpu = cpuMeter();
  outcome(() => read(text));
  return cpu();
}

describe("a long text", () => {
  it.each<[string, (text: string) => unknown]>([
    ["MarkdownV2", parseMarkdownV2],
    ["Markdown", parseMarkdown],
    ["HTML", parseHtml],
    ["no mode", (text) => normalized({ text, entities: [] })],
    ["the search for links and the like", detectEntities],
  ])("never costs quadratic work: %s", (_, read) => {
    const texts = PUMPS.flatMap((pump) => ["", "x", "."].map((end) => pump.repeat(LENGTH / pump.length) + end));
    expect(texts.filter((text) => workOn(read, text) > MAX_MS).map((text) => text.slice(0, 12))).toEqual([]);
  });
});
