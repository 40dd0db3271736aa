import { AT, attached, CUSTOMER, event, GROUP, newMessage, reply, wireMessage } from "./wire.ts";

interface Sample {
  body: object;
  events: ({ type: string } & Record<string, unknown>)[];
}
const ID = `${CUSTOMER}:41`;
const text = (words: string) => ({ type: "text", text: words });
const said = (content: object, more: object = {}) => [
  { type: "message", messengerMessageId: ID, originator: "customer", at: AT, content, ...more },
];
const file = (ref: string, name: string, more: object = {}) => ({ file: { at: "messenger", ref }, name, ...more });
const url = "https://sun1.userapi.example/a.jpg";
const small = "https://sun1.userapi.example/s.jpg";
const photo = {
  ...{ album_id: -3, date: 1, id: 457_239_342, owner_id: CUSTOMER, access_key: "0123456789abcdef01", text: "" },
  sizes: [
    { type: "s", url: small, width: 35, height: 75 },
    { type: "w", url, width: 945, height: 2048 },
    { type: "m", url: small, width: 60, height: 130 },
  ],
};
const picture = file(url, "photo.jpg", { width: 945, height: 2048 });
const docUrl = "https://vk.example/doc100000001_5?hash=x";
const doc = (more: object) => ({
  id: 5,
  owner_id: CUSTOMER,
  title: "bill.pdf",
  size: 9,
  ext: "pdf",
  date: 1,
  type: 1,
  url: docUrl,
  ...more,
});
const quoted = {
  conversation_message_id: 40,
  date: 1,
  from_id: -GROUP,
  text: "Red or blue?",
  id: 899,
  peer_id: CUSTOMER,
};

/** Kinds of attachments that have bytes. */
const FILES: Record<string, Sample> = {
  "a photo": { body: attached("photo", photo), events: said({ type: "image", files: [picture] }) },
  "a photo with words": {
    body: attached("photo", photo, { text: "this one" }),
    events: said({ type: "image", files: [picture], note: "this one" }),
  },
  "several photos": {
    body: newMessage({ attachments: [photo, photo].map((each) => ({ type: "photo", photo: each })) }),
    events: said({ type: "image", files: [picture, picture] }),
  },
  "a photo and a document": {
    body: newMessage({
      attachments: [
        { type: "photo", photo },
        { type: "doc", doc: doc({}) },
      ],
    }),
    events: said({ type: "file", files: [picture, file(docUrl, "bill.pdf", { size: 9 })] }),
  },
  "a document": {
    body: attached("doc", doc({})),
    events: said({ type: "file", files: [file(docUrl, "bill.pdf", { size: 9 })] }),
  },
  "a document whose title has no extension": {
    body: attached("doc", doc({ title: "../bill" })),
    events: said({ type: "file", files: [file(docUrl, ".._bill.pdf", { size: 9 })] }),
  },
  "a picture as a document": {
    body: attached("doc", doc({ title: "plan.png", ext: "png", type: 4 })),
    events: said({ type: "image", files: [file(docUrl, "plan.png", { size: 9 })] }),
  },
  "a voice message": {
    body: attached("audio_message", {
      duration: 3,
      id: 6,
      owner_id: CUSTOMER,
      link_mp3: "https://psv.example/v.mp3",
      link_ogg: "https://psv.example/v.ogg",
      waveform: [1],
    }),
    events: said({
      type: "audio",
      files: [file("https://psv.example/v.ogg", "voice.ogg", { mediaType: "audio/ogg", duration: 3 })],
    }),
  },
  "a sticker": {
    body: attached("sticker", {
      inner_type: "base_sticker_new",
      sticker_id: 9,
      product_id: 1,
      images: [
        { url: small, width: 64, height: 64 },
        { url, width: 512, height: 512 },
      ],
    }),
    events: said({ type: "image", files: [file(url, "sticker.png", { width: 512, height: 512 })] }),
  },
  "a graffiti": {
    body: attached("graffiti", { id: 7, owner_id: CUSTOMER, url, width: 586, height: 500 }),
    events: said({ type: "image", files: [file(url, "graffiti.png", { width: 586, height: 500 })] }),
  },
  "a gift": {
    body: attached("gift", { id: 8, thumb_256: url, thumb_96: small }),
    events: said({ type: "image", files: [file(url, "gift.png")], note: "[Gift]" }),
  },
  "a photo without an address": {
    body: attached("photo", { ...photo, sizes: [] }),
    events: said(text("[Unsupported message type: photo]")),
  },
};

