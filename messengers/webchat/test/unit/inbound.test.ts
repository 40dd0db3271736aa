import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { createUploads } from "../../src/uploads.ts";
import { fault, messagesOf, openShop, PNG, text } from "./shop.ts";

const MIB = 1024 * 1024;
const bytes = (value: string) => new TextEncoder().encode(value);

describe("a message of a visitor", () => {
  it("sent again with the same id is the same message", async () => {
    const shop = await openShop();
    const id = randomUUID();
    const [first, again] = [await shop.post({ id, text: "hello" }), await shop.post({ id, text: "hello" })];
    expect(await first.reply.json()).toEqual({ id: `${shop.chat}.${id}` });
    expect(again.events[0]?.key).toBe(first.events[0]?.key);
    expect(shop.events.size).toBe(1);
    expect(await shop.history()).toHaveLength(1);
  });

  it("is kept as it was typed", async () => {
    const shop = await openShop();
    const typed = "  two\n spaces ";
    const { events } = await shop.post({ text: typed, files: null, quote: null, page: null });
    expect(events).toMatchObject([{ content: { type: "text", text: typed } }]);
  });

  it("is the customer's, under a short name", async () => {
    const shop = await openShop();
    const { events } = await shop.post({ text: "hello", page: "https://shop.example/rope?x=1" });
    const customer = { id: shop.chat, nickname: expect.stringMatching(/^Visitor [A-Z0-9]{4,5}$/) };
    expect(events).toMatchObject([
      { type: "message", originator: "customer", chat: shop.chat, customer, page: "https://shop.example/rope?x=1" },
    ]);
  });

  it.each([
    ["es", "Visitante"],
    ["ru", "Посетитель"],
  ])("names the visitor in the chat's language: %s", async (language, visitor) => {
    const shop = await openShop({ language });
    const { events } = await shop.post({ text: "hello" });
    expect(events).toMatchObject([{ customer: { nickname: expect.stringMatching(`^${visitor} [A-Z0-9]{4,5}$`) } }]);
  });

  it.each(["javascript:alert(1)", "/rope", `https://shop.example/${"x".repeat(2048)}`])(
    "comes without the page when that is %.40s",
    async (page) => {
      const shop = await openShop();
      const { events, reply } = await shop.post({ text: "hello", page });
      expect(reply.status).toBe(200);
      expect(events[0]).toMatchObject({ page: undefined });
    },
  );

  it.each([
    ["phone", "+356 2123 4567", { phone: "+35621234567" }],
    ["phone", "(0356) 2123-45.67", { phone: "035621234567" }],
    ["phone", "112", {}],
    ["phone", "call me at 2123 4567", {}],
    ["phone", "1".repeat(16), {}],
    ["email", "robin@shop.example", { email: "robin@shop.example" }],
    ["email", "Робин@почта.рф", { email: "Робин@почта.рф" }],
    ["email", "robin at shop", {}],
    ["email", `${"x".repeat(251)}@a.b`, {}],
    ["fax", "+35621234567", {}],
    [null, "+35621234567", {}],
  ])(
    "that answers the question for %j with %j tells of the customer %j, and stays what was written",
    async (answers, words, told) => {
      const shop = await openShop();
      const { events, reply } = await shop.post({ text: words, answers });
      expect(reply.status).toBe(200);
      expect(events).toMatchObject([{ content: { type: "text", text: words } }]);
      const { phone, email } = (events[0]?.type === "message" && events[0].customer) || {};
      expect({ phone, email }).toEqual({ phone: undefined, email: undefined, ...told });
    },
  );

  it.each([
    [
      { source: "news", medium: "mail", term: null },
      { source: "news", medium: "mail" },
    ],
    [{ source: "x".repeat(300), other: "y" }, { source: "x".repeat(255) }],
    [{ source: 7, content: "blue" }, { content: "blue" }],
    [{ source: "" }, undefined],
    ["news", undefined],
    [null, undefined],
  ])("tells where the customer came from by %j as %j, and never fails for it", async (utm, told) => {
    const shop = await openShop();
    const { events, reply } = await shop.post({ text: "hello", utm });
    expect(reply.status).toBe(200);
    expect(events[0]?.type === "message" && events[0].customer.utm).toEqual(told);
  });

  it("quotes what is in this chat, and says what that was", async () => {
    const shop = await openShop();
    const messengerMessageIds = await shop.send(text("a rope"));
    await shop.edit(messengerMessageIds[0] ?? "", "a better rope");
    const { events } = await shop.post({ text: "this", quote: messengerMessageIds[0] });
    expect(events).toMatchObject([{ quote: messengerMessageIds[0] }]);
    expect(messagesOf(await shop.history()).at(-1)?.quote).toEqual({
      id: messengerMessageIds[0],
      text: "a better rope",
    });
  });

  it("loses a quote of another chat", async () => {
    const shop = await openShop();
    const headers = { authorization: `Bearer ${(await shop.open()).visitor}` };
    const { events: others } = await shop.post({ text: "secret" }, headers);
    const { events, reply } = await shop.post({ text: "this", quote: others[0]?.messengerMessageId });
    expect(reply.status).toBe(200);
    expect(events[0]).toMatchObject({ quote: undefined });
  });

  it("finds a quoted message however far back in the chat, and reads nothing else for it", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    const messengerMessageIds = await shop.send(text("long ago"));
    for (let n = 0; n < 1_100; n++) {
      await shop.post({ text: "x" });
      await clock.forward(500);
    }
    shop.journal.latest = () => Promise.reject(new Error("reads the chat"));
    const { events } = await shop.post({ text: "this", quote: messengerMessageIds[0] });
    expect(events[0]).toMatchObject({ quote: messengerMessageIds[0] });
  });
});

