import { describe, expect, it } from "vitest";
import type { Message } from "../../../emulator/wire.ts";
import { HARBOUR, opened, ROBIN } from "../stage.ts";

const button = (more: object) => ({ inline_keyboard: [[{ text: "A", ...more }]] });

// Error texts: get_reply_markup in Client.cpp of telegram-bot-api, and TDLib's ReplyMarkup.cpp.
describe("a reply markup", () => {
  async function sending() {
    const { refusal, ...set } = await opened();
    const send = async (reply_markup: unknown, chat_id = ROBIN) =>
      (await refusal("sendMessage", { chat_id, text: "x", reply_markup })).replace("400 Bad Request: ", "");
    return { ...set, send };
  }

  it.each<[string, unknown, string]>([
    ["no JSON", "{inline", "can't parse reply keyboard markup JSON object"],
    ["a list", [], "object expected as reply markup"],
    ["rows that are none", { inline_keyboard: 5 }, 'field "inline_keyboard" must be of type Array'],
    ["a row that is none", { inline_keyboard: [{}] }, "expected an Array of InlineKeyboardButton"],
    [
      "a button that is none",
      { inline_keyboard: [["A"]] },
      "can't parse InlineKeyboardButton: InlineKeyboardButton must be an Object",
    ],
    [
      "a button without words",
      { inline_keyboard: [[{ url: "e.com" }]] },
      "can't parse InlineKeyboardButton: Can't find field \"text\"",
    ],
    [
      "a button that does nothing",
      button({}),
      "can't parse InlineKeyboardButton: Text buttons are not allowed in the inline keyboard",
    ],
    [
      "a style that is none",
      button({ url: "e.com", style: "loud" }),
      "can't parse InlineKeyboardButton: Invalid button style specified",
    ],
    [
      "a link that is none",
      button({ url: "nowhere" }),
      "inline keyboard button URL 'nowhere' is invalid: Wrong HTTP URL",
    ],
    [
      "a Web App without encryption",
      button({ web_app: { url: "http://e.com" } }),
      "inline keyboard button Web App URL 'http://e.com' is invalid: Only HTTPS links are allowed",
    ],
    ["a payload that is too long", button({ callback_data: "x".repeat(65) }), "BUTTON_DATA_INVALID"],
    ["a button to pay outside of an invoice", button({ pay: true }), "BUTTON_TYPE_INVALID"],
    [
      "a key that is none",
      { keyboard: [[5]] },
      "can't parse KeyboardButton: KeyboardButton must be a String or an Object",
    ],
    [
      "somebody to choose, but no number for them",
      { keyboard: [[{ text: "A", request_users: {} }]] },
      "can't parse KeyboardButton: Can't find field \"request_id\"",
    ],
    [
      "a bot that is none",
      button({ login_url: { url: "https://e.com", bot_username: "a b" } }),
      "can't parse InlineKeyboardButton: LoginUrl bot username is invalid",
    ],
    [
      "an icon that is none",
      button({ url: "e.com", icon_custom_emoji_id: "x" }),
      'can\'t parse InlineKeyboardButton: Field "icon_custom_emoji_id" must be a valid Number',
    ],
    [
      "a flag that is none",
      { keyboard: [[{ text: "A", request_contact: 1 }]] },
      'can\'t parse KeyboardButton: Field "request_contact" must be of type Boolean',
    ],
  ])("with %s is refused", async (_, markup, words) => {
    const { send } = await sending();
    expect(await send(markup)).toBe(words);
  });

  it.each<[object, string]>([
    [{ request_contact: true }, "phone number can be requested in private chats only"],
    [{ request_phone_number: true }, "phone number can be requested in private chats only"],
    [{ request_location: true }, "location can be requested in private chats only"],
    [{ request_poll: {} }, "poll can be requested in private chats only"],
    [{ web_app: { url: "https://e.com" } }, "web App buttons can be used in private chats only"],
    [{ request_users: { request_id: 1 } }, "users can be requested in private chats only"],
    [{ request_user: { request_id: 1 } }, "users can be requested in private chats only"],
    [{ request_chat: { request_id: 1 } }, "chats can be requested in private chats only"],
    [{ request_managed_bot: { request_id: 1 } }, "managed bots can be requested in private chats only"],
  ])("with a key that requests something, %j, is for private chats only", async (asks, words) => {
    const { send, phone } = await sending();
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const keyboard = { keyboard: [[{ text: "A", ...asks }]] };
    expect(await send(keyboard, group)).toBe(words);
    expect(await send(keyboard)).toBe("it was carried out");
  });

  it("opens an app in private chats only", async () => {
    const { send, phone } = await sending();
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const app = button({ web_app: { url: "https://e.com" } });
    expect(await send(app, group)).toBe("BUTTON_TYPE_INVALID");
    expect(await send(app)).toBe("it was carried out");
  });

  it("accepts its older names", async () => {
    const { send, shown, phone } = await sending();
    await send({ keyboard: [["A"]] });
    expect(await send({ hide_keyboard: true })).toBe("it was carried out");
    expect(await send({ force_reply_keyboard: true })).toBe("it was carried out");
    expect([phone.chats(ROBIN)[0]?.keyboard, shown().length]).toEqual([[], 4]);
  });

  it("other than an inline keyboard is refused under a channel's post", async () => {
    const { send, control } = await sending();
    const made = await control("channels", "POST", { title: "News", bot: HARBOUR });
    const { id } = (await made.json()) as { id: number };
    expect(await send({ keyboard: [["A"]] }, id)).toBe("inline keyboard expected");
    expect(await send(button({ callback_data: "a" }), id)).toBe("it was carried out");
  });

  it("loses buttons without text and beyond the limits", async () => {
    const { text } = await sending();
    const row = Array.from({ length: 20 }, (_, at) => ({ text: at === 0 ? "" : `${at}`, callback_data: `${at}` }));
    const { result } = await text("x", { reply_markup: { inline_keyboard: [row, []] } });
    const rows = (result as Message).reply_markup?.inline_keyboard ?? [];
    expect(rows.map((each) => each.map((made) => made.text))).toEqual([
      ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
    ]);
    const empty = await text("x", { reply_markup: { inline_keyboard: [] } });
    expect(empty.ok && empty.result.reply_markup).toBeUndefined();
  });

  it("has its links as Telegram stores them", async () => {
    const { text } = await sending();
    const { result } = await text("x", { reply_markup: JSON.stringify(button({ url: "Example.com?a=b" })) });
    expect(result.reply_markup).toEqual(button({ url: "http://example.com/?a=b" }));
  });
});
