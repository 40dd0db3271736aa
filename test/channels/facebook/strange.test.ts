import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../sandbox/src/facebook/emulator.ts";
import { DEMO_APP } from "../../../sandbox/src/meta/demo-app.ts";
import { facebook } from "../../../src/channels/facebook/index.ts";
import { signatureOf } from "../../../src/channels/meta/signature.ts";
import { AT, event, message } from "../../contract/facebook/wire.ts";
import { webhook } from "../../contract/messaging.ts";
import { talking } from "../meta/talking.ts";

const read = async (given: object) => {
  const { session, context } = await talking(facebook, createEmulator);
  const body = JSON.stringify(given);
  return session.receive(webhook(context.doorUrl, body, signatureOf(DEMO_APP.secret, body)));
};

describe("a message with a field of another type", () => {
  it.each([
    { quick_reply: "x" },
    { reply_to: "x" },
    { reply_to: { mid: 5, story: "x" } },
    { is_echo: "false", is_deleted: 0, is_unsupported: "no" },
    { metadata: 5 },
    { referral: { ref: 5, ads_context_data: "x" } },
    { attachments: [{ type: "image", payload: "x" }] },
    { attachments: [{ type: "template", title: 7, payload: { title: 5 } }] },
    { attachments: [null] },
    { attachments: {} },
  ])("keeps its text (%j)", async (strange) => {
    const { events } = await read(message({ text: "hello", ...strange }));
    expect(events).toMatchObject([{ type: "message", at: AT, content: { type: "text" } }]);
    expect(JSON.stringify(events)).toContain("hello");
  });

  it("keeps its file beside one that cannot be read, which is told in words", async () => {
    const picture = { type: "image", payload: { url: "https://cdn.example/a.jpg" } };
    const { events } = await read(message({ attachments: [5, picture] }));
    const note = expect.stringContaining("open it in the app");
    expect(events).toMatchObject([{ content: { type: "image", files: [{ name: "a.jpg" }], note } }]);
  });

  it("has the time of its arrival where its own makes no sense", async () => {
    const now = Date.now();
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