describe("files of a visitor", () => {
  it("have a bound for the whole channel, however many visitors there are", () => {
    const uploads = createUploads(handClock());
    const reserve = (n: number) => uploads.reserve({ visitor: `visitor ${n}`, address: `address ${n}` }, 20 * MIB);
    for (let n = 0; n < 24; n++) reserve(n);
    const last = reserve(24);
    expect(() => reserve(25)).toThrow("Too many files at the moment");
    last.release();
    reserve(26).complete("a file", 1);
    expect(() => reserve(27)).not.toThrow();
    expect(() => reserve(28)).toThrow("Too many files at the moment");
  });

  it("are refused when too many wait to be sent, of one visitor or of all, and taken again once they are sent", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    const some = async (count: number) => {
      const files = [];
      for (let n = 0; n < count; n++) files.push(await shop.uploaded(PNG));
      return files.map(({ id }) => ({ id }));
    };
    const files = await some(20);
    const refused = await shop.upload(PNG);
    expect(refused.reply.status).toBe(429);
    expect((await fault(refused)).message).toBe("Please send the files that you have added first");
    const other = { authorization: `Bearer ${(await shop.open()).visitor}` };
    expect((await shop.upload(PNG, "image/png", "a.png", other)).reply.status).toBe(200);
    await shop.post({ files: files.slice(0, 10) });
    expect((await shop.upload(PNG)).reply.status).toBe(200);
    await some(9);
    expect((await shop.upload(PNG)).reply.status).toBe(429);
    await clock.forward(3_600_001);
    expect((await shop.upload(PNG)).reply.status).toBe(200);
    // A refused or empty file is not counted.
    for (let n = 0; n < 30; n++) await shop.upload(new Uint8Array());
    expect((await shop.upload(PNG)).reply.status).toBe(200);
  });

  it("count as unsent until a new message with them is stored", async () => {
    const shop = await openShop({}, handClock());
    const files = [];
    for (let n = 0; n < 20; n++) files.push({ id: (await shop.uploaded(PNG)).id });
    const id = randomUUID();
    await shop.post({ id, files: files.slice(0, 1) });
    expect((await shop.upload(PNG)).reply.status).toBe(200);
    // Repeats, and messages that the relay rejects as overload, store nothing.
    for (const file of files.slice(1)) await shop.post({ id, files: [file] });
    const body = JSON.stringify({ id: randomUUID(), files: files.slice(1, 11) });
    const { headers, context } = shop;
    await shop.session.receive(new Request(`${context.doorUrl}/messages`, { method: "POST", headers, body }));
    expect((await shop.upload(PNG)).reply.status).toBe(429);
  });

  it("are refused while too many of a visitor or of an address are on their way, and no others for it", () => {
    const uploads = createUploads(handClock());
    const reserve = (visitor: string, address: string) => uploads.reserve({ visitor, address }, 20 * MIB);
    const reservations = Array.from({ length: 10 }, () => reserve("stranger", "one"));
    expect(() => reserve("stranger", "elsewhere")).toThrow("Please send the files that you have added first");
    for (const reservation of reservations.splice(5)) reservation.release();
    for (let n = 0; n < 7; n++) reserve(`stranger ${n}`, "one");
    expect(() => reserve("colleague", "one")).toThrow("wait until other files");
    expect(() => reserve("somebody", "two")).not.toThrow();
    reservations[0]?.complete("a file", 5);
    expect(() => reserve("colleague", "one")).not.toThrow();
    const small = () => uploads.reserve({ visitor: "many", address: "three" }, 1);
    for (let n = 0; n < 10; n++) small();
    expect(small).toThrow("wait until other files");
  });

  it("are 200 MiB of a visitor and 512 MiB of an address within a day, sent or not", async () => {
    const clock = handClock();
    const uploads = createUploads(clock);
    const bring = (visitor: string, size: number, address = "one") => {
      uploads.reserve({ visitor, address }, 20 * MIB).complete(`file of ${visitor}`, size);
      uploads.sent([`file of ${visitor}`]);
    };
    for (let n = 0; n < 10; n++) bring("a", 19 * MIB);
    expect(() => bring("a", 1, "two")).toThrow("You have sent many files today");
    for (let n = 0; n < 16; n++) bring(`b${n}`, 20 * MIB);
    expect(() => bring("c", 1)).toThrow("Too many files today");
    expect(() => bring("c", 1, "two")).not.toThrow();
    await clock.forward(86_400_000);
    expect(() => bring("a", 1)).not.toThrow();
  });

  it("are cut when they are slower than 160 KiB in 20 seconds, and release their reservation", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    let write = (_size: number) => {};
    let end = () => {};
    const begin = () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          write = (size) => controller.enqueue(new Uint8Array(size));
          end = () => controller.close();
        },
      });
      const init = { method: "POST", headers: shop.headers, body, duplex: "half" } as RequestInit;
      return shop.session.receive(new Request(`${shop.context.doorUrl}/files`, init));
    };
    const slow = begin();
    write(160 * 1024);
    await clock.forward(20_000);
    write(160 * 1024 - 1);
    await clock.forward(20_000);
    const { reply } = await slow;
    expect([reply.status, reply.headers.get("connection")]).toEqual([408, "close"]);
    expect(shop.keptFiles.count()).toBe(0);
    const steady = begin();
    for (let n = 0; n < 3; n++) {
      write(160 * 1024);
      await clock.forward(20_000);
    }
    end();
    expect(await (await steady).reply.json()).toMatchObject({ size: 480 * 1024 });
  });

  it("arrive as what they are: pictures as pictures with the words, other files beside them as a message of their own", async () => {
    const shop = await openShop();
    const files = [
      await shop.uploaded(bytes("%PDF-1.7"), "application/pdf", "offer.pdf"),
      await shop.uploaded(PNG, "image/png", "one.png"),
      await shop.uploaded(PNG, "image/png", "two.png"),
    ];
    const names = ({ files: some }: { files: { name?: string }[] }) => some.map(({ name }) => name);
    const [one, two] = [files.slice(1), files.slice(0, 1)];
    expect((await shop.post({ files: one })).events).toMatchObject([{ content: { type: "image" } }]);
    expect((await shop.post({ files: two })).events).toMatchObject([{ content: { type: "file" } }]);
    const [quote = ""] = await shop.send(text("which?"));
    const id = randomUUID();
    const said = await shop.post({ id, text: "these", files, quote });
    expect(await said.reply.json()).toEqual({ id: `${shop.chat}.${id}` });
    expect(said.events).toMatchObject([
      { key: `${shop.chat}.${id}`, quote, content: { type: "image", note: "these", files: [{}, {}] } },
      { key: `${shop.chat}.${id}.files`, quote: undefined, content: { type: "file", note: undefined, files: [{}] } },
    ]);
    const shown = messagesOf(await shop.history()).slice(-2);
    expect(shown.map(names)).toEqual([["one.png", "two.png"], ["offer.pdf"]]);
    // Each can be marked, quoted and repeated like any other message.
    expect((await shop.post({ id, text: "these", files, quote })).events.map(({ key }) => key)).toEqual(
      said.events.map(({ key }) => key),
    );
    const answer = await shop.post({ text: "that one", quote: `${shop.chat}.${id}.files` });
    expect(messagesOf(await shop.history()).at(-1)?.quote?.text).toBe("offer.pdf");
    expect(answer.events).toMatchObject([{ quote: `${shop.chat}.${id}.files` }]);
  });

  it("can be sent only by their uploader", async () => {
    const shop = await openShop();
    const { id } = await shop.uploaded(PNG);
    const headers = { authorization: `Bearer ${(await shop.open()).visitor}` };
    for (const stolen of [id, id.split(".")[0]]) {
      const receipt = await shop.post({ files: [{ id: stolen }] }, headers);
      expect(receipt.reply.status).toBe(400);
      expect((await fault(receipt)).path).toBe("files.0.id");
      expect(receipt.events).toEqual([]);
    }
  });

  it("can be opened for the gateway by the id in the event", async () => {
    const shop = await openShop();
    const { id } = await shop.uploaded(PNG);
    const { events } = await shop.post({ files: [{ id }] });
    const content = events[0]?.type === "message" ? events[0].content : undefined;
    const ref = content && "files" in content ? content.files[0]?.file : undefined;
    if (ref?.at !== "messenger") throw new Error("no file");
    const open = await shop.session.files?.open(ref.ref, new AbortController().signal);
    expect(new Uint8Array(await new Response(open?.body).arrayBuffer())).toEqual(PNG);
    expect(open).toMatchObject({ mediaType: "image/png", name: "a.png" });
  });

  const GIF = bytes("GIF89a..........");
  const WEBP = bytes("RIFF....WEBPVP8 ");
  const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]);
  it.each([
    ["png", PNG, "text/html", "image/png", "inline"],
    ["jpeg", JPEG, "", "image/jpeg", "inline"],
    ["gif", GIF, "image/gif", "image/gif", "inline"],
    ["webp", WEBP, "image/webp", "image/webp", "inline"],
    ["pdf", bytes("%PDF-1.7"), "image/png", "application/pdf", "attachment"],
    ["svg", bytes("<svg onload=x>"), "image/svg+xml", "application/octet-stream", "attachment"],
    ["html", bytes("<script>x</script>"), "text/html", "application/octet-stream", "attachment"],
    ["xml", bytes("<?xml?>"), "application/xhtml+xml", "application/octet-stream", "attachment"],
    ["a false picture", bytes("<script>"), "image/png", "application/octet-stream", "attachment"],
    ["a header in the type", bytes("x"), "text/plain, text/html", "application/octet-stream", "attachment"],
  ])("are what their bytes are: %s", async (_, content, claimed, mediaType, disposition) => {
    const shop = await openShop();
    const file = await shop.uploaded(content, claimed, "x.bin");
    expect(file).toMatchObject({ mediaType, size: content.byteLength });
    const { reply } = await shop.ask("GET", `files/${file.id}/x.bin`);
    expect(reply.headers.get("content-type")).toBe(mediaType);
    expect(reply.headers.get("content-disposition")).toMatch(new RegExp(`^${disposition};`));
    expect(reply.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(reply.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(reply.headers.get("cache-control")).toMatch(/private.*immutable/);
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(content);
  });

  it.each([
    ["Счёт № 5.pdf", "Счёт № 5.pdf"],
    ["../../etc/passwd", ".._.._etc_passwd"],
    ['a"\r\nx: y', 'a"__x: y'],
    ["fdp\u202egnp.exe", "fdp_gnp.exe"],
    [`${"x".repeat(200)}.png`, `${"x".repeat(116)}.png`],
    ["", "file"],
  ])("named %j are named %j", async (given, kept) => {
    const shop = await openShop();
    const file = await shop.uploaded(bytes("x"), "text/plain", given);
    expect(file.name).toBe(kept);
    const { reply } = await shop.ask("GET", `files/${file.id}/x`);
    const disposition = reply.headers.get("content-disposition") ?? "";
    expect(decodeURIComponent(disposition.replace("attachment; filename*=UTF-8''", ""))).toBe(kept);
  });

  it("over their limit are refused with 413, and empty ones with 400", async () => {
    const shop = await openShop();
    const over = new Uint8Array(10 * 1024 * 1024 + 1);
    over.set(PNG);
    expect((await shop.upload(over)).reply.status).toBe(413);
    expect((await shop.upload(new Uint8Array(10 * 1024 * 1024 + 1), "text/plain", "a.txt")).reply.status).toBe(200);
    expect((await shop.upload(new Uint8Array(0))).reply.status).toBe(400);
    expect((await shop.ask("GET", "files/unknown/x")).reply.status).toBe(404);
  });
});

describe("a visitor who reads", () => {
  it("tells of an agent's message, under one key", async () => {
    const shop = await openShop();
    const [id] = await shop.send(text("hi"));
    const read = () => shop.ask("POST", "read", { headers: shop.headers, body: JSON.stringify({ id }) });
    const [first, again] = [await read(), await read()];
    expect(first.events).toMatchObject([{ type: "read", key: `read:${id}`, chat: shop.chat, messengerMessageId: id }]);
    expect(again.events[0]?.key).toBe(first.events[0]?.key);
  });

  it("cannot mark what is not an agent's message in this chat", async () => {
    const shop = await openShop();
    const own = (await shop.post({ text: "mine" })).events[0]?.messengerMessageId;
    const messengerMessageIds = await shop.send(text("for another"), "9", { chat: "another" as never });
    for (const id of [own, messengerMessageIds[0], "unknown"]) {
      const receipt = await shop.ask("POST", "read", { headers: shop.headers, body: JSON.stringify({ id }) });
      expect(receipt.reply.status).toBe(400);
      expect(receipt.events).toEqual([]);
    }
  });
});
