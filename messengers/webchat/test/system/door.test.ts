import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import type { Entry } from "../../src/wire.ts";
import { fault, fresh, messagesOf, openShop, text } from "../unit/shop.ts";

const SHOP = "https://shop.example";

describe("the door of a web chat", () => {
  it.each(["POST", "GET"])(
    "refuses %s from a site that is not allowed, in words that its page can read, and keeps nothing",
    async (method) => {
      const shop = await openShop({ allowedOrigins: [SHOP] });
      const origin = "https://evil.example";
      const headers = { ...shop.headers, origin };
      const body = method === "POST" ? JSON.stringify({ id: randomUUID(), text: "x" }) : undefined;
      const { reply, events, journal } = await shop.ask(method, method === "GET" ? "events" : "messages", {
        headers,
        body,
      });
      expect(reply.status).toBe(403);
      expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
      expect(reply.headers.get("vary")).toContain("Origin");
      expect(await reply.json()).toEqual({ error: { message: "This site may not show this chat" } });
      expect([events, journal ?? []]).toEqual([[], []]);
    },
  );

  it("lets the page read a refusal, too", async () => {
    const shop = await openShop();
    const { reply } = await shop.ask("POST", "messages", { headers: { origin: SHOP }, body: "{}" });
    expect(reply.status).toBe(401);
    expect(reply.headers.get("access-control-allow-origin")).toBe(SHOP);
  });

  it("never lets an answer be read as anything but what it is", async () => {
    const shop = await openShop();
    const { headers } = shop;
    const { id } = await shop.uploaded(new TextEncoder().encode("hello"), "text/plain", "a.txt");
    const replies = [
      await shop.ask("POST", "open", { body: "{}" }),
      await shop.post({ text: "x" }),
      await shop.ask("POST", "messages", { headers, body: "{" }),
      await shop.ask("GET", "nowhere", { headers }),
      await shop.ask("GET", `files/${id}/a.txt`),
      await shop.ask("GET", "events", { headers, signal: AbortSignal.abort() }),
    ];
    for (const { reply } of replies) expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each([
    ["GET", "open"],
    ["POST", "events"],
    ["POST", "open/more"],
    ["POST", "messages/more"],
    ["GET", "files/only"],
    ["GET", "files/a/b/c"],
    ["DELETE", "messages"],
    ["GET", ""],
    ["POST", "constructor"],
  ])("knows nothing of %s %s", async (method, path) => {
    const shop = await openShop();
    const { reply, events } = await shop.ask(method, path, { headers: shop.headers });
    expect(reply.status).toBe(404);
    expect(events).toEqual([]);
  });

  it.each(["events", "history", "messages", "files", "read"])("asks for a token at %s", async (path) => {
    const shop = await openShop();
    const [id, signature] = shop.visitor.split(".") as [string, string];
    const flipped = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
    const forged = [
      "",
      "x",
      id,
      `${id}.`,
      `${id}.${flipped}`,
      `x${id}.${signature}`,
      `${shop.visitor}.x`,
      `${shop.visitor}=`,
    ];
    for (const token of forged) {
      const headers = { authorization: `Bearer ${token}` };
      const method = path === "events" || path === "history" ? "GET" : "POST";
      const body = method === "POST" ? JSON.stringify({ id: randomUUID(), text: "x" }) : undefined;
      const { reply, events, journal } = await shop.ask(method, path, { headers, body });
      expect([token, reply.status]).toEqual([token, 401]);
      expect([events, journal ?? []]).toEqual([[], []]);
      expect(await fault({ reply })).toHaveProperty("message");
    }
    expect(shop.keptFiles.count()).toBe(0);
  });

  it("names the first fault of a body", async () => {
    const shop = await openShop();
    const { headers } = shop;
    const faultOf = async (body: string) => {
      const receipt = await shop.ask("POST", "messages", { headers, body });
      expect(receipt.reply.status).toBe(400);
      expect(receipt.events).toEqual([]);
      return (await fault(receipt)).path;
    };
    const id = randomUUID();
    expect(await faultOf("{")).toBe("(body)");
    expect(await faultOf("[]")).toBe("(body)");
    expect(await faultOf('{"id":"x","text":"y"}')).toBe("id");
    expect(await faultOf(JSON.stringify({ id }))).toBe("text");
    expect(await faultOf(JSON.stringify({ id, text: " \n\t" }))).toBe("text");
    expect(await faultOf(JSON.stringify({ id, text: "x".repeat(4097) }))).toBe("text");
    expect(await faultOf(JSON.stringify({ id, files: [{ id: "unknown" }] }))).toBe("files.0.id");
    expect(await faultOf(JSON.stringify({ id, files: Array(11).fill({ id: "x" }) }))).toBe("files");
  });

  it("stops reading a body past 64 KiB", async () => {
    const shop = await openShop();
    let pulled = 0;
    const long = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(16 * 1024));
        if (pulled === 50) controller.close();
      },
    });
    const init = { method: "POST", headers: shop.headers, body: long, duplex: "half" } as RequestInit;
    const { reply } = await shop.session.receive(new Request(`${shop.context.doorUrl}/messages`, init));
    expect(reply.status).toBe(413);
    expect(pulled).toBeLessThan(12);
  });
});

