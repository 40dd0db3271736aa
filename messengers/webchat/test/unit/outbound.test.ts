import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { OpenFile } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { fresh, messagesOf, openShop, PNG, text } from "./shop.ts";

const verdictOf = (work: Promise<unknown> | undefined) =>
  (work ?? Promise.resolve()).then(
    () => undefined,
    (error: unknown) => (error instanceof DeliveryError ? error.verdict : error),
  );

describe("a message of an agent", () => {
  it("has an id made of its key, and is in the chat once", async () => {
    const shop = await openShop();
    const sent = await Promise.all([shop.send(text("x"), "k7"), shop.send(text("x"), "k7")]);
    expect(sent).toEqual([["a.k7"], ["a.k7"]]);
    expect(await shop.history()).toHaveLength(1);
  });

  it("carries author with picture, quote and quick replies", async () => {
    const shop = await openShop();
    await shop.send(text("hi"), "1", {
      author: { name: "Marina", bot: false, avatar: "https://crm.example/marina.png" },
      quote: { text: "hello" },
      suggestions: [{ type: "url", title: "Shop", payload: "https://shop.example" }],
    });
    expect(await shop.history()).toMatchObject([
      {
        from: "agent",
        author: { name: "Marina", bot: false, avatar: "https://crm.example/marina.png" },
        quote: { text: "hello" },
        suggestions: [{ type: "url", title: "Shop", payload: "https://shop.example" }],
      },
    ]);
    await shop.send(text("hi"), "2", { author: { name: "Eve", bot: false, avatar: "javascript:alert(1)" } });
    expect(JSON.stringify(await shop.history())).not.toContain("javascript:");
  });

  it("brings its files here, under what their bytes are, with their size on the screen", async () => {
    const shop = await openShop();
    const picture = { ...shop.fromGateway("p", PNG, "application/octet-stream", "a.png"), width: 640, height: 480 };
    const page = shop.fromGateway("h", "<script>", "text/html", "a.html");
    await shop.send({ type: "file", files: [picture, page], note: "look" });
    const [entry] = messagesOf(await shop.history());
    expect(entry).toMatchObject({
      text: "look",
      files: [
        { name: "a.png", mediaType: "image/png", image: true, width: 640, height: 480 },
        { name: "a.html", mediaType: "application/octet-stream", image: false },
      ],
    });
    const { reply } = await shop.ask("GET", `files/${entry?.files[1]?.id}/a.html`);
    expect(reply.headers.get("content-disposition")).toMatch(/^attachment/);
  });

  it("shows of what it quotes as much as stands in a line or two", async () => {
    const shop = await openShop();
    const messengerMessageId = "a.0" as MessengerMessageId;
    await shop.send(text("this"), "1", { quote: { messengerMessageId, text: "🪢".repeat(10_000) } });
    expect(messagesOf(await shop.history())[0]?.quote).toEqual({ id: "a.0", text: `${"🪢".repeat(199)}…` });
  });

  it("is split where it is long, between words, the quick replies under the last piece", async () => {
    const shop = await openShop();
    const words = "rope ".repeat(2_000).trim();
    const parts = await shop.send(text(words), "long", { suggestions: [{ type: "text", title: "Yes" }] });
    const shown = messagesOf(await shop.history());
    expect(shown.map(({ id }) => id)).toEqual(parts);
    expect(shown.map(({ text: piece = "" }) => piece.length <= 4096)).toEqual([true, true, true]);
    expect(shown.map(({ text: piece }) => piece).join(" ")).toBe(words);
    expect(shown.map(({ suggestions }) => suggestions?.length)).toEqual([0, 0, 1]);
  });

  it("shows sound, products and orders", async () => {
    const shop = await openShop();
    await shop.send({ type: "audio", files: [shop.fromGateway("a", "OggS", "audio/ogg", "voice.ogg")] }, "1");
    const cost = { value: 3, currency: "EUR" };
    const product = { id: 1, name: "Rope", article: "R-12", cost, unit: "m", url: "https://shop.example/rope" };
    await shop.send({ type: "product", product, text: "This one" }, "2");
    const items = [{ name: "Rope", quantity: 2, price: cost }, { name: "Cap" }];
    await shop.send(
      { type: "order", order: { number: "5A", items, status: "packed", cost, url: "https://shop.example/o" } },
      "3",
    );
    expect(messagesOf(await shop.history())).toMatchObject([
      { files: [{ name: "voice.ogg", mediaType: "audio/ogg", image: false }] },
      { text: "This one\n\nRope (R-12)\n€3 / m\nhttps://shop.example/rope" },
      { text: "Order 5A – packed\n1. Rope – 2 × €3.00 = €6.00\n2. Cap × 1\nTotal: €3.00\nhttps://shop.example/o" },
    ]);
  });

  it("with a file that is too large is refused for good", async () => {
    const shop = await openShop();
    const file = shop.fromGateway("f", new Uint8Array(20 * 1024 * 1024 + 1), "application/zip");
    expect(await verdictOf(shop.send({ type: "file", files: [file] }))).toEqual({ type: "reject", code: "general" });
    expect(await shop.history()).toEqual([]);
  });

  it("is tried again when the disk or the file's stream fails, and not a word of the text is in the error", async () => {
    const shop = await openShop();
    const broken = () =>
      new ReadableStream<Uint8Array>(
        { pull: (controller) => controller.error(new Error("reset")) },
        { highWaterMark: 0 },
      );
    shop.atGateway.set("f", (): OpenFile => ({ body: broken(), mediaType: "image/png" }));
    const files = [{ file: { at: "gateway" as const, id: "f" as never } }];
    expect(await verdictOf(shop.send({ type: "image", files }))).toEqual({ type: "retry" });
    shop.journal.broken(Object.assign(new Error("secret text"), { code: "SQLITE_FULL" }));
    expect(await verdictOf(shop.send(text("secret text")))).toEqual({ type: "retry" });
    await expect(shop.send(text("secret text"))).rejects.toThrow(/^the chat could not be written \(SQLITE_FULL\)$/);
  });

  it("keeps the gateway's own verdict about a file", async () => {
    const shop = await openShop();
    const files = [{ file: { at: "gateway" as const, id: "gone" as never } }];
    expect(await verdictOf(shop.send({ type: "image", files }))).toEqual({ type: "reject", code: "general" });
  });

  it("is not written once it is aborted", async () => {
    const shop = await openShop();
    await expect(shop.send(text("x"), "1", {}, AbortSignal.abort())).rejects.toThrow();
    const target = shop.at("a.1");
    await expect(shop.session.revisions?.delete(target, AbortSignal.abort())).rejects.toThrow();
    await expect(shop.session.readMarks?.read(target, AbortSignal.abort())).rejects.toThrow();
    expect(await shop.history()).toEqual([]);
  });
});

