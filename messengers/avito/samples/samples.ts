import { AT, BUYER, CHAT, message, OWN, SIZES } from "./wire.ts";

interface Sample {
  body: object;
  events: Record<string, unknown>[];
}
const text = (value: string) => ({ type: "text", text: value });
const says = (type: string, content: unknown, value: string): Sample => ({
  body: message({ type, content }),
  events: [{ type: "message", content: text(value) }],
});

/** Webhooks, and the events that each brings; the words are Russian. */
export const samples: Record<string, Sample> = {
  "a text": {
    body: message(),
    events: [
      {
        ...{ type: "message", key: "message:bdcc5bac2d00345f1cc66fa657813958", chat: CHAT, at: AT * 1_000 },
        ...{ originator: "customer", customer: { id: String(BUYER), nickname: "Avito 5311" } },
        content: text("привет!"),
      },
    ],
  },
  "a text in a chat about a profile": {
    body: message({ chat_type: "u2u", item_id: null }),
    events: [{ type: "message", content: text("привет!") }],
  },
  "a picture, in its largest size": {
    body: message({ type: "image", content: { image: { sizes: SIZES } } }),
    events: [
      {
        type: "message",
        content: {
          type: "image",
          files: [
            {
              file: { at: "messenger", ref: `image:${SIZES["1280x960"]}` },
              ...{ name: "5083651369.3e798a9b.jpg", width: 1280, height: 960 },
            },
          ],
        },
      },
    ],
  },
  "a voice message": {
    body: message({ type: "voice", content: { voice: { voice_id: "abc" } } }),
    events: [
      {
        type: "message",
        content: { type: "audio", files: [{ file: { at: "messenger", ref: "voice:abc" }, name: "voice.mp4" }] },
      },
    ],
  },
  "a link with a preview": says(
    "link",
    {
      link: {
        ...{ text: "habr.com", url: "habr.com" },
        preview: {
          title: "Лучшие публикации за сутки / Хабр",
          domain: "habr.com",
          url: "https://habr.com/ru/",
          images: null,
        },
      },
    },
    "habr.com\nЛучшие публикации за сутки / Хабр\nhttps://habr.com/ru/",
  ),
  "a link within a text": says(
    "link",
    { link: { text: "смотрите https://habr.com/", url: "https://habr.com/", preview: null } },
    "смотрите https://habr.com/",
  ),
  "a link of nothing": says("link", { link: {} }, "[Ссылка]"),
  "a listing": says(
    "item",
    {
      item: {
        title: "Объявление",
        item_url: "https://avito.ru/item_url",
        image_url: null,
        price_string: "1 232 323 ₽",
      },
    },
    "[Объявление] Объявление, 1 232 323 ₽\nhttps://avito.ru/item_url",
  ),
  "a listing of nothing": says("item", { item: {} }, "[Объявление]"),
  "a location": says(
    "location",
    { location: { kind: "street", lat: 55.599799, lon: 37.603954, text: "Москва, Варшавское шоссе", title: "Склад" } },
    "📍 Склад\nМосква, Варшавское шоссе\nhttps://yandex.ru/maps/?pt=37.603954,55.599799&z=16&l=map",
  ),
  "a location without a name": says(
    "location",
    { location: { lat: 0, lon: 37.6 } },
    "📍 Геопозиция\nhttps://yandex.ru/maps/?pt=37.6,0&z=16&l=map",
  ),
  "a missed call": says("call", { call: { status: "missed", target_user_id: OWN } }, "[Пропущенный звонок]"),
  "a call of another status": says("call", { call: { status: "accepted" } }, "[Звонок]"),
  "a call in the app": says("appCall", {}, "[Звонок в Авито]"),
  "a file": says("file", {}, "[Файл: Авито его не передаёт, откройте в Авито]"),
  "a video": says("video", {}, "[Видео: Авито его не передаёт, откройте в Авито]"),
  "a picture without an address": says("image", { image: { sizes: {} } }, "[Изображение: откройте в Авито]"),
  "a picture at an address of another kind": says(
    "image",
    { image: { sizes: { "10x10": "javascript:alert(1)", big: "https://a.example/a.jpg" } } },
    "[Изображение: откройте в Авито]",
  ),
  "a voice message without an id": says("voice", {}, "[Голосовое сообщение: откройте в Авито]"),
  "a text of nothing": says("text", { text: "" }, "[Сообщение без текста: откройте в Авито]"),
  "a message without content": says("text", null, "[Сообщение без текста: откройте в Авито]"),
  "a type of tomorrow": says("hologram", {}, "[Неподдерживаемый тип сообщения: hologram]"),
  "a type of tomorrow that has a text": says(
    "poll",
    { text: "красный или синий?" },
    "[Неподдерживаемый тип сообщения: poll]\nкрасный или синий?",
  ),
  "a type called __proto__": says("__proto__", {}, "[Неподдерживаемый тип сообщения: __proto__]"),
  "a text that quotes another": {
    body: message({
      quote: { id: "q1", author_id: OWN, created: AT - 9, type: "text", content: { text: "Ещё\nпродаётся" } },
    }),
    events: [{ type: "message", content: text("> Ещё продаётся\nпривет!") }],
  },
  "a picture that quotes a voice message": {
    body: message({
      ...{ type: "image", content: { image: { sizes: { "2x1": "https://img.k.avito.ru/1" } } } },
      quote: { id: "q2", type: "voice", content: { voice: { voice_id: "v" } } },
    }),
    events: [
      {
        type: "message",
        content: {
          ...{ type: "image", note: "> [Голосовое сообщение: откройте в Авито]" },
          files: [
            {
              file: { at: "messenger", ref: "image:https://img.k.avito.ru/1" },
              name: "photo.jpg",
              width: 2,
              height: 1,
            },
          ],
        },
      },
    ],
  },
  "a message that was deleted": {
    body: message({ type: "deleted", content: {} }),
    events: [
      {
        ...{ type: "deleted", key: "deleted:bdcc5bac2d00345f1cc66fa657813958", chat: CHAT },
        messengerMessageId: "bdcc5bac2d00345f1cc66fa657813958",
      },
    ],
  },
  "ids as texts": {
    body: message({ author_id: String(BUYER), user_id: String(OWN) }),
    events: [{ type: "message", originator: "customer", customer: { id: String(BUYER) }, content: text("привет!") }],
  },
  "a message of Avito's chat bot": {
    body: message({ type: "system", author_id: 1, content: { flow_id: "seller_audience_discount", text: "Скидки!" } }),
    events: [],
  },
  "a message of Avito's own chat": { body: message({ chat_type: "a2u", author_id: 1 }), events: [] },
};
