import type { Sample } from "gangway-messenger/kit/contract";

const AT = "2025-11-24T16:00:00Z";
const chat = "chat-7";
const customer = { id: "robin", name: "Robin", phone: "+35621234567", email: "robin@shop.example" };
const created = (data: object) => ({ type: "message.created", timestamp: AT, data: { chat, id: "m-1", ...data } });
const linked = (name: string, mediaType?: string) => ({
  ...{ file: { at: "messenger", ref: `web:https://app.example/${name}` }, name, mediaType },
  ...{ width: undefined, height: undefined, duration: undefined },
});

/** Events as apps send them, and what each brings. */
export const samples: Record<string, { body: object; event: Sample["event"] }> = {
  "a text with all that is known of the customer": {
    body: created({
      text: "hello",
      customer: { ...customer, avatar: "https://app.example/robin.png", language: "en", utm: { source: "newsletter" } },
    }),
    event: {
      type: "message",
      ...{ originator: "customer", chat, messengerMessageId: "chat-7:m-1", at: Date.parse(AT) },
      content: { type: "text", text: "hello" },
      customer: {
        ...{ id: "robin", nickname: "Robin", phone: "+35621234567", email: "robin@shop.example", language: "en" },
        ...{ hasAvatar: true, utm: { source: "newsletter" } },
      },
    },
  },
  "a text of somebody of whom only the chat is known": {
    body: created({ text: "hello", customer: null }),
    event: { type: "message", customer: { id: chat, nickname: chat } },
  },
  "a text with formatting": {
    body: created({ text: "hello", marks: [{ type: "bold", offset: 0, length: 5 }] }),
    event: {
      type: "message",
      content: { type: "text", text: "hello", marks: [{ type: "bold", offset: 0, length: 5 }] },
    },
  },
  "formatting that is not within the text": {
    body: created({
      text: "🧵x",
      marks: [
        { type: "bold", offset: 1, length: 90 },
        { type: "link", offset: 0, length: 3 },
        { type: "italic", offset: 70, length: 2 },
      ],
    }),
    event: {
      type: "message",
      content: { type: "text", text: "🧵x", marks: [{ type: "bold", offset: 2, length: 1 }] },
    },
  },
  "an answer that quotes": {
    body: created({ text: "yes", quote: { id: "msg_1" } }),
    event: { type: "message", quote: "chat-7:msg_1" },
  },
  "a message of the shop's staff": {
    body: created({ text: "hello", from: "staff", customer }),
    event: { type: "message", originator: "channel", customer: { nickname: "Robin" } },
  },
  "pictures by link": {
    body: created({
      text: "look",
      files: [{ url: "https://app.example/a.png" }, { url: "https://app.example/b", mediaType: "image/jpeg" }],
    }),
    event: {
      type: "message",
      content: { type: "image", files: [linked("a.png"), linked("b", "image/jpeg")], note: "look" },
    },
  },
  "a voice message": {
    body: created({ files: [{ url: "https://app.example/v.ogg" }] }),
    event: { type: "message", content: { type: "audio", files: [linked("v.ogg")] } },
  },
  "a picture beside a document": {
    body: created({ files: [{ url: "https://app.example/a.png" }, { url: "https://app.example/b.pdf" }] }),
    event: { type: "message", content: { type: "file", files: [linked("a.png"), linked("b.pdf")] } },
  },
  "an edit": {
    body: { type: "message.edited", timestamp: AT, data: { chat, id: "m-1", text: "mended" } },
    event: { type: "edited", chat, messengerMessageId: "chat-7:m-1", text: "mended" },
  },
  "a deletion": {
    body: { type: "message.deleted", data: { chat, id: "m-1" } },
    event: { type: "deleted", messengerMessageId: "chat-7:m-1" },
  },
  "a reaction": {
    body: { type: "reaction.changed", data: { chat, id: "msg_1", reaction: "👍" } },
    event: { type: "reaction", messengerMessageId: "chat-7:msg_1", reaction: "👍" },
  },
  "a reaction that is taken back": {
    body: { type: "reaction.changed", data: { chat, id: "msg_1", reaction: null } },
    event: { type: "reaction", reaction: null },
  },
  "a read mark": {
    body: { type: "message.read", data: { chat, id: "msg_1" } },
    event: { type: "read", messengerMessageId: "chat-7:msg_1" },
  },
  "a message that could not be delivered": {
    body: {
      type: "message.failed",
      data: { chat, id: "msg_1", reason: "The number is gone", code: "customer_not_exists" },
    },
    event: {
      type: "failed",
      messengerMessageId: "chat-7:msg_1",
      error: { code: "customer_not_exists", message: "The number is gone" },
    },
  },
};
