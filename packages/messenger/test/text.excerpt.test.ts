import { expect, it } from "vitest";
import { EXCERPT_LENGTH, excerptOf } from "../src/text.ts";

it.each([
  ["short", "short"],
  ["x".repeat(EXCERPT_LENGTH), "x".repeat(EXCERPT_LENGTH)],
  [`${"word ".repeat(15)}and unfinished words`, `${"word ".repeat(15)}and…`],
  [`${"word ".repeat(15)}four words`, `${"word ".repeat(15)}four…`],
  ["x".repeat(200), `${"x".repeat(EXCERPT_LENGTH - 1)}…`],
  ["🪢".repeat(100), `${"🪢".repeat(EXCERPT_LENGTH - 1)}…`],
])("an excerpt of %j ends after a word, with a sign that there is more", (text, excerpt) => {
  expect(excerptOf(text)).toBe(excerpt);
  expect([...excerptOf(text)].length).toBeLessThanOrEqual(EXCERPT_LENGTH);
});
