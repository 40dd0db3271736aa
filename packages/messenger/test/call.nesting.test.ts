import { isOverNested } from "gangway-messenger/call";
import { expect, it } from "vitest";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

it.each<[string, string, boolean]>([
  ["64 levels", nested(64), false],
  ["65 levels", nested(65), true],
  ["65 levels of objects", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, true],
  ["levels that never end", "[".repeat(100_000), true],
  ["many lists side by side", `[${Array.from({ length: 1_000 }, () => "[]").join()}]`, false],
  ["20,001 values", `[${"0,".repeat(20_000)}0]`, false],
  ["20,002 values", `[${"0,".repeat(20_001)}0]`, true],
  [
    "brackets in a string",
    JSON.stringify({ a: "[".repeat(1_000), b: `${"\\".repeat(7)}"${"{".repeat(1_000)}` }),
    false,
  ],
  ["brackets after a string that ends in a backslash", `{"a":"x\\\\","b":${nested(65)}}`, true],
  ["a string that never ends", `["${"[".repeat(1_000)}`, false],
  ["nothing", "", false],
])("rejects text that is too deep or too large: %s", (_, text, over) => {
  expect(isOverNested(text)).toBe(over);
});
