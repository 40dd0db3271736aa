import type { Sample } from "gangway-messenger/kit/contract";
import { ACCOUNT } from "../emulator/emulator.ts";
import { AT, attached, batch, comment, echo, entryOf, event, message, ROBIN } from "./wire.ts";

const CDN = "https://lookaside.example/ig_messaging_cdn/";
const DAY = 86_400_000;
const file = (name: string, ref: string) => ({ file: { at: "messenger", ref }, name });
const text = (words: string) => ({ type: "message", content: { type: "text", text: words } }) as const;

/** Webhooks as Instagram sends them, and the events that each brings. */
export const samples: Record<string, { body: object; events: Sample["event"][] }> = {
  "a text": {
    body: message({ text: "¿Envían a Córdoba? 🚚" }),
    events: [
      {
        type: "message",
        chat: ROBIN,
        messengerMessageId: "aWd1",
        originator: "customer",
        at: AT,
        replyUntil: AT + DAY,
        content: { type: "text", text: "¿Envían a Córdoba? 🚚" },
        customer: { id: ROBIN, hasAvatar: true },
      },
    ],
  },
  "a time in digits": { body: message({ text: "hi" }, { timestamp: String(AT) }), events: [{ ...text("hi"), at: AT }] },
  "a picture": {
    body: attached("image", { url: `${CDN}?asset_id=1` }),
    events: [{ type: "message", content: { type: "image", files: [file("photo.jpg", `${CDN}?asset_id=1`)] } }],
  },
  "two pictures at once": {
    body: message({ attachments: [1, 2].map((n) => ({ type: "image", payload: { url: `${CDN}?asset_id=${n}` } })) }),
    events: [
      {
        type: "message",
        content: { type: "image", files: [1, 2].map((n) => file("photo.jpg", `${CDN}?asset_id=${n}`)) },
      },
    ],
  },
  "a voice message": {
    body: attached("audio", { url: `${CDN}voice.aac` }),
    events: [{ type: "message", content: { type: "audio", files: [file("voice.aac", `${CDN}voice.aac`)] } }],
  },
  "a video": {
    body: attached("video", { url: `${CDN}?asset_id=3` }),
    events: [{ type: "message", content: { type: "file", files: [file("video.mp4", `${CDN}?asset_id=3`)] } }],
  },
  "a document": {
    body: attached("file", { url: `${CDN}offer.pdf` }),
    events: [{ type: "message", content: { type: "file", files: [file("offer.pdf", `${CDN}offer.pdf`)] } }],
  },
  "a moving picture": {
    body: attached("animated_media", { url: `${CDN}?asset_id=4` }),
    events: [{ type: "message", content: { type: "image", files: [file("animation.gif", `${CDN}?asset_id=4`)] } }],
  },
  "a heart": { body: attached("like_heart"), events: [text("❤️")] },
  "an answer to a story": {
    body: message({ text: "how much?", reply_to: { story: { id: "1", url: `${CDN}story` } } }),
    events: [
      {
        type: "message",
        content: {
          type: "file",
          files: [{ ...file("story", `${CDN}story`), mayBePicture: true }],
          note: "Replying to your story:\nhow much?",
        },
      },
    ],
  },
  "an answer to a story that is over": {
    body: message({ text: "how much?", reply_to: { story: { id: "1" } } }),
    events: [text("Replying to your story:\nhow much?")],
  },
  "a mention in a story": {
    body: attached("story_mention", { url: `${CDN}mention` }),
    events: [
      {
        type: "message",
        content: {
          type: "file",
          files: [{ ...file("story", `${CDN}mention`), mayBePicture: true }],
          note: "Mentioned you in a story",
        },
      },
    ],
  },
  "a mention in a story that is over": {
    body: attached("story_mention", {}),
    events: [text("Mentioned you in a story")],
  },
  "a shared post of old": {
    body: attached("share", { url: `${CDN}post` }),
    events: [text(`[Shared post]\n${CDN}post`)],
  },
  "a shared post": {
    body: attached("ig_post", { url: `${CDN}post`, title: "Ropes", ig_post_media_id: 17900000000000 }),
    events: [text(`[Shared post] Ropes\n${CDN}post`)],
  },
  "a shared reel": {
    body: attached("ig_reel", { url: `${CDN}reel`, title: "Knots" }, { text: "look" }),
    events: [text(`[Shared reel] Knots\n${CDN}reel\nlook`)],
  },
  "a shared story": { body: attached("ig_story", { url: `${CDN}s` }), events: [text(`[Story]\n${CDN}s`)] },
  "a shared reel of old": { body: attached("reel", { url: `${CDN}r` }), events: [text(`[Shared reel]\n${CDN}r`)] },
  "a story of old": { body: attached("story", { url: `${CDN}s` }), events: [text(`[Story]\n${CDN}s`)] },
  "an appointment": { body: attached("appointment_booking"), events: [text("[Appointment]")] },
  "a card of another app": {
    body: echo({
      attachments: [{ type: "template", payload: { template_type: "button", text: "Which one?", buttons: [] } }],
    }),
    events: [{ ...text("[Template]\nWhich one?"), originator: "channel" }],
  },
  "a message from a product of the shop": {
    body: message({ text: "how much?", referral: { product: { id: "5514" } } }),
    events: [text("[About the product 5514]\nhow much?")],
  },
  "a picture that disappears, while it can be seen": {
    body: attached("ephemeral", { url: `${CDN}once.jpg` }),
    events: [
      {
        type: "message",
        content: { type: "file", files: [{ ...file("once.jpg", `${CDN}once.jpg`), mayBePicture: true }] },
      },
    ],
  },
  "a picture that disappears": {
    body: attached("ephemeral"),
    events: [text("[A photo or video that disappears: open it in the app]")],
  },
  "what the API does not pass on": {
    body: message({ is_unsupported: true }),
    events: [text("[A message that the API does not pass on: open it in the app]")],
  },
  "an unsupported attachment": {
    body: attached("unsupported_type"),
    events: [text("[A message that the API does not pass on: open it in the app]")],
  },
  "an attachment newer than this version": {
    body: attached("hologram"),
    events: [text("[Unsupported message type: hologram]")],
  },
  "a message taken back": {
    body: message({ is_deleted: true }),
    events: [{ type: "deleted", messengerMessageId: "aWd1", chat: ROBIN }],
  },
  "a quoted message": {
    body: message({ text: "this", reply_to: { mid: "aWd0" } }),
    events: [{ ...text("this"), quote: "aWd0" }],
  },
  "a quick reply": { body: message({ text: "Yes", quick_reply: { payload: "say:yes" } }), events: [text("Yes")] },
  "an icebreaker": {
    body: event({ postback: { mid: "aWdP", title: "What does shipping cost?", payload: "SHIPPING" } }),
    events: [{ ...text("What does shipping cost?"), messengerMessageId: "aWdP", replyUntil: AT + DAY }],
  },
  "a reaction": {
    body: event({ reaction: { mid: "aWdOut", action: "react", reaction: "love", emoji: "❤️" } }),
    events: [{ type: "reaction", messengerMessageId: "aWdOut", reaction: "❤️" }],
  },
  "a reaction with any emoji": {
    body: event({ reaction: { mid: "aWdOut", action: "react", reaction: "other", emoji: "🪢" } }),
    events: [{ type: "reaction", reaction: "🪢" }],
  },
  "a reaction taken back": {
    body: event({ reaction: { mid: "aWdOut", action: "unreact" } }),
    events: [{ type: "reaction", reaction: null }],
  },
  "a message that was seen": {
    body: event({ read: { mid: "aWdOut" } }),
    events: [{ type: "read", messengerMessageId: "aWdOut" }],
  },
  "a read mark up to a time": {
    body: event({ read: { watermark: AT } }),
    events: [{ type: "read-until", at: AT, customer: ROBIN }],
  },
  "an edit": {
    body: event({ message_edit: { mid: "aWd1", text: "mended", num_edit: 1 } }),
    events: [{ type: "edited", messengerMessageId: "aWd1", text: "mended" }],
  },
  "a message after an ad": {
    body: message({
      text: "hi",
      referral: { source: "ADS", type: "OPEN_THREAD", ad_id: "6045", ads_context_data: { ad_title: "Ropes" } },
    }),
    events: [
      { ...text("hi"), customer: { utm: { source: "instagram", medium: "ad", campaign: "6045", content: "Ropes" } } },
    ],
  },
  "a link into the chat, then a message": {
    body: batch(
      entryOf(
        {
          sender: { id: ROBIN },
          recipient: { id: ACCOUNT.id },
          timestamp: AT,
          referral: { ref: "qr", source: "IGME" },
        },
        { sender: { id: ROBIN }, recipient: { id: ACCOUNT.id }, timestamp: AT, message: { mid: "aWd2", text: "hi" } },
      ),
    ),
    events: [{ ...text("hi"), customer: { utm: { medium: "igme", campaign: "qr" } } }],
  },
  "a message of staff in the app": {
    body: echo({ text: "We do!" }),
    events: [{ ...text("We do!"), originator: "channel", chat: ROBIN, messengerMessageId: "aWdOut" }],
  },
  "a comment": {
    body: comment({ text: "Price?", from: { id: ROBIN, username: "robin.mar" } }),
    events: [
      {
        ...text("Comment on your post:\nPrice?"),
        chat: ROBIN,
        at: Math.floor(AT / 1000) * 1000,
        customer: { nickname: "@robin.mar", profileUrl: "https://www.instagram.com/robin.mar" },
      },
    ],
  },
  "a message on standby": {
    body: batch({
      id: ACCOUNT.id,
      time: AT,
      standby: [
        { sender: { id: ROBIN }, recipient: { id: ACCOUNT.id }, timestamp: AT, message: { mid: "aWd3", text: "hey" } },
      ],
    }),
    events: [text("hey")],
  },
};
