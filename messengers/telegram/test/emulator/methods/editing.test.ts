import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../emulator/wire.ts";
import { HARBOUR, opened, posted, ROBIN, WREN } from "../stage.ts";

const blob = (side = 40) => new Blob([Uint8Array.from(paintPng(side, side, [10, 90, 160]))], { type: "image/png" });
const chat_id = String(ROBIN);
const HOUR = 3_600_000;

async function sent() {
  const set = await opened();
  const { origin, refusal, call, text } = set;
  const id = async (method: string, more: Record<string, string | Blob>) =>
    (await posted<Message>(origin, method, { chat_id, ...more })).result.message_id;
  const edit = <T = Message>(what: string, message_id: unknown, more: object = {}) =>
    call<T>(`editMessage${what}`, { chat_id, message_id, ...more });
  const refused = async (what: string, message_id: unknown, more: object = {}) =>
    (await refusal(`editMessage${what}`, { chat_id, message_id, ...more })).replace("400 Bad Request: ", "");
  const words = async () => (await text("before")).result.message_id;
  return { ...set, id, edit, refused, words };
}

describe("an edited message", () => {
  it("is returned, and loses buttons that are not repeated", async () => {
    const { text, edit } = await sent();
    const reply_markup = { inline_keyboard: [[{ text: "a", callback_data: "a" }]] };
    const { message_id } = (await text("before", { reply_markup })).result;
    const { result } = await edit("Text", message_id, { text: "*after*", parse_mode: "MarkdownV2", reply_markup });
    expect(result).toMatchObject({
      text: "after",
      entities: [{ type: "bold", offset: 0, length: 5 }],
      reply_markup,
      edit_date: expect.any(Number),
    });
    const bare = await edit("Text", message_id, { text: "after" });
    expect([bare.result.entities, bare.result.reply_markup]).toEqual([undefined, undefined]);
    expect((await edit("ReplyMarkup", message_id, { reply_markup })).result).toMatchObject({
      text: "after",
      reply_markup,
    });
    expect((await edit("ReplyMarkup", message_id)).result.reply_markup).toBeUndefined();
  });

  it("becomes another file with its own caption", async () => {
    const { id, origin, words } = await sent();
    const photo = await id("sendPhoto", { photo: blob(), caption: "before" });
    const change = (message_id: number, media: object) =>
      posted<Message>(origin, "editMessageMedia", {
        chat_id,
        message_id: String(message_id),
        media: JSON.stringify(media),
        b: blob(50),
      });
    const photoed = await change(photo, {
      type: "photo",
      media: "attach://b",
      caption: "<b>x</b>",
      parse_mode: "HTML",
    });
    expect(photoed.result).toMatchObject({
      caption: "x",
      photo: [{ width: 50 }],
      caption_entities: [{ type: "bold" }],
    });
    const filed = await change(photo, { type: "document", media: "attach://b" });
    expect(filed.result.document).toMatchObject({ mime_type: "image/png" });
    expect([filed.result.photo, filed.result.caption]).toEqual([undefined, undefined]);
    const worded = await change(await words(), { type: "photo", media: "attach://b" });
    expect([worded.result.text, worded.result.photo?.length]).toEqual([undefined, 1]);
  });

  it("is refused when nothing changes", async () => {
    const { refused, id, words } = await sent();
    const same =
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
    expect(await refused("Text", await words(), { text: " before " })).toBe(same);
    expect(await refused("ReplyMarkup", await words())).toBe(same);
    const photo = await id("sendPhoto", { photo: blob(), caption: "before" });
    expect(await refused("Caption", photo, { caption: "before" })).toBe(same);
  });

  it("is refused when it has no such content", async () => {
    const { refused, id, words } = await sent();
    const photo = await id("sendPhoto", { photo: blob() });
    const sticker = await id("sendSticker", { sticker: blob() });
    const location = await id("sendLocation", { latitude: "1", longitude: "2" });
    const voice = await id("sendVoice", { voice: blob() });
    expect(await refused("Text", photo, { text: "x" })).toBe("there is no text in the message to edit");
    expect(await refused("Caption", await words(), { caption: "x" })).toBe(
      "there is no caption in the message to edit",
    );
    expect(await refused("Caption", sticker, { caption: "x" })).toBe("message can't be edited");
    expect(await refused("Text", location, { text: "x" })).toBe("message can't be edited");
    const media = { type: "photo", media: "x" };
    expect(await refused("Media", voice, { media })).toBe("message media can't be edited");
    expect(await refused("LiveLocation", await words(), { latitude: 1, longitude: 2 })).toBe(
      "there is no live location in the message to edit",
    );
    expect(await refused("LiveLocation", location, { latitude: 1, longitude: 2 })).toBe("message can't be edited");
  });

  it("is refused when it is somebody else's, forwarded, gone or not named", async () => {
    const { refused, call } = await sent();
    const { result } = await call<Message>("forwardMessage", { chat_id, from_chat_id: chat_id, message_id: 1 });
    expect(await refused("Text", 1, { text: "x" })).toBe("message can't be edited");
    expect(await refused("Text", result.message_id, { text: "x" })).toBe("message can't be edited");
    expect(await refused("ReplyMarkup", result.message_id)).toBe("message can't be edited");
    expect(await refused("Text", 99, { text: "x" })).toBe("message to edit not found");
    expect((await call("editMessageText", { text: "x" })).description).toBe(
      "Bad Request: message identifier is not specified",
    );
    expect((await call("editMessageText", { text: "x", inline_message_id: "abc" })).description).toBe(
      "Bad Request: MESSAGE_ID_INVALID",
    );
  });

  it("takes only an inline keyboard", async () => {
    const { refused, words } = await sent();
    const message_id = await words();
    for (const reply_markup of [{ keyboard: [["a"]] }, { remove_keyboard: true }, { force_reply: true }])
      expect(await refused("Text", message_id, { text: "x", reply_markup })).toBe("inline keyboard expected");
  });

  it.each([
    ["shows a keyboard", { keyboard: [["a"]] }],
    ["takes a keyboard away", { remove_keyboard: true }],
    ["forces a reply", { force_reply: true }],
  ])("is refused when it %s, in private chats and groups", async (_, reply_markup) => {
    const { text, refused, refusal, phone, call } = await sent();
    const { result } = await text("before", { reply_markup });
    for (const what of ["Text", "Caption", "ReplyMarkup"])
      expect(await refused(what, result.message_id, { text: "x", caption: "x" })).toBe("message can't be edited");
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const inGroup = await call<Message>("sendMessage", { chat_id: group, text: "before", reply_markup });
    const about = { chat_id: group, message_id: inGroup.result.message_id, text: "x" };
    expect(await refusal("editMessageText", about)).toBe("400 Bad Request: message can't be edited");
    const poll = await call<Message>("sendPoll", { chat_id, question: "Tea?", options: ["Yes"], reply_markup });
    expect(await refusal("stopPoll", { chat_id, message_id: poll.result.message_id })).toBe(
      "400 Bad Request: poll can't be stopped",
    );
  });

  it("may have had a keyboard without valid keys", async () => {
    const { text, edit } = await sent();
    const { message_id } = (await text("before", { reply_markup: { keyboard: [[""]] } })).result;
    expect((await edit("Text", message_id, { text: "after" })).result.text).toBe("after");
  });

  it("of an album keeps its kind", async () => {
    const { origin, refused } = await sent();
    const media = JSON.stringify(["a", "a"].map((name) => ({ type: "document", media: `attach://${name}` })));
    const album = await posted<Message[]>(origin, "sendMediaGroup", { chat_id, media, a: blob() });
    const [first] = album.result;
    const change = (type: string) => refused("Media", first?.message_id, { media: { type, media: "x" } });
    expect(await change("animation")).toBe("message content type can't be used in an album");
    expect(await change("photo")).toBe("can't change media type in the album");
  });
});

