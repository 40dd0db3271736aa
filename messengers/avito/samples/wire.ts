// Webhooks with the document's example values.

export const OWN = 141906442;
export const BUYER = 94235311;
export const CHAT = "u2i-q8Kx1~2";
/** Unix time, s. */
export const AT = 1_764_000_000;

/** A message of the buyer, unless `value` says otherwise. */
export const message = (value: object = {}) => ({
  id: "3f9f5a1c",
  version: "v1.1",
  timestamp: AT + 1,
  payload: {
    type: "message",
    value: {
      ...{ id: "bdcc5bac2d00345f1cc66fa657813958", chat_id: CHAT, user_id: OWN, author_id: BUYER, created: AT },
      ...{ type: "text", chat_type: "u2i", content: { text: "привет!" }, item_id: 1768287444, read: null },
      published_at: "2025-11-24T16:00:00Z",
      ...value,
    },
  },
});

/** Sizes as a picture has them. */
export const SIZES = Object.fromEntries(
  ["32x32", "140x105", "1280x960", "640x480"].map((size) => [
    size,
    `https://img.k.avito.ru/chat/${size}/5083651369.3e798a9b.jpg`,
  ]),
);
