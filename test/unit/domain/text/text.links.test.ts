import { expect, it } from "vitest";
import { linkLine, linkRoom, MAX_NAME } from "../../../../src/domain/text/text.ts";

it("a file's name is cut between characters, and its line has the room that was reserved", () => {
  const name = `${"x".repeat(MAX_NAME - 1)}😀`;
  const line = linkLine({ name }, { url: "https://x.example" });
  expect(line).toBe(`${"x".repeat(MAX_NAME - 1)}: https://x.example`);
  expect(line.length).toBeLessThan(linkRoom([{ name }]));
});
