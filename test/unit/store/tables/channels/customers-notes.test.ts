import { expect, it } from "vitest";
import { noteTest } from "../../../../../src/store/tables/channels/customers-notes.ts";

it("a note that leads to an erased chat goes also where it was written after its id was looked for", () => {
  const of = { channelId: "1", chats: ["ann4711"], rows: [], otherIds: [] };
  const isTheirs = noteTest(of, { rows: new Set(), ids: new Set() }, [{ prefix: "chat:", stays: true }]);
  const notes = ["chat:4900 ann4711", "chat:4901 bob4712", "other:4900 ann4711"].map((note) => note.split(" "));
  expect(notes.filter(([key = "", value = ""]) => isTheirs({ key, value }))).toEqual([["chat:4900", "ann4711"]]);
});
