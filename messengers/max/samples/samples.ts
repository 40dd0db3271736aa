import { fingerprint } from "gangway-messenger/ids";
import type { Sample } from "gangway-messenger/kit/contract";
import { AT, about, body, CHAT, created, edited, MID, messageOf, OTHER_MID, ours, ROBIN } from "./wire.ts";

interface Recorded {
  body: object;
  /** Undefined: it brings none. */
  event: Sample["event"] | undefined;
}

const customer = { id: "123456789", nickname: "Robin Reyes", firstName: "Robin", lastName: "Reyes", language: "en" };
const message = (content: object, more: object = {}) =>
  ({
    type: "message",
    key: `m:${MID}`,
    chat: CHAT,
    messengerMessageId: MID,
    at: AT,
    content,
    ...more,
  }) as Sample["event"];
const text = (words: string, more: object = {}) => message({ type: "text", text: words }, more);
const file = (ref: string, name: string, more: object = {}) => ({ file: { at: "messenger", ref }, name, ...more });
const URL = "https://i.oneme.ru/i?r=abc";
const media = (type: string, more: object = {}) => ({ type, payload: { url: URL, token: "f9LHodD0cOK" }, ...more });
const image = { type: "image", payload: { photo_id: 1, token: "f9LHodD0cOI", url: URL } };
const vcf = "BEGIN:VCARD\r\nVERSION:3.0\r\nTEL;TYPE=cell:79990000001\r\nFN:Robin Reyes\r\nEND:VCARD\r\n";
const { user_id, first_name, is_bot, last_activity_time } = ROBIN;
const max_info = { user_id, first_name, is_bot, last_activity_time };

