import { systemClock } from "gangway-messenger/clock";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { webhook } from "../../../../test/system/contract/messaging.ts";
import { talking } from "../../../meta/test/unit/talking.ts";
import { createEmulator, PAGE } from "../../emulator/emulator.ts";
import { AT, batch, entryOf, event, message, ROBIN } from "../../samples/wire.ts";
import facebook from "../../src/index.ts";

const read = async (given: object) => {
  const { session, context } = await talking(facebook, createEmulator);
  const body = JSON.stringify(given);
  return session.receive(webhook(context.doorUrl, body, signatureOf(DEMO_APP.secret, body)));
};

describe("a message with a field of another type", () => {
  it.each([
    { quick_reply: "x" },
    { quick_reply: { payload: `a@${".".repeat(1_000_000)} b` } },
    { reply_to: "x" },
    { reply_to: { mid: 5, story: "x" } },
    { is_echo: "false", is_deleted: 0, is_unsupported: "no" },
    { metadata: 5 },
    { referral: { ref: 5, ads_context_data: "x" } },
    { attachments: [{ type: "image", payload: "x" }] },
    { attachments: [{ type: "template", title: 7, payload: { title: 5 } }] },
    { attachments: [null] },
    { attachments: {} },
  ])("keeps its text (%#)", async (strange) => {
    const { events } = await read(message({ text: "hello", ...strange }));
    expect(events).toMatchObject([{ type: "message", at: AT, content: { type: "text" } }]);
    expect(JSON.stringify(events)).toContain("hello");
  });

  it("is nobody's without an id of who wrote it, and loses no other", async () => {
    for (const id of ["", " "]) {
      const mixed = batch(
        entryOf({ sender: { id }, recipient: { id: PAGE.id }, message: { mid: "m_nobody", text: "who?" } }),
        entryOf({ sender: { id: ROBIN }, recipient: { id: PAGE.id }, message: { mid: "m_robin", text: "me" } }),
      );
      const { events, unknown } = await read(mixed);
      expect([events.map(({ key }) => key), unknown]).toEqual([["message:m_robin"], "message"]);
    }
  });

  it.each(["__proto__", "constructor", "toString"])("of a kind called %s is told in words", async (type) => {
    const { events } = await read(message({ attachments: [{ type, payload: { url: "https://cdn.example/a.jpg" } }] }));
    const content = { type: "text", text: `[Unsupported message type: ${type}]\nhttps://cdn.example/a.jpg` };
    expect(events).toMatchObject([{ content }]);
    const named = await read(event({ reaction: { mid: "m_1", action: "react", reaction: type } }));
    expect(named.events).toMatchObject([{ type: "reaction", reaction: "❤" }]);
  });

  it("keeps its file beside one that cannot be read, which is told in words", async () => {
    const picture = { type: "image", payload: { url: "https://cdn.example/a.jpg" } };
    const { events } = await read(message({ attachments: [5, picture] }));
    const note = expect.stringContaining("open it in the app");
    expect(events).toMatchObject([{ content: { type: "image", files: [{ name: "a.jpg" }], note } }]);
  });

  it("has the time of its arrival where its own makes no sense", async () => {
    // The emulator's clock: it may differ from the machine's by a little.
    const now = systemClock.now();
    for (const timestamp of [9e18, -5, "soon", {}]) {
      const { events } = await read(event({ message: { mid: "m1", text: "hello" } }, { timestamp }));
      expect([events.length, events[0]?.at]).toEqual([1, expect.any(Number)]);
      // Its entry's time, or now.
      expect(events[0]?.at).toSatisfy((at: number) => at === AT || at >= now);
    }
  });

  it("marks nothing as read until a time that makes no sense", async () => {
    expect((await read(event({ read: { watermark: 9e18 } }))).events).toEqual([]);
    expect((await read(event({ read: { watermark: AT } }))).events).toHaveLength(1);
  });
});

it("a page whose Meta does not answer waits for a name once, and then not for a minute", async () => {
  const { context } = await talking(facebook, createEmulator);
  const [now, asked] = [{ ms: context.clock.now() }, [] as string[]];
  let answers = false;
  const { call } = context;
  Object.assign(context, {
    clock: { ...context.clock, now: () => now.ms },
    call: async (request: Parameters<typeof call>[0]) => {
      asked.push(request.url);
      return answers ? call(request) : { type: "failure", sent: "perhaps", reason: "timeout", detail: "" };
    },
  });
  const own = facebook.open(context);
  const says = async (mid: string) => {
    const body = JSON.stringify(message({ mid, text: "hello" }));
    const { events } = await own.receive(webhook(context.doorUrl, body, signatureOf(DEMO_APP.secret, body)));
    expect(events).toMatchObject([{ key: `message:${mid}`, customer: { nickname: "Facebook 0017" } }]);
    return asked.length;
  };
  expect([await says("a"), await says("b"), await says("c")]).toEqual([1, 1, 1]);
  now.ms += 60_000;
  // A refusal is an answer.
  answers = true;
  expect([await says("d"), await says("e")]).toEqual([2, 3]);
});