describe("a live location", () => {
  it("moves until it is stopped or expires", async () => {
    const { call, edit, refused, clock } = await sent();
    const live = async () => {
      const parameters = { chat_id, latitude: 1, longitude: 2, live_period: 900 };
      return (await call<Message>("sendLocation", parameters)).result.message_id;
    };
    const message_id = await live();
    const moved = await edit("LiveLocation", message_id, { latitude: 3, longitude: 4, heading: 90 });
    expect(moved.result.location).toEqual({ latitude: 3, longitude: 4, heading: 90, live_period: 900 });
    const stopped = await call<Message>("stopMessageLiveLocation", { chat_id, message_id });
    expect(stopped.result.location).toEqual({ latitude: 3, longitude: 4 });
    const other = await live();
    clock.jump(900_000);
    expect(await refused("LiveLocation", other, { latitude: 5, longitude: 6 })).toBe("message can't be edited");
  });
});

describe("a poll", () => {
  it("is sent as given, and stopped once", async () => {
    const { call, refusal, words } = await sent();
    const made = await call<Message>("sendPoll", {
      chat_id,
      question: "*Tea*?",
      question_parse_mode: "MarkdownV2",
      options: ["Yes", { text: "No" }],
      is_anonymous: false,
    });
    expect(made.result.poll).toMatchObject({
      question: "Tea?",
      is_anonymous: false,
      is_closed: false,
      type: "regular",
    });
    const about = { chat_id, message_id: made.result.message_id };
    const { result } = await call("stopPoll", about);
    expect(result).toMatchObject({ question: "Tea?", is_closed: true, options: [{ text: "Yes" }, { text: "No" }] });
    expect(await refusal("stopPoll", about)).toBe("400 Bad Request: poll has already been closed");
    expect(await refusal("stopPoll", { ...about, message_id: await words() })).toBe(
      "400 Bad Request: message is not a poll",
    );
    expect(await refusal("stopPoll", { ...about, message_id: 99 })).toBe(
      "400 Bad Request: message with poll to stop not found",
    );
  });

  it("is refused when it is invalid", async () => {
    const { refusal } = await sent();
    const send = async (question: string, options: unknown) =>
      (await refusal("sendPoll", { chat_id, question, options })).replace("400 Bad Request: ", "");
    expect(await send(" ", ["a", "b"])).toBe("text must be non-empty");
    expect(await send("x".repeat(301), ["a", "b"])).toBe("poll question length must not exceed 300");
    expect(await send("x", [])).toBe("poll must have at least one answer option");
    expect(await send("x", ["a"])).toBe("it was carried out");
    expect(await send("x", Array(13).fill("a"))).toBe("poll can't have more than 12 options");
    expect(await send("x", ["a", " "])).toBe("text must be non-empty");
    expect(await send("x", ["a", "b".repeat(101)])).toBe("poll options length must not exceed 100");
    expect(await send("x", "[")).toBe("can't parse options JSON object");
    expect(await send("x", {})).toBe("expected an Array of InputPollOption");
  });
});

