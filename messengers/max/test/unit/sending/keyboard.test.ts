import type { Suggestion } from "gangway-messenger/message";
import { expect, it } from "vitest";
import { asLines, keyboardOf } from "../../../src/sending/keyboard.ts";

const link = (payload: string): Suggestion => ({ type: "url", title: "Shop", payload });

it("suggestions are buttons, one a row: words that the press writes, the request for the number, links", () => {
  const suggestions: Suggestion[] = [
    { type: "text", title: "Yes" },
    { type: "phone", title: "My number" },
    { type: "email", title: "My address" },
    link("https://shop.example/"),
  ];
  expect(asLines(suggestions)).toEqual([]);
  expect(keyboardOf(suggestions)).toEqual([
    {
      type: "inline_keyboard",
      payload: {
        buttons: [
          [{ type: "message", text: "Yes" }],
          [{ type: "request_contact", text: "My number" }],
          [{ type: "message", text: "My address" }],
          [{ type: "link", text: "Shop", url: "https://shop.example/" }],
        ],
      },
    },
  ]);
  expect(keyboardOf([])).toEqual([]);
});

it.each<[string, Suggestion]>([
  ["a title that is too long", { type: "text", title: "x".repeat(129) }],
  ["a title of nothing", { type: "text", title: " " }],
  ["an address that is no link", link("javascript:alert(1)")],
  ["another program's address", link("tg://resolve")],
  ["an address with a space", link("https://shop.example/a b")],
  ["an address with a line's end", link("https://shop.example/\n")],
  ["an address without a host", link("https://")],
  ["an address that cannot be read", link("https://shop.example:port/")],
  ["an address that is too long", link(`https://shop.example/${"a".repeat(2_048)}`)],
])("%s becomes a line", (_, suggestion) => {
  expect(asLines([suggestion, link("https://shop.example/")])).toEqual([suggestion]);
});

it("the thirty-first becomes a line", () => {
  const many = Array.from({ length: 31 }, (_, n): Suggestion => ({ type: "text", title: `${n}` }));
  expect(asLines(many)).toEqual(many.slice(30));
});
