import { linkLine, linkRoom, MAX_NAME } from "gangway-messenger/text";
import { expect, it } from "vitest";

it("a file's name is cut between characters, and its line has the room that was reserved", () => {
  const name = `${"x".repeat(MAX_NAME - 1)}😀`;
  const line = linkLine({ name }, { url: "https://x.example" });
  expect(line).toBe(`${"x".repeat(MAX_NAME - 1)}: https://x.example`);
  expect(line.length).toBeLessThan(linkRoom([{ name }]));
});