/** Kinds that the CRM does not have. */
const SHARES: Record<string, Sample> = {
  "a video, which has no file": {
    body: attached("video", { id: 3, owner_id: -GROUP, title: "Knots" }),
    events: said(text(`🎬 Knots\nhttps://vk.com/video-${GROUP}_3`)),
  },
  "a song": {
    body: attached("audio", { id: 3, owner_id: 1, artist: "Sailors", title: "Ahoy" }),
    events: said(text("🎵 Sailors – Ahoy")),
  },
  "a post": {
    body: attached("wall", { id: 12, owner_id: -GROUP, text: "Ropes are here" }),
    events: said(text(`[Post]\nRopes are here\nhttps://vk.com/wall-${GROUP}_12`)),
  },
  "a comment": {
    body: attached("wall_reply", { id: 13, owner_id: -GROUP, post_id: 12, text: "How long?" }),
    events: said(text(`[Comment]\nHow long?\nhttps://vk.com/wall-${GROUP}_12?reply=13`)),
  },
  "a product": {
    body: attached("market", {
      id: 4,
      owner_id: -GROUP,
      title: "Rope",
      price: { amount: "30000", currency: { id: 643, name: "RUB" }, text: "300 ₽" },
    }),
    events: said(text(`[Product] Rope, 300 ₽\nhttps://vk.com/market-${GROUP}?w=product-${GROUP}_4`)),
  },
  "a collection of products": {
    body: attached("market_market_album", { id: 2, owner_id: -GROUP, title: "Ropes" }),
    events: said(text(`[Collection of products] Ropes\nhttps://vk.com/market-${GROUP}?section=album_2`)),
  },
  "a poll": {
    body: attached("poll", {
      id: 1,
      owner_id: 1,
      question: "Which?",
      answers: [
        { id: 1, text: "Red" },
        { id: 2, text: "Blue" },
      ],
    }),
    events: said(text("[Poll] Which?\n– Red\n– Blue")),
  },
  "a story": {
    body: attached("story", { id: 6, owner_id: CUSTOMER }),
    events: said(text(`[Story]\nhttps://vk.com/story${CUSTOMER}_6`)),
  },
  "a link": {
    body: attached("link", { url: "https://shop.example/rope", title: "Rope" }),
    events: said(text("Rope\nhttps://shop.example/rope")),
  },
  "a link that the words have": {
    body: attached(
      "link",
      { url: "https://shop.example/rope", title: "Rope" },
      { text: "see https://shop.example/rope" },
    ),
    events: said(text("see https://shop.example/rope")),
  },
  "an article": {
    body: attached("article", { id: 1, owner_id: 1, title: "On knots", view_url: "https://vk.example/@knots" }),
    events: said(text("[Article] On knots\nhttps://vk.example/@knots")),
  },
  "a call": { body: attached("call", { initiator_id: CUSTOMER, state: "reached" }), events: said(text("[Call]")) },
  "a kind of tomorrow": {
    body: attached("hologram", { url: "https://vk.example/h" }),
    events: said(text("[Unsupported message type: hologram]\nhttps://vk.example/h")),
  },
  "a list of videos": {
    body: attached("video_playlist", {}),
    events: said(text("[Unsupported message type: video_playlist]")),
  },
  podcasts: { body: attached("podcasts", {}), events: said(text("[Unsupported message type: podcasts]")) },
  "a location": {
    body: newMessage({
      geo: { type: "point", coordinates: { latitude: 59.9, longitude: 30.3 }, place: { title: "Harbour" } },
    }),
    events: said(text("📍 Harbour\nhttps://yandex.ru/maps/?pt=30.3,59.9&z=16&l=map")),
  },
};

