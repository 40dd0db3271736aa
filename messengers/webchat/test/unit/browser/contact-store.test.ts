import { expect, it } from "vitest";
import { claimContact, contactIn, dropContact, keepContact } from "../../../src/browser/contact-store.ts";
import { memoryOf } from "../../../src/browser/memory.ts";
import { storage } from "../tab.ts";

const setUp = () => {
  const items = storage();
  const memory = memoryOf("door", () => items);
  const of = (token?: string) => contactIn({ memory, user: () => undefined }, token);
  return { memory, of };
};
const said = { name: undefined, email: "robin@shop.example", phone: undefined };

it("what a visitor has said before the chat is open is theirs, and is forgotten with the next visitor", () => {
  const { memory, of } = setUp();
  keepContact(memory, { email: "robin@shop.example" });
  memory.set("began", "1");
  claimContact(memory, "robin");
  expect(of("robin.serial.signature")).toEqual(said);
  claimContact(memory, "robin");
  expect(memory.get("began")).toBe("1");
  claimContact(memory, "marina");
  expect([of("marina.s.s"), memory.get("contact"), memory.get("began")]).toEqual([undefined, null, null]);
});

it("what another tab's visitor has said is not taken for this one's, nor added to it", () => {
  const { memory, of } = setUp();
  keepContact(memory, { email: "robin@shop.example" }, "robin.s.s");
  expect([of("marina.s.s"), of("robin.s.s")]).toEqual([undefined, said]);
  keepContact(memory, { phone: "+35621234567" }, "marina.s.s");
  expect(of("marina.s.s")).toEqual({ name: undefined, email: undefined, phone: "+35621234567" });
});

it("what somebody says in the first form, before the chat is open, is not added to what another one has said", () => {
  const { memory, of } = setUp();
  keepContact(memory, { email: "robin@shop.example" }, "robin.s.s");
  keepContact(memory, { phone: "+35621234567" });
  memory.set("began", "1");
  claimContact(memory, "marina");
  expect([of("marina.s.s"), memory.get("began")]).toEqual([
    { name: undefined, email: undefined, phone: "+35621234567" },
    "1",
  ]);
});

it("what the visitor of an open chat's token says before it is open again is added to what they have said", () => {
  const { memory, of } = setUp();
  memory.set("visitor", "robin.s.s");
  keepContact(memory, { email: "robin@shop.example" }, "robin.s.s");
  keepContact(memory, { phone: "1234567" });
  expect(of("robin.s.s")).toEqual({ ...said, phone: "1234567" });
});

it("what a visitor has said goes with their chat, and nobody else's", () => {
  const { memory, of } = setUp();
  keepContact(memory, { email: "robin@shop.example" }, "robin.s.s");
  dropContact(memory, "marina");
  expect(of("robin.s.s")).toEqual(said);
  dropContact(memory, "robin");
  expect(memory.get("contact")).toBeNull();
});
