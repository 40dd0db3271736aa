import type { GatewayFileId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import { PICTURE, sendMessage } from "gangway-messenger/kit/sending";
import type { Content, FilePart } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import http from "../../src/index.ts";
import { besideApp, CHAT, fresh, messageId, step } from "../support.ts";

const { open, settings } = besideApp();

const rope: Content = {
  type: "product",
  product: {
    id: 7,
    name: "Rope",
    url: "https://shop.example/rope",
    image: "https://shop.example/rope.png",
    cost: { value: 3, currency: "EUR" },
  },
};
const order: Content = {
  type: "order",
  order: {
    number: "7C",
    items: [{ name: "Rope", quantity: 2, price: { value: 3, currency: "EUR" } }],
    cost: { value: 6, currency: "EUR" },
  },
};

describe("an agent's message", () => {
  it.each([
    ["product", rope, { product: { id: 7, name: "Rope", cost: { value: 3, currency: "EUR" } } }],
    ["order", order, { order: { number: "7C", items: [{ name: "Rope", quantity: 2 }] } }],
  ])("with a %s says it in words, and as it is in the CRM", async (_, content, item) => {
    const { session, emulator } = await open();
    await sendMessage({ adapter: http, settings, session }, { chat: CHAT, content }, "one", fresh());
    const told = emulator.events.at(-1)?.data;
    expect(told).toMatchObject(item);
    expect(told?.text).toContain("Rope");
    if (content === rope) expect(told?.files).toEqual([{ url: "https://shop.example/rope.png" }]);
  });

  it("has its formatting, buttons, quote and author", async () => {
    const { session, emulator } = await open();
    const message = {
      marks: [{ type: "bold" as const, offset: 0, length: 5 }],
      suggestions: [{ type: "url" as const, title: "Look", payload: "https://shop.example/" }],
      quote: { messengerMessageId: messageId("m-1"), text: "before" },
      author: { name: "Ann", bot: false },
    };
    await session.send(step(message), { chat: CHAT, key: "one" }, fresh());
    expect(emulator.events.at(-1)?.data).toMatchObject({
      ...{ text: "hello", kind: "text", marks: [{ type: "bold", offset: 0, length: 5 }] },
      buttons: [{ type: "url", title: "Look", payload: "https://shop.example/" }],
      ...{ quote: { id: "m-1", text: "before" }, author: { name: "Ann", bot: false } },
    });
  });

  it("has its files at the door, where the app fetches their bytes without a signature", async () => {
    const { session, emulator, atGateway } = await open();
    atGateway.set("f1", () => ({
      body: streamOf(PICTURE),
      mediaType: "image/png",
      name: "rope.png",
      size: PICTURE.length,
    }));
    const files: FilePart[] = [{ file: { at: "gateway", id: "f1" as GatewayFileId } }];
    await session.send(step({ kind: "image", text: "", files }), { chat: CHAT, key: "one" }, fresh());
    type File = { url: string; mediaType: string; size: number; name: string };
    const [file] = (emulator.events.at(-1)?.data.files ?? []) as File[];
    expect(file).toMatchObject({ name: "rope.png", mediaType: "image/png", size: PICTURE.length });
    const { reply } = await session.receive(new Request(file?.url ?? ""));
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(PICTURE);
  });

  it("is refused while its file cannot be had", async () => {
    const { session } = await open();
    const files: FilePart[] = [{ file: { at: "gateway", id: "gone" as GatewayFileId } }];
    const sent = session.send(step({ kind: "file", text: "", files }), { chat: CHAT, key: "one" }, fresh());
    await expect(sent).rejects.toMatchObject({ verdict: { type: "reject" } });
  });
});

describe("an agent's change", () => {
  it("back to an earlier text is a new event, and one that is repeated is not", async () => {
    const { session, emulator } = await open();
    const part = { messengerMessageId: messageId("app-1"), holds: "text" as const };
    const edit = (text: string) =>
      session.revisions?.edit({ do: "edit", part, text, marks: [], suggestions: [] }, CHAT, fresh());
    for (const text of ["one", "two", "two", "one"]) await edit(text);
    const told = emulator.events.filter(({ type }) => type === "message.edited");
    expect(told.map(({ data }) => data.text)).toEqual(["one", "two", "two", "one"]);
    const ids = told.map(({ id }) => id);
    expect(ids[1]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(3);
  });

  it("of a reaction is told each time", async () => {
    const { session, emulator } = await open();
    const target = { chat: CHAT, messengerMessageId: messageId("m:1") };
    for (const reaction of ["👍", null, "👍"]) await session.reactions?.set(target, reaction, fresh());
    const other = { chat: CHAT, messengerMessageId: messageId("m") };
    await session.reactions?.set(other, "👍", fresh());
    const told = emulator.events.filter(({ type }) => type === "reaction.changed");
    expect(new Set(told.map(({ id }) => id)).size).toBe(4);
  });
});

describe("a customer's picture", () => {
  it("is found by the address that the app has given", async () => {
    const { session, emulator, context } = await open();
    const url = emulator.serves("robin.png", { bytes: PICTURE, mediaType: "image/png" });
    const customer = { id: "robin", name: "Robin", avatar: url };
    await emulator.tells("message.created", { chat: CHAT, id: "m-1", text: "hello", customer });
    const found = await session.avatars?.find("robin" as never, fresh());
    expect(found?.version).toBeTruthy();
    const file = await session.files?.open(found?.ref ?? "", fresh());
    expect(Buffer.from(await new Response(file?.body).arrayBuffer())).toEqual(PICTURE);
    expect(await session.avatars?.find("nobody" as never, fresh())).toBeUndefined();
    expect(context.channelId).toBeTruthy();
  });
});
