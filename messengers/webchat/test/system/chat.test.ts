import { randomUUID } from "node:crypto";
import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { sendMessage } from "gangway-messenger/kit/sending";
import type { Content } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import { channelContext, fileOf } from "../../../../test/support/channel-context.ts";
import webchat from "../../src/index.ts";
import type { Entry } from "../../src/wire.ts";

const signal = new AbortController().signal;
const PNG = "\u0089PNG\r\n\u001a\n....";

async function setUp(settings: Record<string, unknown> = {}) {
  const { context, commit, atGateway } = await channelContext(webchat.settings.parse(settings));
  const session = webchat.open(context);
  const ask = async (
    method: string,
    path: string,
    init: { body?: BodyInit; headers?: Record<string, string> } = {},
  ) => {
    const receipt = await session.receive(new Request(`${context.doorUrl}/${path}`, { method, ...init }));
    await commit(receipt);
    return receipt;
  };
  const open = async (visitor?: string) => {
    const { reply } = await ask("POST", "open", { body: JSON.stringify({ visitor }) });
    return (await reply.json()) as { visitor: string; cursor: number; history: Entry[] };
  };
  const { visitor } = await open();
  const chat = visitor.split(".")[0] as ChatId;
  const headers = { authorization: `Bearer ${visitor}` };
  const say = (text: string, more: object = {}) =>
    ask("POST", "messages", { headers, body: JSON.stringify({ id: randomUUID(), text, ...more }) });
  const upload = async (bytes: string, type: string, name: string) =>
    ask("POST", "files", {
      headers: { ...headers, "content-type": type, "x-file-name": encodeURIComponent(name) },
      body: new Blob([Uint8Array.from(bytes, (c) => c.charCodeAt(0))]),
    });
  const send = async (content: Content, key = "1", more: Partial<OutboundMessage> = {}) => {
    const speaker = { adapter: webchat, settings, session };
    const parts = await sendMessage(speaker, { chat, content, ...more }, key, signal);
    return { messengerMessageIds: parts.map(({ messengerMessageId }) => messengerMessageId) };
  };
  return { context, session, ask, open, visitor, chat, headers, say, upload, send, atGateway };
}
const history = async (chat: Awaited<ReturnType<typeof setUp>>) => (await chat.open(chat.visitor)).history;
type BodyInit = string | Blob;

describe("a visitor", () => {
  it("keeps the same chat and sees its history after a reload", async () => {
    const chat = await setUp();
    await chat.say("hello");
    await chat.send({ type: "text", text: "hi" });
    expect(await history(chat)).toMatchObject([
      { type: "message", from: "visitor", text: "hello" },
      { type: "message", from: "agent", text: "hi" },
    ]);
  });

  it("never sees another visitor's chat, and cannot overwrite another's message", async () => {
    const chat = await setUp();
    await chat.say("mine");
    const stranger = await chat.open();
    expect(stranger.history).toEqual([]);
    const id = randomUUID();
    const from = async (visitor: string) => {
      const headers = { authorization: `Bearer ${visitor}` };
      return (await chat.ask("POST", "messages", { headers, body: JSON.stringify({ id, text: "x" }) })).events[0]
        ?.messengerMessageId;
    };
    expect(await from(chat.visitor)).not.toBe(await from(stranger.visitor));
  });

  it("with a token of another channel is a stranger", async () => {
    const [one, other] = [await setUp(), await setUp()];
    expect((await one.open(other.visitor)).visitor).not.toBe(other.visitor);
  });

  it("is named, and comes with page and time", async () => {
    const chat = await setUp();
    const { events } = await chat.say("hello", { page: "https://shop.example/rope?x=1" });
    expect(events).toMatchObject([
      {
        type: "message",
        originator: "customer",
        page: "https://shop.example/rope?x=1",
        customer: { nickname: expect.stringMatching(/^Visitor \S{5}$/) },
      },
    ]);
    expect((await chat.say("x", { page: "javascript:alert(1)" })).events[0]).toMatchObject({ page: undefined });
  });

  it("may write 4,096 characters, emoji counted as one", async () => {
    const chat = await setUp();
    expect((await chat.say("🪢".repeat(4096))).events).toHaveLength(1);
    const refused = await chat.say("🪢".repeat(4097));
    expect(refused.reply.status).toBe(400);
    expect(await refused.reply.json()).toMatchObject({ error: { path: "text" } });
  });

  it("tells once what it has read", async () => {
    const chat = await setUp();
    const { messengerMessageIds } = await chat.send({ type: "text", text: "hi" });
    const read = () =>
      chat.ask("POST", "read", { headers: chat.headers, body: JSON.stringify({ id: messengerMessageIds[0] }) });
    const [first, again] = [await read(), await read()];
    expect(first.events).toMatchObject([{ type: "read", messengerMessageId: messengerMessageIds[0] }]);
    expect(again.events[0]?.key).toBe(first.events[0]?.key);
  });
});

