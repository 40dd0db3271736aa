import type { Sample } from "gangway-messenger/kit/contract";
import { PAGE } from "../emulator/emulator.ts";
import { AT, attached, batch, echo, entryOf, event, message, ROBIN, SUITE } from "./wire.ts";

const CDN = "https://scontent.example/v/t1/";
const DAY = 86_400_000;
const file = (name: string, ref: string) => ({ file: { at: "messenger", ref }, name });
const text = (words: string) => ({ type: "message", content: { type: "text", text: words } }) as const;

/** Webhooks as Messenger sends them, and the events that each brings. */
export const samples: Record<string, { body: object; events: Sample["event"][] }> = {
  "a text": {
    body: message({ text: "¿Tienen cuerda?" }),
    events: [
      {
        type: "message",
        chat: ROBIN,
        messengerMessageId: "m_in1",
        originator: "customer",
        at: AT,
        replyUntil: AT + DAY,
        content: { type: "text", text: "¿Tienen cuerda?" },
        customer: { id: ROBIN, hasAvatar: true },
      },
    ],
  },
  "a time written as digits": {
    body: message({ text: "hello" }, { timestamp: String(AT) }),
    events: [{ ...text("hello"), at: AT }],
  },
  "ids written as numbers": {
    body: event({ message: { mid: "m_in1", text: "hello", app_id: SUITE } }, { recipient: { id: Number(PAGE.id) } }),
    events: [{ ...text("hello"), chat: ROBIN }],
  },
  "a picture": {
    body: attached("image", { url: `${CDN}rope.jpg?oh=1` }),
    events: [
      {
        type: "message",
        content: { type: "image", files: [file("rope.jpg", `${CDN}rope.jpg?oh=1`)], note: undefined },
      },
    ],
  },
  "two pictures at once": {
    body: message({
      attachments: ["a", "b"].map((name) => ({ type: "image", payload: { url: `${CDN}${name}.png` } })),
    }),
    events: [
      {
        type: "message",
        content: { type: "image", files: [file("a.png", `${CDN}a.png`), file("b.png", `${CDN}b.png`)] },
      },
    ],
  },
  "a picture beside a document, in one message": {
    body: message({
      attachments: [
        { type: "image", payload: { url: `${CDN}a.png` } },
        { type: "file", payload: { url: `${CDN}offer.pdf` } },
      ],
    }),
    events: [
      {
        type: "message",
        content: { type: "file", files: [file("a.png", `${CDN}a.png`), file("offer.pdf", `${CDN}offer.pdf`)] },
      },
    ],
  },
  "a voice message": {
    body: attached("audio", { url: `${CDN}audioclip-17.mp4` }),
    events: [
      { type: "message", content: { type: "audio", files: [file("audioclip-17.mp4", `${CDN}audioclip-17.mp4`)] } },
    ],
  },
  "a video": {
    body: attached("video", { url: `${CDN}x` }),
    events: [{ type: "message", content: { type: "file", files: [file("video.mp4", `${CDN}x`)] } }],
  },
  "a document with a Cyrillic name": {
    body: attached("file", { url: `${CDN}${encodeURIComponent("договор")}.pdf` }),
    events: [
      {
        type: "message",
        content: { type: "file", files: [file("договор.pdf", `${CDN}${encodeURIComponent("договор")}.pdf`)] },
      },
    ],
  },
  "a sticker as a type of its own": {
    body: attached("sticker", { url: `${CDN}s`, sticker_id: 369239263222822 }),
    events: [{ type: "message", content: { type: "image", files: [file("sticker.png", `${CDN}s`)] } }],
  },
  "a large thumb, which is a picture with the id of a sticker": {
    body: message({
      sticker_id: 369239263222822,
      attachments: [{ type: "image", payload: { url: `${CDN}thumb.png`, sticker_id: 369239263222822 } }],
    }),
    events: [{ type: "message", content: { type: "image", files: [file("thumb.png", `${CDN}thumb.png`)] } }],
  },
  "a sticker that comes as a picture, too": {
    body: message({
      attachments: ["sticker", "image"].map((type) => ({ type, payload: { url: `${CDN}s`, sticker_id: 1 } })),
    }),
    events: [{ type: "message", content: { type: "image", files: [file("sticker.png", `${CDN}s`)] } }],
  },
  "a location": {
    body: attached("location", { coordinates: { lat: 40.4, long: -3.7 } }, { title: "Plaza Mayor" }),
    events: [text("📍 Plaza Mayor\nhttps://maps.google.com/?q=40.4,-3.7")],
  },
  "a location without a title": {
    body: attached("location", { coordinates: { lat: 1, long: 2 } }),
    events: [text("📍 Location\nhttps://maps.google.com/?q=1,2")],
  },
  "a shared link": {
    body: attached("fallback", null, { title: "Rope shop", url: "https://rope.example/" }),
    events: [text("🔗 Rope shop\nhttps://rope.example/")],
  },
  "the link in a text, which comes again as an attachment": {
    body: message({
      text: "see https://rope.example/a",
      attachments: [{ type: "fallback", url: "https://rope.example/a", payload: null }],
    }),
    events: [text("see https://rope.example/a")],
  },
  "a shared reel": {
    body: attached("reel", { url: "https://reel.example/1", title: "Knots", reel_video_id: 17 }),
    events: [text("[Shared reel] Knots\nhttps://reel.example/1")],
  },
  "a shared post of Instagram": {
    body: attached("ig_post", { url: "https://post.example/1" }),
    events: [text("[Shared post]\nhttps://post.example/1")],
  },
  "a shared post of Facebook": {
    body: attached("post", { url: "https://post.example/2", title: "Ropes" }),
    events: [text("[Shared post] Ropes\nhttps://post.example/2")],
  },
  "a shared reel of Instagram": {
    body: attached("ig_reel", { url: "https://reel.example/2" }),
    events: [text("[Shared reel]\nhttps://reel.example/2")],
  },
  "an appointment": { body: attached("appointment_booking", null), events: [text("[Appointment]")] },
  "a share of which Meta says nothing": { body: attached("fallback", null), events: [text("[Link]")] },
  "a product that the customer asks about": {
    body: message({
      text: "in blue?",
      attachments: [
        {
          type: "template",
          payload: { product: { elements: [{ id: 7, retailer_id: "R-7", title: "Rope", subtitle: "€3" }] } },
        },
      ],
    }),
    events: [text("[Template]\nRope · €3 · R-7\nin blue?")],
  },
  "a message from a product's page": {
    body: message({ text: "is it there?", referral: { product: { id: "5514" } } }),
    events: [
      { ...text("[About the product 5514]\nis it there?"), customer: { utm: { source: "facebook", medium: "link" } } },
    ],
  },
  "a message after an ad for a product": {
    body: message({
      text: "hi",
      referral: { source: "ADS", ad_id: "6", ads_context_data: { ad_title: "A", product_id: "55" } },
    }),
    events: [{ ...text("[About the product 55]\nhi"), customer: { utm: { campaign: "6" } } }],
  },
  "a card of another app": {
    body: echo({
      app_id: "1517776481860111",
      attachments: [
        {
          type: "template",
          payload: { template_type: "generic", elements: [{ title: "Rope", subtitle: "€3" }, { title: "Net" }] },
        },
      ],
    }),
    events: [{ ...text("[Template]\nRope · €3\nNet"), originator: "channel" }],
  },
  "an attachment newer than this version": {
    body: attached("hologram", { url: "https://h.example/1" }),
    events: [text("[Unsupported message type: hologram]\nhttps://h.example/1")],
  },
  "a picture without an address": {
    body: attached("image", { url: null }),
    events: [text("[Unsupported message type: image]")],
  },
  "a quoted message": {
    body: message({ text: "this one", reply_to: { mid: "m_out0" } }),
    events: [{ ...text("this one"), quote: "m_out0" }],
  },
  "an answer to a story": {
    body: message({ text: "nice", reply_to: { story: { id: "1", url: `${CDN}story.jpg` } } }),
    events: [
      {
        type: "message",
        content: {
          type: "file",
          files: [{ ...file("story", `${CDN}story.jpg`), mayBePicture: true }],
          note: "Replying to your story:\nnice",
        },
      },
    ],
  },
  "a quick reply": {
    body: message({ text: "Red", quick_reply: { payload: "say:red" } }),
    events: [text("Red")],
  },
  "a phone number by a quick reply": {
    body: message({ text: "+34 600 11 12 22", quick_reply: { payload: "+34600111222" } }),
    events: [{ ...text("+34 600 11 12 22"), customer: { phone: "+34600111222" } }],
  },
  "an e-mail address by a quick reply": {
    body: message({ text: "robin@shop.example", quick_reply: { payload: "robin@shop.example" } }),
    events: [{ ...text("robin@shop.example"), customer: { email: "robin@shop.example" } }],
  },
  "a pressed button": {
    body: event({ postback: { mid: "m_post1", title: "Get Started", payload: "START" } }),
    events: [{ ...text("Get Started"), messengerMessageId: "m_post1", replyUntil: AT + DAY }],
  },
  "a pressed button without an id or a title": {
    body: event({ postback: { payload: "PRICES" } }),
    events: [text("PRICES")],
  },
  "a first button pressed after a link": {
    body: event({ postback: { title: "Start", payload: "S", referral: { ref: "spring", source: "SHORTLINK" } } }),
    events: [{ ...text("Start"), customer: { utm: { source: "facebook", medium: "shortlink", campaign: "spring" } } }],
  },
  "a message after an ad": {
    body: message({
      text: "hello",
      referral: {
        source: "ADS",
        type: "OPEN_THREAD",
        ad_id: 2384700000000001,
        ads_context_data: { ad_title: "Ropes" },
      },
    }),
    events: [{ ...text("hello"), customer: { utm: { source: "facebook", medium: "ad", content: "Ropes" } } }],
  },
  "a link into the chat, then a message": {
    body: batch(
      entryOf(
        {
          sender: { id: ROBIN },
          recipient: { id: PAGE.id },
          timestamp: AT,
          referral: { ref: "qr", source: "SHORTLINK" },
        },
        { sender: { id: ROBIN }, recipient: { id: PAGE.id }, timestamp: AT + 1, message: { mid: "m_2", text: "hi" } },
      ),
    ),
    events: [{ ...text("hi"), customer: { utm: { campaign: "qr" } } }],
  },
  "an opt-in on the shop's page, then a message": {
    body: batch(
      entryOf(
        { sender: { id: ROBIN }, recipient: { id: PAGE.id }, timestamp: AT, optin: { ref: "order-7" } },
        { sender: { id: ROBIN }, recipient: { id: PAGE.id }, timestamp: AT + 1, message: { mid: "m_2", text: "hi" } },
      ),
    ),
    events: [{ ...text("hi"), customer: { utm: { source: "facebook", medium: "optin", campaign: "order-7" } } }],
  },
  "a reaction": {
    body: event({ reaction: { mid: "m_out1", action: "react", reaction: "love", emoji: "❤️" } }),
    events: [{ type: "reaction", messengerMessageId: "m_out1", reaction: "❤️" }],
  },
  "a reaction by its name only": {
    body: event({ reaction: { mid: "m_out1", action: "react", reaction: "like" } }),
    events: [{ type: "reaction", reaction: "👍" }],
  },
  "a reaction taken back": {
    body: event({ reaction: { mid: "m_out1", action: "unreact" } }),
    events: [{ type: "reaction", reaction: null }],
  },
  "a read mark up to a time": {
    body: event({ read: { watermark: AT - 5 } }),
    events: [{ type: "read-until", at: AT - 5, customer: ROBIN }],
  },
  "a read mark in digits": {
    body: event({ read: { watermark: String(AT - 5) } }),
    events: [{ type: "read-until", at: AT - 5 }],
  },
  "an edit": {
    body: event({ message_edit: { mid: "m_in1", text: "mended", num_edit: "2" } }),
    events: [{ type: "edited", messengerMessageId: "m_in1", text: "mended", anew: { originator: "customer" } }],
  },
  "a message taken back": {
    body: message({ is_deleted: true }),
    events: [{ type: "deleted", messengerMessageId: "m_in1" }],
  },
  "a message of staff in the inbox": {
    body: echo({ text: "We do!", app_id: SUITE }),
    events: [{ ...text("We do!"), originator: "channel", chat: ROBIN, messengerMessageId: "m_out1" }],
  },
  "a picture of another app": {
    body: echo({
      app_id: "1517776481860111",
      metadata: "theirs",
      attachments: [{ type: "image", payload: { url: `${CDN}b.png` } }],
    }),
    events: [
      { type: "message", originator: "channel", content: { type: "image", files: [file("b.png", `${CDN}b.png`)] } },
    ],
  },
  "a message of a thread that another app controls": {
    body: batch({
      id: PAGE.id,
      time: AT,
      standby: [
        { sender: { id: ROBIN }, recipient: { id: PAGE.id }, timestamp: AT, message: { mid: "m_s", text: "hey" } },
      ],
    }),
    events: [text("hey")],
  },
  "several entries, in order": {
    body: batch(
      ...["one", "two"].map((words, n) =>
        entryOf({
          sender: { id: ROBIN },
          recipient: { id: PAGE.id },
          timestamp: AT + n,
          message: { mid: `m_${n}`, text: words },
        }),
      ),
    ),
    events: [text("one"), text("two")],
  },
};