/** Webhooks as MAX sends them, and the event that each brings. */
export const samples: Record<string, Recorded> = {
  "a text": { body: created({ text: "¡hola! 👋" }), event: text("¡hola! 👋", { customer, originator: "customer" }) },
  "a person with a user name only": {
    body: created({ text: "hi" }, { sender: { user_id: 5, first_name: "", username: "robin", is_bot: false } }),
    event: text("hi", { customer: { id: "5", nickname: "@robin", profileUrl: "https://max.ru/robin" } }),
  },
  "a person without any name": {
    body: created({ text: "hi" }, { sender: { user_id: 123_456_789, first_name: "\u200b", is_bot: false } }),
    event: text("hi", { customer: { nickname: "MAX 6789" } }),
  },
  "formatted words": {
    body: created({
      text: "bold link code quoted\nlines",
      markup: [
        { type: "strong", from: 0, length: 4 },
        { type: "link", from: 5, length: 4, url: "https://shop.example/" },
        { type: "monospaced", from: 10, length: 4 },
        { type: "quote", from: 15, length: 12 },
        { type: "user_mention", from: 0, length: 2, user_id: 5 },
        { type: "sparkling", from: 0, length: 2 },
        { type: "strong", from: 900, length: 2 },
      ],
    }),
    event: message({
      type: "text",
      text: "bold link code > quoted\n> lines",
      marks: [
        { type: "bold", offset: 0, length: 4 },
        { type: "link", offset: 5, length: 4, url: "https://shop.example/" },
        { type: "code", offset: 10, length: 4 },
      ],
    }),
  },
  "a picture with words": {
    body: created({ text: "this one", attachments: [image] }),
    event: message({ type: "image", files: [file(URL, "photo.jpg")], note: "this one" }),
  },
  "a video": {
    body: created({ attachments: [media("video", { width: 640, height: 480, duration: 3 })] }),
    event: message({
      type: "file",
      files: [file("video:f9LHodD0cOK", "video.mp4", { width: 640, height: 480, duration: 3 })],
      note: undefined,
    }),
  },
  "a voice message": {
    body: created({ attachments: [media("audio", { transcription: "is it blue" })] }),
    event: message({ type: "audio", files: [file(URL, "audio.mp3")], note: "is it blue" }),
  },
  "a file": {
    body: created({ attachments: [media("file", { filename: "bill.pdf", size: 9 })] }),
    event: message({ type: "file", files: [file(URL, "bill.pdf", { size: 9 })], note: undefined }),
  },
  "a file that is too large": {
    body: created({ attachments: [media("file", { filename: "film.mkv", size: 52_428_800 })] }),
    event: text("[File, film.mkv, 50.0 MB: too large to be passed on]"),
  },
  "a sticker": {
    body: created({ attachments: [{ type: "sticker", payload: { url: URL, code: "a" }, width: 96, height: 96 }] }),
    event: message({ type: "image", files: [file(URL, "sticker.png", { width: 96, height: 96 })], note: undefined }),
  },
  "pictures beside a video": {
    body: created({ attachments: [image, media("video")] }),
    event: message({
      type: "file",
      files: [file(URL, "photo.jpg"), file("video:f9LHodD0cOK", "video.mp4")],
      note: undefined,
    }),
  },
  "the customer's own number": {
    body: created({ attachments: [{ type: "contact", payload: { vcf_info: vcf, max_info } }] }),
    event: text("Robin Reyes, +79990000001", { customer: { ...customer, phone: "+79990000001" } }),
  },
  "somebody else's number": {
    body: created({ attachments: [{ type: "contact", payload: { vcf_info: vcf } }] }),
    event: text("Robin Reyes, +79990000001", { customer }),
  },
  "a location": {
    body: created({ attachments: [{ type: "location", latitude: 55.75, longitude: 37.61 }] }),
    event: text("📍 Location\nhttps://yandex.ru/maps/?pt=37.61,55.75&z=16&l=map"),
  },
  "a link with its preview": {
    body: created({
      text: "look",
      attachments: [{ type: "share", payload: { url: "https://shop.example/" }, title: "Shop", description: "Ropes" }],
    }),
    event: text("look\nShop\nRopes\nhttps://shop.example/"),
  },
  "what a mini app has written": {
    body: created({ attachments: [{ type: "data", data: "size=42" }] }),
    event: text("size=42"),
  },
  "a keyboard that was passed on": {
    body: created(
      {},
      {
        link: {
          type: "forward",
          sender: { ...ROBIN, user_id: 7, first_name: "Kim", last_name: null },
          message: body({
            text: "Which?",
            attachments: [
              {
                type: "inline_keyboard",
                payload: {
                  buttons: [[{ type: "callback", text: "Red", payload: "r" }], [{ type: "message", text: "Blue" }]],
                },
              },
            ],
          }),
        },
      },
    ),
    event: text("Forwarded from Kim:\nWhich?\n[Buttons: Red, Blue]"),
  },
  "a forwarded picture, with words of one's own": {
    body: created({ text: "see" }, { link: { type: "forward", message: body({ attachments: [image] }) } }),
    event: message({ type: "image", files: [file(URL, "photo.jpg")], note: "see\nForwarded from somebody:" }),
  },
  "an answer to a message": {
    body: created(
      { text: "yes" },
      { link: { type: "reply", message: { ...body({ text: "Blue?" }), mid: OTHER_MID } } },
    ),
    event: text("yes", { quote: OTHER_MID, quoted: { head: "> Blue?\n", always: false } }),
  },
  "an attachment of tomorrow": {
    body: created({ attachments: [{ type: "hologram", payload: { url: 5 } }] }),
    event: text("[Unsupported message type: hologram]"),
  },
  "a picture without an address": {
    body: created({ attachments: [{ type: "image", payload: {} }] }),
    event: text("[Photo: MAX gave no address for it]"),
  },
  "an empty message": { body: created({ text: "" }), event: text("[Empty message]") },
  "fields of other types than documented": {
    body: created(
      { text: "hi", attachments: "none", markup: [{ type: 5 }] },
      { link: 5, sender: { ...ROBIN, name: 7 } },
    ),
    event: text("hi"),
  },
  "an edit": {
    body: edited({ text: "hello, bot" }),
    event: {
      type: "edited",
      key: `e:${MID}:${AT + 1_000}`,
      chat: CHAT,
      messengerMessageId: MID,
      text: "hello, bot",
      anew: {
        messengerMessageId: `${MID}:${AT + 1_000}`,
        content: { type: "text", text: "[Изменённое сообщение]\nhello, bot" },
      },
    },
  },
  "a picture that was put in another's stead": {
    body: edited({ text: "better", attachments: [image] }),
    event: {
      type: "message",
      key: `e:${MID}:${AT + 1_000}`,
      messengerMessageId: `${MID}:${AT + 1_000}`,
      quote: MID,
      content: { type: "image", files: [file(URL, "photo.jpg")], note: "[Файл заменён]\nbetter" },
    },
  },
  "a callback of another program's button": {
    body: {
      callback: { timestamp: AT, callback_id: "cb1", payload: "red", user: ROBIN },
      message: ours({
        attachments: [
          { type: "inline_keyboard", payload: { buttons: [[{ type: "callback", text: "Red", payload: "red" }]] } },
        ],
      }),
      ...{ timestamp: AT, user_locale: "en", update_type: "message_callback" },
    },
    event: {
      type: "message",
      key: `c:cb1:${AT}`,
      chat: CHAT,
      messengerMessageId: `cb:${fingerprint(`cb1:${AT}`)}`,
      quote: MID,
      content: { type: "text", text: "Red" },
    },
  },
  "a callback without a chat": {
    body: {
      callback: { timestamp: AT, callback_id: "cb2", payload: "red", user: ROBIN },
      message: { ...ours(), recipient: { chat_id: 0, chat_type: "dialog", user_id: 5 } },
      ...{ timestamp: AT, user_locale: "en", update_type: "message_callback" },
    },
    event: { type: "message", chat: "u123456789", content: { type: "text", text: "red" } },
  },
  "a start": {
    body: about("bot_started"),
    event: {
      type: "message",
      key: `s:${CHAT}:${AT}`,
      chat: CHAT,
      customer,
      content: { type: "text", text: "[Started the chat]" },
    },
  },
  "a start by a link with a campaign": {
    body: about("bot_started", { payload: "spring" }),
    event: { type: "message", customer: { ...customer, utm: { source: "max", medium: "bot", campaign: "spring" } } },
  },
  "a start by a link with UTM tags": {
    body: about("bot_started", { payload: Buffer.from("utm_source=vk&utm_term=rope").toString("base64url") }),
    event: { type: "message", customer: { utm: { source: "vk", term: "rope" } } },
  },
  "ids that a double does not hold": {
    body: {
      ...created({ text: "hi" }),
      message: { ...messageOf({ text: "hi" }), recipient: { chat_id: "seq:9007199254740993", chat_type: "dialog" } },
    },
    event: message({ type: "text", text: "hi" }, { chat: "9007199254740993" }),
  },
};