const MESSAGES: Record<string, Sample> = {
  "a text": {
    body: newMessage({ text: "Здравствуйте! 👋" }),
    events: said(text("Здравствуйте! 👋"), {
      key: `message:${ID}`,
      chat: String(CUSTOMER),
      customer: {
        id: String(CUSTOMER),
        nickname: "Ada Reyes",
        firstName: "Ada",
        lastName: "Reyes",
        hasAvatar: true,
        profileUrl: `https://vk.com/id${CUSTOMER}`,
      },
    }),
  },
  "nothing that can be read": {
    body: newMessage(),
    events: said(text("[A message that VK does not pass on: open it in VK]")),
  },
  "a text of somebody whom VK does not name": {
    body: newMessage({ text: "hello", from_id: 77, peer_id: 77 }),
    events: [{ type: "message", chat: "77", customer: { nickname: "VK 77" }, content: text("hello") }],
  },
  "an answer to a message": {
    body: newMessage({ text: "Red", reply_message: quoted }),
    events: said(text("Red"), { quote: `${CUSTOMER}:40`, quoted: { head: "> Red or blue?\n", always: false } }),
  },
  "forwarded messages": {
    body: newMessage({
      text: "look",
      fwd_messages: [{ ...quoted, from_id: CUSTOMER, fwd_messages: [{ ...quoted, text: "inner" }] }],
    }),
    events: said(text("look\nForwarded from Ada Reyes:\n> Red or blue?\n> Forwarded message:\n> > inner")),
  },
  "a text by a link with a mark": {
    body: newMessage({ text: "hi", ref: "spring", ref_source: "newsletter" }),
    events: said(text("hi"), { customer: { utm: { source: "newsletter", medium: "link", campaign: "spring" } } }),
  },
  "a pressed button with words": {
    body: newMessage({ text: "Yes", payload: '{"a":1}' }),
    events: said(text("Yes")),
  },
};

const OTHERS: Record<string, Sample> = {
  "an edit": {
    body: event("message_edit", wireMessage({ text: "mended", update_time: AT / 1000 + 60 }), { event_id: "e5" }),
    events: [
      {
        ...{
          type: "edited",
          key: `edited:${ID}:${AT / 1000 + 60}-e5`,
          messengerMessageId: ID,
          text: "mended",
          at: AT + 60_000,
        },
        anew: { messengerMessageId: `${ID}e${AT / 1000 + 60}-e5`, originator: "customer", content: text("mended") },
      },
    ],
  },
  "a read mark": {
    body: event("message_read", {
      from_id: CUSTOMER,
      peer_id: CUSTOMER,
      read_message_id: 900,
      conversation_message_id: 41,
    }),
    events: [{ type: "read", key: `read:${ID}`, messengerMessageId: ID }],
  },
  "a reaction": {
    body: event("message_reaction_event", { reacted_id: CUSTOMER, peer_id: CUSTOMER, cmid: 41, reaction_id: 2 }),
    events: [{ type: "reaction", messengerMessageId: ID, reaction: "🔥" }],
  },
  "a reaction that is not in the list": {
    body: event("message_reaction_event", { reacted_id: CUSTOMER, peer_id: CUSTOMER, cmid: 41, reaction_id: 60 }),
    events: [{ type: "reaction", messengerMessageId: ID, reaction: "✨" }],
  },
  "a reaction that is taken back": {
    body: event("message_reaction_event", { reacted_id: CUSTOMER, peer_id: CUSTOMER, cmid: 41 }),
    events: [{ type: "reaction", messengerMessageId: ID, reaction: null }],
  },
  "a message of staff": {
    body: reply({ admin_author_id: 5, random_id: 0 }),
    events: [
      {
        type: "message",
        originator: "channel",
        messengerMessageId: ID,
        chat: String(CUSTOMER),
        customer: { id: String(CUSTOMER), nickname: "Ada Reyes" },
        content: text("hello"),
      },
    ],
  },
  "a message of another program": {
    body: reply({ random_id: 77 }),
    events: [{ type: "message", originator: "channel", content: text("hello") }],
  },
  "an edit by staff": {
    body: event(
      "message_edit",
      wireMessage({ from_id: -GROUP, out: 1, admin_author_id: 5, text: "mended", update_time: 2 }),
    ),
    events: [{ type: "edited", messengerMessageId: ID, text: "mended", anew: { originator: "channel" } }],
  },
  "messages forbidden": {
    body: event("message_deny", { user_id: CUSTOMER }),
    events: [{ type: "note", chat: String(CUSTOMER), text: "The customer has forbidden messages from the community" }],
  },
  "a button of another program": {
    body: event("message_event", {
      user_id: CUSTOMER,
      peer_id: CUSTOMER,
      event_id: "ab12",
      payload: { buy: 1 },
      conversation_message_id: 41,
    }),
    events: [
      { type: "message", messengerMessageId: `${CUSTOMER}:eventab12`, content: text('[Pressed a button: {"buy":1}]') },
    ],
  },
};

/** Events as VK sends them, and what becomes of each. */
export const samples: Record<string, Sample> = { ...MESSAGES, ...FILES, ...SHARES, ...OTHERS };
