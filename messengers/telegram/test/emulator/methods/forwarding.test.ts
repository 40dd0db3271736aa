import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../emulator/wire.ts";
import { HARBOUR, opened, posted, ROBIN, WREN } from "../stage.ts";

const PICTURE = paintPng(60, 40, [10, 90, 160]);
const blob = () => new Blob([Uint8Array.from(PICTURE)], { type: "image/png" });
const here = { chat_id: ROBIN, from_chat_id: ROBIN };

/** Wren, too, has a chat with the bot, with one message. */
async function withBoth() {
  const set = await opened();
  const [hers = 0] = set.phone.send(WREN, HARBOUR, {
    text: "a *secret*",
    marks: [{ type: "bold", offset: 2, length: 8 }],
  });
  const forward = (more: object) => set.call<Message>("forwardMessage", { ...here, ...more });
  const copy = (more: object) => set.call<{ message_id: number }>("copyMessage", { ...here, ...more });
  const album = async () => {
    const media = JSON.stringify([
      { type: "photo", media: "attach://a", caption: "both" },
      { type: "photo", media: "attach://a" },
    ]);
    return (await posted<Message[]>(set.origin, "sendMediaGroup", { chat_id: String(ROBIN), media, a: blob() })).result;
  };
  return { ...set, hers, forward, copy, album };
}

describe("a forwarded message", () => {
  it("shows its origin, also when it is forwarded again", async () => {
    const { forward, hers, updates, shown } = await withBoth();
    const { result } = await forward({ from_chat_id: WREN, message_id: hers });
    expect(result).toMatchObject({
      from: { id: HARBOUR },
      text: "a *secret*",
      entities: [{ type: "bold", offset: 2, length: 8 }],
      forward_origin: { type: "user", sender_user: { id: WREN, first_name: "Wren" } },
    });
    const again = await forward({ message_id: result.message_id });
    expect(again.result.forward_origin).toEqual(result.forward_origin);
    expect(shown().at(-1)?.forwardedFrom).toBe("Wren");
    expect(await updates()).toHaveLength(2);
  });

  it("hides the account of a person who hides forwards", async () => {
    const { forward, hers, control } = await withBoth();
    await control(`people/${WREN}`, "POST", { hidesForwards: true });
    const { result } = await forward({ from_chat_id: WREN, message_id: hers });
    expect(result.forward_origin).toEqual({ type: "hidden_user", sender_user_name: "Wren", date: expect.any(Number) });
  });

  it("of a channel names the channel and the post", async () => {
    const { forward, control, call } = await withBoth();
    const { id } = (await (await control("channels", "POST", { title: "News", bot: HARBOUR })).json()) as {
      id: number;
    };
    const news = await call<Message>("sendMessage", { chat_id: id, text: "news" });
    const { result } = await forward({ from_chat_id: id, message_id: news.result.message_id });
    expect(result.forward_origin).toMatchObject({
      type: "channel",
      chat: { id, title: "News" },
      message_id: news.result.message_id,
    });
  });

  it("neither is a reply nor has buttons, unlike its source", async () => {
    const { text, forward } = await withBoth();
    const reply_markup = { inline_keyboard: [[{ text: "a", callback_data: "a" }]] };
    const { result } = await text("x", { reply_markup, reply_parameters: { message_id: 1 } });
    const passed = (await forward({ message_id: result.message_id })).result;
    expect([passed.reply_markup, passed.reply_to_message]).toEqual([undefined, undefined]);
  });

  it("that is missing, protected or a service message is refused", async () => {
    const { refusal, text, phone, call } = await withBoth();
    const forward = (more: object) => refusal("forwardMessage", { ...here, ...more });
    expect(await forward({ message_id: 99 })).toBe("400 Bad Request: message to forward not found");
    expect(await forward({ message_id: 1, from_chat_id: 5 })).toBe("400 Bad Request: chat not found");
    const guarded = await text("x", { protect_content: true });
    const message_id = guarded.result.message_id;
    expect(guarded.result).toMatchObject({ has_protected_content: true });
    expect(await forward({ message_id })).toBe("400 Bad Request: the message can't be forwarded");
    expect(await refusal("copyMessage", { ...here, message_id })).toBe("400 Bad Request: the message can't be copied");
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const made = (await call<Message>("sendMessage", { chat_id: group, text: "x" })).result.message_id - 1;
    expect(await forward({ message_id: made, from_chat_id: group })).toBe(
      "400 Bad Request: the message can't be forwarded",
    );
  });
});

