import type { Mark } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { fromMarkdown } from "../../../../../src/domain/markdown.ts";
import { FORMATS, formatted } from "../../../src/sending/formatting.ts";
import { staged } from "../stage.ts";

const ROBIN = "15550100042";
const mark = (type: Mark["type"], text: string, words: string, more: Partial<Mark> = {}): Mark => ({
  type,
  offset: text.indexOf(words),
  length: words.length,
  ...more,
});

describe("formatting on WhatsApp", () => {
  it.each([
    ["**bold** words", "*bold* words"],
    ["see *this* now", "see _this_ now"],
    ["~~old~~ new", "~old~ new"],
    ["say `x = 1` twice", "say `x = 1` twice"],
    ["**all *of* it**", "*all _of_ it*"],
    ["the [shop](https://shop.example/a) is open", "the shop (https://shop.example/a) is open"],
    ["[https://shop.example](https://shop.example)", "https://shop.example"],
  ])("%s is %s", (written, shown) => {
    expect(formatted(fromMarkdown(written))).toBe(shown);
  });

  it("stands at words and in one line: white space stays outside, and each line has signs of its own", () => {
    const text = "Look: three ropes \n and sails.";
    const marks = [mark("bold", text, " three ropes \n and sails")];
    expect(formatted({ text, marks })).toBe("Look: *three ropes* \n *and sails*.");
  });

  it.each<[string, string, Mark[]]>([
    ["half a word", "unbelievable", [mark("bold", "unbelievable", "believ")]],
    ["words with the sign itself", "2*3 is six", [mark("bold", "2*3 is six", "2*3 is six")]],
    ["underlined words", "read this", [mark("underline", "read this", "this")]],
    ["nothing", "read this", [{ type: "bold", offset: 4, length: 1 }]],
  ])("leaves %s plain", (_, text, marks) => {
    expect(formatted({ text, marks })).toBe(text);
  });

  it("has no signs within code, and none that cross", () => {
    const text = "one two three";
    expect(formatted({ text, marks: [mark("bold", text, "two"), mark("code", text, "two three")] })).toBe(
      "one `two three`",
    );
    expect(formatted({ text, marks: [mark("bold", text, "one two"), mark("italic", text, "two three")] })).toBe(
      "*one two* three",
    );
    expect(formatted({ text, marks: [mark("bold", text, "two"), mark("italic", text, "two")] })).toBe(
      "one *_two_* three",
    );
  });

  it("of a block keeps its lines", () => {
    const text = "a\nb";
    expect(formatted({ text, marks: [{ type: "pre", offset: 0, length: 3 }] })).toBe("```a\nb```");
  });

  it("is announced as far as WhatsApp has it", () => {
    expect(FORMATS).toEqual(["bold", "italic", "strikethrough", "code", "pre"]);
  });
});

describe("an agent's formatted message", () => {
  const bold = (text: string): Mark[] => [{ type: "bold", offset: 0, length: text.length }];

  it("has WhatsApp's signs, as text, above buttons and in cards", async () => {
    const { send, chats } = await staged();
    await send(ROBIN, { type: "text", text: "Now", marks: bold("Now") }, {}, "a");
    const suggestions = [{ type: "text" as const, title: "Yes" }];
    await send(ROBIN, { type: "text", text: "Now", marks: bold("Now") }, { suggestions }, "b");
    await send(ROBIN, { type: "order", order: { number: "7", items: [{ name: "Rope" }] } }, {}, "c");
    const contents = chats.robin.messages.map(({ content }) => content);
    expect(contents).toMatchObject([
      { text: { body: "*Now*" } },
      { interactive: { body: { text: "*Now*" } } },
      { text: { body: "*Order 7*\n1. Rope × 1" } },
    ]);
  });

  it("goes without where the signs would make it longer than WhatsApp takes", async () => {
    const { send, chats } = await staged();
    const text = "a".repeat(4_095);
    await send(ROBIN, { type: "text", text, marks: bold(text) }, {}, "a");
    const short = "a".repeat(1_023);
    const suggestions = [{ type: "text" as const, title: "Yes" }];
    await send(ROBIN, { type: "text", text: short, marks: bold(short) }, { suggestions }, "b");
    const contents = chats.robin.messages.map(({ content }) => content);
    expect(contents).toMatchObject([{ text: { body: text } }, { interactive: { body: { text: short } } }]);
  });
});