describe("the shops that may show the chat", () => {
  it.each([
    [[], "https://any.example", 200],
    [["https://shop.example"], "https://shop.example", 200],
    [["https://shop.example/"], "https://shop.example", 200],
    [["https://shop.example"], "https://shop.example.evil.example", 403],
    [["https://shop.example"], "null", 403],
  ])("%j: from %s the answer is %i", async (allowedOrigins, origin, status) => {
    const chat = await setUp({ allowedOrigins });
    const { reply, events } = await chat.ask("POST", "open", { headers: { origin }, body: "{}" });
    expect(reply.status).toBe(status);
    expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    expect(events).toEqual([]);
  });

  it("are asked for as addresses", () => {
    expect(webchat.settings.safeParse({ allowedOrigins: ["shop.example"] }).success).toBe(false);
    expect(webchat.settings.safeParse({ accent: "red" }).success).toBe(false);
    expect(webchat.settings.safeParse({}).success).toBe(true);
  });
});

describe("a file of a visitor", () => {
  it.each([
    ["a picture", PNG, "image/png", "image/png", true],
    ["a picture under a false name", PNG, "text/html", "image/png", true],
    ["a page that says it is a picture", "<script>", "image/png", "application/octet-stream", false],
    ["a page", "<script>", "text/html", "application/octet-stream", false],
    ["a drawing that may hold script", "<svg onload=x>", "image/svg+xml", "application/octet-stream", false],
    ["a text", "hello", "text/plain", "text/plain", false],
  ])("is what its bytes are: %s", async (_, bytes, claimed, mediaType, image) => {
    const chat = await setUp();
    const file = (await (await chat.upload(bytes, claimed, "Счёт.png")).reply.json()) as { id: string };
    expect(file).toMatchObject({ mediaType, image, name: "Счёт.png" });
    const { reply } = await chat.ask("GET", `files/${file.id}/x`);
    expect(reply.headers.get("content-disposition")).toMatch(image ? /^inline/ : /^attachment/);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("content-security-policy")).toContain("sandbox");
    expect(await reply.text()).toHaveLength(
      [...new TextDecoder().decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)))].length,
    );
  });

  it("of no bytes is refused", async () => {
    const chat = await setUp();
    expect((await chat.upload("", "image/png", "x.png")).reply.status).toBe(400);
  });

  it("over its limit is refused with 413 while it streams", async () => {
    const chat = await setUp();
    const over = PNG + "x".repeat(10 * 1024 * 1024);
    expect((await chat.upload(over, "image/png", "x.png")).reply.status).toBe(413);
  });

  it("travels with the message and can be opened for the gateway", async () => {
    const chat = await setUp();
    const { id } = (await (await chat.upload(PNG, "image/png", "../a/b.png")).reply.json()) as { id: string };
    const { events } = await chat.say("look", { files: [{ id }] });
    expect(events).toMatchObject([
      { content: { type: "image", note: "look", files: [{ name: ".._a_b.png", mediaType: "image/png" }] } },
    ]);
    const open = await chat.session.files?.open(id, signal);
    expect(await new Response(open?.body).arrayBuffer()).toHaveProperty("byteLength", PNG.length);
  });
});

