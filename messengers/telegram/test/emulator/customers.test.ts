import { describe, expect, it } from "vitest";
import { phoned } from "./phones.ts";
import { HARBOUR, ROBIN, WREN } from "./stage.ts";

describe("a customer's formatted text", () => {
  it("comes with every kind of entity, and with its links", async () => {
    const { write, messages, shown } = await phoned();
    const kinds = ["bold", "italic", "underline", "strikethrough", "spoiler", "code", "blockquote"];
    const words = kinds.map((type) => `${type} `).join("");
    const marks: { type: string; offset: number; length: number }[] = kinds.map((type) => ({
      type,
      offset: words.indexOf(type),
      length: type.length,
    }));
    const text = `${words}\nconst x;\nhere 👍 https://example.com`;
    const at = (part: string) => ({ offset: text.indexOf(part), length: part.length });
    marks.push({ type: "pre", language: "ts", ...at("const x;") } as (typeof marks)[0]);
    marks.push({ type: "text_link", url: "https://shop.example/", ...at("here") } as (typeof marks)[0]);
    marks.push({ type: "custom_emoji", custom_emoji_id: "5368324170671202286", ...at("👍") } as (typeof marks)[0]);
    await write({ text, marks });
    const [message] = await messages();
    expect(message?.entities).toEqual([...marks, { type: "url", ...at("https://example.com") }]);
    expect(shown().at(-1)?.marks).toEqual(message?.entities);
  });
});

describe("a customer's reply", () => {
  it("quotes the highlighted text and its position", async () => {
    const { write, messages, shown } = await phoned();
    const marks = [
      { type: "bold", offset: 4, length: 3 },
      { type: "code", offset: 0, length: 3 },
    ];
    const [id] = await write({ text: "one two one two", marks });
    await write({ text: "this?", replyTo: id, quote: { text: "one t", position: 1 } });
    expect((await messages())[1]).toMatchObject({
      reply_to_message: { message_id: id, text: "one two one two" },
      quote: { text: "one t", position: 8, is_manual: true },
    });
    await write({ text: "that?", replyTo: id, quote: { text: "one two" } });
    expect((await messages())[0]?.quote).toEqual({
      text: "one two",
      position: 0,
      is_manual: true,
      entities: [{ type: "bold", offset: 4, length: 3 }],
    });
    expect(shown().at(-1)?.quote).toEqual({ id, text: "one two" });
    await expect(write({ text: "x", replyTo: id, quote: { text: "three" } })).rejects.toThrow(
      "400 The quoted text is not in the message",
    );
  });

  it("may refer to a message of a chat without the bot", async () => {
    const { write, messages, shown } = await phoned();
    await write({ text: "yours?", external: { from: "News", isChannel: true, text: "A sale" } });
    await write({ text: "his?", external: { from: "Ash" } });
    const [channel, person] = await messages();
    expect(channel).toMatchObject({
      external_reply: {
        origin: { type: "channel", chat: { type: "channel", title: "News" } },
        chat: { title: "News" },
        message_id: expect.any(Number),
      },
      quote: { text: "A sale", position: 0 },
    });
    expect(channel?.quote?.is_manual).toBeUndefined();
    expect(person?.external_reply).toEqual({
      origin: { type: "hidden_user", date: expect.any(Number), sender_user_name: "Ash" },
    });
    expect(person?.reply_to_message).toBeUndefined();
    expect(
      shown()
        .slice(-2)
        .map(({ quote }) => quote),
    ).toEqual([{ text: "News: A sale" }, { text: "Ash: …" }]);
  });

  it("may refer to a story of the business, and not where there are none", async () => {
    const { write, messages, business } = await phoned();
    await business();
    await write({ text: "lovely", story: 7 }, WREN);
    expect((await messages("business_message"))[1]).toMatchObject({
      text: "lovely",
      reply_to_story: { chat: { id: WREN, type: "private" }, id: 7 },
    });
    await expect(write({ text: "lovely", story: 7 })).rejects.toThrow("400 This chat has no stories");
  });
});

describe("a customer's change", () => {
  it("may replace the file, the text, or both", async () => {
    const { ask, write, photo, file, messages } = await phoned();
    const [id] = await write({ text: "before", media: [photo()] });
    const change = (more: object) => ask("PATCH", `/${ROBIN}/chats/${HARBOUR}/messages/${id}`, more);
    const [sent] = await messages();
    await change({ media: photo() });
    await change({
      media: { kind: "document", file: file() },
      text: "after",
      marks: [{ type: "bold", offset: 0, length: 5 }],
    });
    await change({ text: null });
    const [photoed, filed, bare] = await messages("edited_message");
    expect(photoed).toMatchObject({ message_id: id, caption: "before", edit_date: expect.any(Number) });
    expect(photoed?.photo?.at(-1)?.file_unique_id).not.toBe(sent?.photo?.at(-1)?.file_unique_id);
    expect(filed).toMatchObject({ caption: "after", caption_entities: [{ type: "bold" }], document: {} });
    expect(filed?.photo).toBeUndefined();
    expect([bare?.caption, bare?.caption_entities, bare?.document?.mime_type]).toEqual([
      undefined,
      undefined,
      "image/png",
    ]);
  });

  it("may be of an album's second part", async () => {
    const { ask, write, photo, messages } = await phoned();
    const [, second] = await write({ text: "first", media: [photo(), photo({ caption: "second" })] });
    expect((await messages()).map(({ caption }) => caption)).toEqual(["first", "second"]);
    await ask("PATCH", `/${ROBIN}/chats/${HARBOUR}/messages/${second}`, { text: "changed" });
    expect((await messages("edited_message"))[0]).toMatchObject({
      message_id: second,
      caption: "changed",
      media_group_id: expect.any(String),
    });
  });

  it("cannot empty a text or change a poll", async () => {
    const { ask, write } = await phoned();
    const [id] = await write({ text: "x" });
    const [poll] = await write({ poll: { question: "Tea?", options: ["Yes", "No"] } });
    const change = (which = 0) => ask("PATCH", `/${ROBIN}/chats/${HARBOUR}/messages/${which}`, { text: null });
    await expect(change(id)).rejects.toThrow("400");
    await expect(change(poll)).rejects.toThrow("400");
  });
});

describe("a gift", () => {
  it("is a service message and no reply", async () => {
    const { write, messages, shown } = await phoned();
    await write({ gift: { stars: 50, text: "for you", isPrivate: true } });
    await write({ uniqueGift: { name: "Sea Wave", number: 12 } });
    const [gift, unique] = await messages();
    expect(gift?.gift).toMatchObject({
      gift: { id: expect.any(String), star_count: 50, sticker: { emoji: "🎁" } },
      text: "for you",
      is_private: true,
    });
    expect(unique?.unique_gift).toMatchObject({
      gift: { base_name: "Sea Wave", name: "SeaWave-12", number: 12, model: {}, symbol: {}, backdrop: { colors: {} } },
      origin: "transfer",
    });
    expect(
      shown()
        .slice(-2)
        .map(({ from, card }) => [from, card]),
    ).toEqual([
      ["me", "Gift for 50 stars: for you"],
      ["me", "Gift: Sea Wave #12"],
    ]);
  });
});