describe("a copied message", () => {
  it("is the bot's own, and may be a reply and have buttons", async () => {
    const { copy, hers, shown } = await withBoth();
    const reply_markup = { inline_keyboard: [[{ text: "a", callback_data: "a" }]] };
    const input = { from_chat_id: WREN, message_id: hers, reply_markup, reply_parameters: { message_id: 1 } };
    const { result } = await copy(input);
    expect(Object.keys(result)).toEqual(["message_id"]);
    const seen = shown().at(-1);
    expect(seen).toMatchObject({
      id: result.message_id,
      from: "bot",
      text: "a *secret*",
      marks: [{ type: "bold" }],
      quote: { id: 1 },
      inline: [[{ text: "a" }]],
    });
    expect(seen?.forwardedFrom).toBeUndefined();
  });

  it("keeps its caption unless given another one", async () => {
    const { copy, album, shown } = await withBoth();
    const message_id = (await album())[0]?.message_id;
    await copy({ message_id });
    await copy({ message_id, caption: "<b>mine</b>", parse_mode: "HTML", show_caption_above_media: true });
    await copy({ message_id, caption: "" });
    expect(shown().slice(-3)).toMatchObject([
      { text: "both" },
      { text: "mine", marks: [{ type: "bold" }], above: true },
      { text: "" },
    ]);
    expect(shown().at(-1)?.album).toBeUndefined();
  });

  it("that cannot be read or found is refused", async () => {
    const { refusal } = await withBoth();
    expect(await refusal("copyMessage", { ...here, message_id: 99 })).toBe(
      "400 Bad Request: message to copy not found",
    );
    expect(await refusal("copyMessage", { chat_id: ROBIN, message_id: 1 })).toBe(
      '400 Bad Request: parameter "from_chat_id" is required',
    );
  });
});

describe("several messages at once", () => {
  it("stay an album, without missing ones", async () => {
    const { call, album, shown } = await withBoth();
    const [first, second] = await album();
    const message_ids = [1, first?.message_id, second?.message_id, 99];
    const { result } = await call<{ message_id: number }[]>("forwardMessages", { ...here, message_ids });
    expect(result).toHaveLength(3);
    const passed = shown().slice(-3);
    expect(passed.map(({ text, forwardedFrom }) => [text, forwardedFrom])).toEqual([
      ["hello", "Robin Field"],
      ["both", "Harbour"],
      ["", "Harbour"],
    ]);
    expect(passed[1]?.album).toBe(passed[2]?.album);
    expect(passed[1]?.album).not.toBe(first?.media_group_id);
  });

  it("are copied without captions on request", async () => {
    const { call, album, shown } = await withBoth();
    const message_ids = (await album()).map(({ message_id }) => message_id);
    await call("copyMessages", { ...here, message_ids });
    await call("copyMessages", { ...here, message_ids, remove_caption: true });
    expect(
      shown()
        .slice(-4)
        .map(({ text, forwardedFrom }) => [text, forwardedFrom]),
    ).toEqual([
      ["both", undefined],
      ["", undefined],
      ["", undefined],
      ["", undefined],
    ]);
  });

  it("are at most 100, in order, and at least one exists", async () => {
    const { refusal } = await withBoth();
    const refused = async (message_ids: unknown) =>
      (await refusal("forwardMessages", { ...here, message_ids })).replace("400 Bad Request: ", "");
    expect(await refused([])).toBe("message identifiers are not specified");
    expect(await refused(Array.from({ length: 101 }, (_, at) => at + 1))).toBe(
      "too many message identifiers specified",
    );
    expect(await refused([2, 1])).toBe("message identifiers must be in a strictly increasing order");
    expect(await refused([98, 99])).toBe("there are no messages to forward");
  });
});