describe("what an agent does", () => {
  it("reaches the stream in order, and again from where a reconnect asks", async () => {
    const chat = await setUp();
    await chat.send({ type: "text", text: "one" }, "1");
    await chat.send({ type: "text", text: "two" }, "2");
    const read = async (from: string, count: number) => {
      const stop = new AbortController();
      const request = new Request(`${chat.context.doorUrl}/events`, {
        headers: { ...chat.headers, "last-event-id": from },
        signal: stop.signal,
      });
      const { reply } = await chat.session.receive(request);
      const ids: string[] = [];
      let text = "";
      for await (const chunk of reply.body ?? []) {
        text += new TextDecoder().decode(chunk as Uint8Array);
        ids.splice(0, ids.length, ...[...text.matchAll(/^id: (\d+)/gm)].map((found) => found[1] ?? ""));
        if (ids.length >= count) stop.abort();
      }
      return { ids, text };
    };
    const all = await read("0", 2);
    expect(all.text.indexOf("one")).toBeLessThan(all.text.indexOf("two"));
    const rest = await read(all.ids[0] ?? "", 1);
    expect(rest.ids).toEqual([all.ids[1]]);
  });

  it("wakes an open stream", async () => {
    const chat = await setUp();
    const request = new Request(`${chat.context.doorUrl}/events`, { headers: chat.headers });
    const { reply } = await chat.session.receive(request);
    const reader = reply.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await chat.send({ type: "text", text: "live" });
    expect(new TextDecoder().decode((await next)?.value)).toContain("live");
    await reader?.cancel();
  });

  it("sent twice under one key is in the chat once", async () => {
    const chat = await setUp();
    await Promise.all([chat.send({ type: "text", text: "x" }), chat.send({ type: "text", text: "x" })]);
    expect(await history(chat)).toHaveLength(1);
  });

  it("edits there and back again, and a repeated edit changes nothing", async () => {
    const chat = await setUp();
    const { messengerMessageIds } = await chat.send({ type: "text", text: "a" });
    const part = { messengerMessageId: messengerMessageIds[0] as never, holds: "text" as const };
    for (const text of ["b", "b", "a"])
      await chat.session.revisions?.edit({ do: "edit", part, text, marks: [], suggestions: [] }, chat.chat, signal);
    const edits = (await history(chat)).filter((entry) => entry.type === "edited");
    expect(edits.map((entry) => entry.type === "edited" && entry.text)).toEqual(["b", "a"]);
  });

  it("brings its files here, so that the visitor needs no gateway", async () => {
    const chat = await setUp();
    chat.atGateway.set("f", () => fileOf("data", "application/pdf", "offer.pdf"));
    await chat.send({ type: "file", files: [{ file: { at: "gateway", id: "f" as GatewayFileId } }] });
    const [entry] = await history(chat);
    const file = entry?.type === "message" ? entry.files[0] : undefined;
    expect(file).toMatchObject({ name: "offer.pdf", mediaType: "application/pdf", image: false });
    expect(await (await chat.ask("GET", `files/${file?.id}/x`)).reply.text()).toBe("data");
  });

  it("shows a card as text", async () => {
    const chat = await setUp();
    await chat.send(
      {
        type: "product",
        product: { id: 1, name: "Rope", cost: { value: 3, currency: "EUR" }, url: "https://shop.example/rope" },
      },
      "1",
    );
    await chat.send(
      {
        type: "order",
        order: { number: "5A", items: [{ name: "Rope", quantity: 2 }], cost: { value: 6, currency: "EUR" } },
      },
      "2",
    );
    const texts = (await history(chat)).map((entry) => (entry.type === "message" ? entry.text : ""));
    expect(texts).toEqual(["Rope\n€3\nhttps://shop.example/rope", "Order 5A\n1. Rope × 2\nTotal: €6.00"]);
  });

  it("marks a visitor's message as delivered and read, each once", async () => {
    const chat = await setUp();
    const { events } = await chat.say("hello");
    const target = { chat: chat.chat, messengerMessageId: events[0]?.messengerMessageId as MessengerMessageId };
    for (let n = 0; n < 2; n++) {
      await chat.session.readMarks?.delivered(target, signal);
      await chat.session.readMarks?.read(target, signal);
    }
    expect((await history(chat)).map((entry) => entry.type)).toEqual(["message", "delivered", "read"]);
  });
});