describe("an edit of an agent", () => {
  const edits = async (shop: Awaited<ReturnType<typeof openShop>>) => {
    const found: string[] = [];
    for (const { entry } of await shop.journal.after(shop.chat, 0, { entries: 10_000, bytes: 1024 ** 3 }))
      if ((entry as { type: string }).type === "edited") found.push((entry as { text: string }).text);
    return found;
  };

  it("applies there and back again, and a repeat changes nothing", async () => {
    const shop = await openShop();
    await shop.send(text("A"));
    for (const word of ["B", "B", "A", "A", "B"]) await shop.edit("a.1", word);
    expect(await edits(shop)).toEqual(["B", "A", "B"]);
  });

  it("applies also when the message lies hundreds of records back", async () => {
    const shop = await openShop();
    await shop.send(text("A"));
    const long = async () => {
      for (let n = 0; n < 250; n++) await shop.post({ text: "x" });
    };
    await shop.edit("a.1", "B");
    await long();
    await shop.edit("a.1", "A");
    await long();
    await shop.edit("a.1", "B");
    expect(await edits(shop)).toEqual(["B", "A", "B"]);
  });

  it("leaves the files of a message as they are", async () => {
    const shop = await openShop();
    await shop.send({ type: "image", files: [shop.fromGateway("1", PNG, "image/png")], note: "yuor" });
    for (let n = 0; n < 2; n++) await shop.edit("a.1", "your");
    expect((await shop.history()).slice(1)).toEqual([{ type: "edited", id: "a.1", text: "your" }]);
  });
});

describe("marks", () => {
  it("are written once each, however often they come", async () => {
    const shop = await openShop();
    const id = (await shop.post({ text: "hello" })).events[0]?.messengerMessageId ?? "";
    const { readMarks, revisions } = shop.session;
    for (let n = 0; n < 2; n++) {
      await readMarks?.delivered(shop.at(id), fresh());
      await readMarks?.read(shop.at(id), fresh());
      await revisions?.delete(shop.at(id), fresh());
    }
    expect((await shop.history()).slice(1)).toEqual(["delivered", "read", "deleted"].map((type) => ({ type, id })));
  });
});

describe("a file that is no longer kept", () => {
  it("is refused for good", async () => {
    const shop = await openShop();
    expect(await verdictOf(shop.session.files?.open("gone", fresh()))).toEqual({ type: "reject", code: "general" });
  });
});
