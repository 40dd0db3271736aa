import { expect, it } from "vitest";
import { limitsIn, MAX_REASON, reasonFault } from "../../../src/domain/pausing.ts";

it("takes a line of plain text as a reason, in any writing, and says in words why it takes no other", () => {
  for (const reason of ["unpaid since May", "не оплачено", "<b>bold</b>", "👩‍👩‍👧 ok", "x".repeat(MAX_REASON)])
    expect(reasonFault(reason), reason).toBeUndefined();
  expect(reasonFault(" \t ")).toBe("A reason is needed: the merchant reads it");
  expect(reasonFault("x".repeat(MAX_REASON + 1))).toBe("The reason is too long: at most 500 characters");
  expect(reasonFault("🙂".repeat(MAX_REASON)), "characters, not units").toBeUndefined();
  for (const reason of ["two\nlines", "a\u0000b", "a\u001b[31mred", "a\u2028b", "half \ud83d"])
    expect(reasonFault(reason), JSON.stringify(reason)).toBe("The reason is one line of plain text");
});

it("reads stored limits, and what is out of range or broken counts as absent", () => {
  expect(limitsIn('{"calls":3,"jobs":20}')).toEqual({ calls: 3, jobs: 20 });
  for (const json of [
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"calls":0,"jobs":9}',
    '{"calls":65}',
    '{"jobs":"20"}',
    '{"calls":1.5}',
  ])
    expect(limitsIn(json), json).toEqual({});
});
