import { expect, it } from "vitest";
import { parseExactly } from "../../src/exact-json.ts";

it("integers that a double does not hold become texts, and all else is as JSON has it", () => {
  const text =
    '{"seq":116327994376978687,"chat_id":-70801090403050,"n":[1.5,1e30,-9007199254740993],"t":"9007199254740993"}';
  expect(parseExactly(text)).toEqual({
    seq: "116327994376978687",
    chat_id: -70_801_090_403_050,
    n: [1.5, 1e30, "-9007199254740993"],
    t: "9007199254740993",
  });
  expect(() => parseExactly("{")).toThrow(SyntaxError);
});
