import { expect, it } from "vitest";
import { createPerson } from "../../../src/browser/person.ts";

it("whoever has left is nobody until the page names them again, also by the same id", () => {
  const identified = () => ({ id: "42", signature: "ab", name: "Robin" });
  let user = identified();
  const person = createPerson({ user: () => user });
  expect([person.user(), person.signed()]).toEqual([user, { id: "42", signature: "ab" }]);
  person.leave();
  expect([person.user(), person.signed()]).toEqual([undefined, undefined]);
  user = identified();
  expect(person.signed()).toEqual({ id: "42", signature: "ab" });
});

it("somebody with an id and no signature is named, though nobody's", () => {
  expect(createPerson({ user: () => ({ id: 42 as never }) }).signed()).toEqual({ id: "42", signature: "" });
  expect(createPerson({ user: () => ({ name: "Robin" }) }).signed()).toBeUndefined();
});
