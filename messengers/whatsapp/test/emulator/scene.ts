import { readFileSync } from "node:fs";
import { join } from "node:path";
import { paintPng } from "gangway-messenger/kit/emulator/picture";

const sample = (name: string) =>
  Uint8Array.from(readFileSync(join(import.meta.dirname, "../../../../sandbox/test/samples", name)));

/** One file of each kind, by the kind that sends it. */
export const FILES = {
  image: { name: "sea.png", mediaType: "image/png", bytes: Uint8Array.from(paintPng(20, 10, [10, 90, 150])) },
  video: { name: "film.mp4", mediaType: "video/mp4", bytes: sample("film.mp4") },
  audio: { name: "voice.ogg", mediaType: "audio/ogg; codecs=opus", bytes: sample("voice.ogg") },
  document: { name: "bill.pdf", mediaType: "application/pdf", bytes: Uint8Array.from(Buffer.from("%PDF-1.4 bill")) },
  sticker: { name: "knot.webp", mediaType: "image/webp", bytes: sample("lossy.webp") },
} as const;

export const CARDS = [
  {
    name: { formatted_name: "Wren Quay", first_name: "Wren" },
    phones: [{ phone: "+1 555 010 0077", type: "CELL" }],
    emails: [{ email: "wren@shop.example", type: "WORK" }],
  },
];

const rich = { body: { text: "Which one?" }, footer: { text: "Quay & Co." } };
export const BUTTONS = {
  type: "button",
  header: { type: "text", text: "Rope" },
  ...rich,
  action: { buttons: [{ type: "reply", reply: { id: "yes", title: "Yes" } }] },
};
export const LIST = {
  type: "list",
  ...rich,
  action: {
    button: "Choose",
    sections: [{ title: "Ropes", rows: [{ id: "row-1", title: "8 mm", description: "strong" }] }],
  },
};
export const INTERACTIVE = [
  BUTTONS,
  LIST,
  {
    type: "cta_url",
    ...rich,
    action: { name: "cta_url", parameters: { display_text: "Pay", url: "https://shop.example/5" } },
  },
  { type: "location_request_message", body: { text: "Where?" }, action: { name: "send_location" } },
  { type: "product", ...rich, action: { catalog_id: "1", product_retailer_id: "rope-8" } },
  {
    type: "product_list",
    header: { type: "text", text: "Ropes" },
    ...rich,
    action: { catalog_id: "1", sections: [{ title: "All", product_items: [{ product_retailer_id: "rope-8" }] }] },
  },
  { type: "catalog_message", ...rich, action: { name: "catalog_message" } },
];

export const TEMPLATE = {
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  components: [
    { type: "HEADER", format: "TEXT", text: "Your order" },
    { type: "BODY", text: "Hello {{1}}, it is ready.", example: { body_text: [["Robin"]] } },
    { type: "FOOTER", text: "Quay & Co." },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Track" }] },
  ],
};
