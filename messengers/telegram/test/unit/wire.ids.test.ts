import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { customerSays } from "../../../../test/support/events.ts";
import { arrivalOf } from "../../src/reading/reading.ts";
import { type ChatRef, formatChatRef, parseChatRef } from "../../src/wire.ts";

const CHAT_REFS: [string, ChatRef][] = [
  ["5120000042", { chatId: "5120000042" }],
  ["-4012345678", { chatId: "-4012345678" }],
  ["-1002012345678#7", { chatId: "-1002012345678", thread: 7 }],
  ["-4012345678~5120000042", { chatId: "-4012345678", member: "5120000042" }],
  ["-1002012345678#7~-1009876543210", { chatId: "-1002012345678", thread: 7, member: "-1009876543210" }],
  ["-1001700000009^5120000042", { chatId: "-1001700000009", topic: "5120000042" }],
  ["6010000001/5120000042", { chatId: "5120000042", owner: "6010000001" }],
];

describe("a chat's id", () => {
  it.each(CHAT_REFS)("encodes the whole reference, and is parsed back: %s", (id, ref) => {
    expect(formatChatRef(ref)).toBe(id);
    expect(parseChatRef(formatChatRef(ref))).toEqual({
      topic: undefined,
      thread: undefined,
      member: undefined,
      owner: undefined,
      ...ref,
    });
  });
});

describe("the last words of a member of a group", () => {
  it.each(["-4012345678~5120000042", "-1002012345678~-1009876543210"])("are kept, to be answered: %s", (chat) => {
    const event = { ...customerSays("m"), chat } as ChannelEvent;
    expect(arrivalOf({ events: [event], notes: [] }).notes).toEqual([{ key: `last:${chat}`, value: "m" }]);
  });
});