describe("a message in a person's own chat with a customer", () => {
  async function inBusiness() {
    const set = await sent();
    const [hers = 0] = set.phone.send(WREN, ROBIN, { text: "Open?" });
    const [owners = 0] = set.phone.send(ROBIN, WREN, { text: "Soon" });
    const answer = await set.control("business", "POST", { bot: HARBOUR, owner: ROBIN });
    const { id } = (await answer.json()) as { id: string };
    const there = { business_connection_id: id, chat_id: WREN };
    const own = (await set.call<Message>("sendMessage", { ...there, text: "Yes" })).result.message_id;
    return { ...set, there, hers, owners, own };
  }

  it("is edited by the bot when it or the owner wrote it", async () => {
    const { call, refusal, there, hers, owners, own } = await inBusiness();
    for (const message_id of [own, owners]) {
      const { result } = await call<Message>("editMessageText", { ...there, message_id, text: "At nine" });
      expect(result).toMatchObject({ text: "At nine", business_connection_id: there.business_connection_id });
    }
    const refused = (message_id: number) => refusal("editMessageText", { ...there, message_id, text: "x" });
    expect(await refused(hers)).toBe("400 Bad Request: MESSAGE_AUTHOR_REQUIRED");
    expect(await refused(999)).toBe("400 Bad Request: MESSAGE_ID_INVALID");
  });

  it("that has a keyboard is not found for an edit", async () => {
    const { call, refusal, there } = await inBusiness();
    const parameters = { ...there, text: "Your number?", reply_markup: { keyboard: [["a"]] } };
    const { message_id } = (await call<Message>("sendMessage", parameters)).result;
    expect(await refusal("editMessageText", { ...there, message_id, text: "x" })).toBe(
      "400 Bad Request: MESSAGE_ID_INVALID",
    );
  });

  it("that the owner wrote is edited within 48 hours", async () => {
    const { refusal, there, owners, own, clock } = await inBusiness();
    clock.jump(48 * HOUR + 1000);
    const change = (message_id: number) => refusal("editMessageText", { ...there, message_id, text: "x" });
    expect(await change(owners)).toBe("400 Bad Request: MESSAGE_EDIT_TIME_EXPIRED");
    expect(await change(own)).toBe("it was carried out");
  });
});
