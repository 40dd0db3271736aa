import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { channelContext } from "../../../../../test/support/channel-context.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/world.ts";
import telegram from "../../../src/index.ts";
import { readUpdate } from "../../../src/reading/reading.ts";
import { settings as schema } from "../../../src/wire.ts";
import { fresh, openStage, step } from "../stage.ts";

const view = {
  botId: "7712345601",
  settings: schema.parse({ token: HARBOUR_BOT_TOKEN }),
  note: async () => undefined,
  now: 0,
};
const said = (blocks: unknown[]) => ({
  update_id: 1,
  message: { message_id: 2, date: 1_764_000_000, chat: { id: 5, type: "private" }, rich_message: { blocks } },
});
const textOf = async (update: unknown) => {
  const [event] = (await readUpdate(update, view))?.events ?? [];
  return event?.type === "message" && event.content.type === "text" ? event.content.text : undefined;
};

describe("a rich text", () => {
  it("that a phone sends is read in words", async () => {
    const { telegram: emulator, person, bot, api } = await openStage();
    const item = (label: string, text: string) => ({ label, blocks: [{ type: "paragraph", text }] });
    const rich = [{ type: "list", items: [item("1.", "rope"), item("2.", "hooks")] }];
    emulator.phone.send(person, bot.id, { rich });
    const result = z.array(z.unknown());
    const updates = await api.call({ method: "getUpdates", params: { timeout: 0 }, result }, fresh());
    expect(await textOf(updates.at(-1))).toBe("1. rope\n2. hooks");
  });

  it("that nests without end, or is very long, is read", async () => {
    let deep: unknown = { type: "paragraph", text: "x" };
    for (let n = 0; n < 4_000; n++) deep = { type: "blockquote", blocks: [deep] };
    let span: unknown = "y";
    for (let n = 0; n < 4_000; n++) span = { type: "bold", text: [span] };
    const wide = Array.from({ length: 8_000 }, () => ({ type: "paragraph", text: { type: "bold", text: "rope" } }));
    const text = await textOf(said([deep, { type: "paragraph", text: span }, ...wide]));
    expect(text?.match(/rope/g)).toHaveLength(8_000);
  });
});

describe("a direct message to a channel", () => {
  it("is answered in the conversation of who wrote it", async () => {
    const { context } = await channelContext(schema.parse({ token: HARBOUR_BOT_TOKEN }));
    const bodies: unknown[] = [];
    const network = new Hono().post("*", async (c) => {
      bodies.push(await c.req.json());
      return c.json({ ok: true, result: { message_id: 9, chat: { id: -1_001_700_000_009 } } });
    });
    const session = telegram.open({ ...context, call: callFrom(network) });
    const chat = "-1001700000009^5120000042" as ChatId;
    await session.send(step({ text: "hello" }), { chat, key: "k" }, fresh());
    const part = { messengerMessageId: "-1001700000009:9" as MessengerMessageId, holds: "text" as const };
    await session.revisions?.edit({ do: "edit", part, text: "hallo", marks: [], suggestions: [] }, chat, fresh());
    expect(bodies).toEqual([
      { chat_id: "-1001700000009", direct_messages_topic_id: 5_120_000_042, text: "hello" },
      { chat_id: "-1001700000009", message_id: 9, text: "hallo" },
    ]);
  });
});