describe("opening the chat", () => {
  it("tells the widget what it has to show and what it may send", async () => {
    const shop = await openShop({ title: "Quay", greeting: "Ahoy", accent: "#123456", language: "es" });
    expect(await shop.open()).toMatchObject({
      language: "es",
      title: "Quay",
      greeting: "Ahoy",
      accent: "#123456",
      limits: { text: 4096, files: 10, image: 10 * 1024 * 1024, file: 20 * 1024 * 1024 },
      history: [],
      cursor: 0,
    });
  });

  it.each([
    ["es", undefined, "Vuelva a cargar la página"],
    ["es", "ru-RU,en;q=0.5", "Обновите страницу"],
    ["es", "fr", "Vuelva a cargar la página"],
    ["ru", "en", "Please reload the page"],
  ] as const)("in %s, a refusal is told in the window's language (%s)", async (language, asked, message) => {
    const shop = await openShop({ language });
    const headers = { authorization: "Bearer x", ...(asked && { "accept-language": asked }) };
    const { reply } = await shop.ask("POST", "messages", { headers, body: "{}" });
    expect([reply.status, await reply.json()]).toEqual([401, { error: { message } }]);
  });

  it.each([undefined, null, "", "x", "a.b"])("with the token %j makes a new visitor", async (token) => {
    const shop = await openShop();
    const opened = await shop.open(token);
    expect(opened.visitor).toMatch(/^[\w-]{22}\.[\w-]{12}~[0-9a-z]+\.[\w-]{43}$/);
    expect(opened.visitor).not.toBe(shop.visitor);
  });

  it("gives the newest 200 records, and a cursor from which nothing is missed", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    for (let n = 1; n <= 205; n++) {
      await shop.post({ text: `message ${n}` });
      await clock.forward(500);
    }
    const { history, cursor } = await shop.open(shop.visitor);
    expect(history).toHaveLength(200);
    expect(history[0]).toMatchObject({ text: "message 6" });
    expect(cursor).toBe(205);
  });

  it("gives no more than 128 KiB of a history, the newest, and one message however long it is", async () => {
    const shop = await openShop();
    const words = "\u0001".repeat(4095);
    for (let n = 0; n < 10; n++) await shop.post({ text: `${words}${n}` });
    const { history, cursor } = await shop.open(shop.visitor);
    expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThan(129 * 1024);
    expect(messagesOf(history).map(({ text }) => text?.at(-1))).toEqual(["5", "6", "7", "8", "9"]);
    expect(cursor).toBe(10);
    await shop.send(text("x".repeat(60_000)), "long");
    await shop.edit("a.long", "y".repeat(200_000));
    expect(await shop.history()).toMatchObject([{ type: "edited" }]);
  });
});

describe("what stands further back in a chat", () => {
  const back = async (shop: Awaited<ReturnType<typeof openShop>>, before: unknown, headers = shop.headers) => {
    const { reply } = await shop.ask("GET", `history?before=${before}`, { headers });
    return { status: reply.status, body: (await reply.json()) as { history: Entry[]; older?: number } };
  };
  /** Reads from the newest page to the oldest, as a widget does. */
  async function walk(shop: Awaited<ReturnType<typeof openShop>>) {
    const opened = await shop.open(shop.visitor);
    const pages = [opened.history];
    for (let { older } = opened; older !== undefined; ) {
      const { body } = await back(shop, older);
      pages.unshift(body.history);
      older = body.older;
    }
    return pages;
  }

  it("can be read to the first word, each entry once and in order, never more than a page at once", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    for (let n = 1; n <= 230; n++) {
      const { events } = await shop.post({ text: `message ${n}` });
      await shop.session.readMarks?.read(shop.at(events[0]?.messengerMessageId ?? ""), fresh());
      await clock.forward(500);
    }
    const pages = await walk(shop);
    expect(pages.map(({ length }) => length)).toEqual([60, 200, 200]);
    const written = Array.from({ length: 230 }, (_, n) => `message ${n + 1}`);
    expect(messagesOf(pages.flat()).map((message) => message.text)).toEqual(written);
  });

  it("comes in pages of 128 KiB at most", async () => {
    const shop = await openShop();
    for (let n = 0; n < 20; n++) await shop.post({ text: `${"\u0001".repeat(4094)}${n}` });
    const pages = await walk(shop);
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(129 * 1024);
    expect(messagesOf(pages.flat())).toHaveLength(20);
  });

  it("is told to be there only where it is", async () => {
    const shop = await openShop({}, handClock());
    expect((await shop.open(shop.visitor)).older).toBeUndefined();
    for (let n = 0; n < 200; n++) await shop.send(text("x"), `${n}`);
    expect((await shop.open(shop.visitor)).older).toBeUndefined();
    await shop.send(text("x"), "one more");
    expect((await shop.open(shop.visitor)).older).toBe(2);
    expect((await back(shop, 2)).body).toMatchObject({ history: [{ id: "a.0" }] });
    expect((await back(shop, 1)).body).toEqual({ history: [] });
  });

  it("is the visitor's own, at the visitor's rate", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    await shop.post({ text: "mine" });
    const stranger = { authorization: `Bearer ${(await shop.open()).visitor}` };
    expect((await back(shop, 9, stranger)).body).toEqual({ history: [] });
    for (const before of ["", "x", "-1", "1e3", "9".repeat(16)]) expect((await back(shop, before)).status).toBe(400);
    await clock.forward(60_000);
    for (let n = 0; n < 60; n++) expect((await back(shop, 9)).status).toBe(200);
    expect((await back(shop, 9)).status).toBe(429);
  });
});
