import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { silentOgg } from "gangway-messenger/kit/emulator/silence";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { type Context, Hono } from "hono";
import { type Draft, edit, goOnline, openChat, prefer, press, react, revoke, write } from "./acts.ts";
import { staffEdits, staffRevokes, staffWrites } from "./coexistence.ts";
import { chatFor } from "./control.ts";
import type { Network } from "./network.ts";
import { templateAt } from "./owned.ts";
import { PhoneChat } from "./phone-chat.tsx";
import { PhoneFrame } from "./phone-frame.tsx";
import { addCustomer } from "./seed.ts";
import { mark } from "./statuses.ts";
import { type Review, review } from "./templates.ts";
import type { Chat, Message } from "./world.ts";

type Form = Record<string, string | File>;
const textOf = (form: Form, name: string): string => {
  const value = form[name];
  return typeof value === "string" ? value.trim() : "";
};

/** The page on which a person plays the customers, the staff's app, and Meta's reviewer: without a script. */
export function phonePage(network: Network): Hono {
  const site = new Hono();
  site.onError((error, c) => c.text(error.message, 400));
  const chatIn = (c: Context): Chat => {
    const n = Number(c.req.query("customer") ?? 1);
    const customer = network.world.customers.find((each) => each.n === n);
    if (!customer) throw new Error("There is no such customer");
    return chatFor(network, customer, c.req.query("number"));
  };
  site.get("/", (c) => {
    const { reply, change } = c.req.query();
    return c.html(<PhoneFrame network={network} chat={chatIn(c)} path={c.req.path} reply={reply} change={change} />);
  });
  site.get("/messages", (c) => c.html(<PhoneChat network={network} chat={chatIn(c)} />));
  site.get("/media/:id", (c) => {
    const medium = network.core.media.find(c.req.param("id"));
    if (!medium) return c.text("Not found", 404);
    return c.body(Uint8Array.from(medium.bytes), 200, {
      "content-type": medium.mediaType,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
  });
  site.post("/", async (c) => {
    const chat = chatIn(c);
    const form = { ...(await c.req.parseBody()), ...c.req.query() } as Form;
    const doing = textOf(form, "do") || "write";
    const next = doing === "join" ? addCustomer(network.world, network.core.random, newcomer(form)) : chat.customer;
    const act = ACTS[doing];
    if (doing !== "join" && !act) throw new Error(`Nobody can ${doing}`);
    await act?.({ network, chat, form, message: network.world.messages.get(textOf(form, "id"))?.message });
    return c.redirect(`${c.req.path}?number=${chat.number.id}&customer=${next.n}`, 303);
  });
  return site;
}

interface Acting {
  network: Network;
  chat: Chat;
  form: Form;
  message: Message | undefined;
}
type Act = (acting: Acting) => unknown;

const needed = (message: Message | undefined): Message => {
  if (!message) throw new Error("There is no such message");
  return message;
};
const sends =
  (draft: Draft): Act =>
  ({ network, chat }) =>
    write(network, chat, draft);

const PLACE = { latitude: 36.7196, longitude: -4.42 };

const ACTS: Record<string, Act> = {
  write: ({ network, chat, form }) => says(network, chat, form),
  picture: sends({
    media: { kind: "image", name: "sea.png", mediaType: "image/png", bytes: paintPng(320, 200, [40, 110, 150]) },
  }),
  voice: sends({
    media: { kind: "voice", name: "voice.ogg", mediaType: "audio/ogg; codecs=opus", bytes: silentOgg(2) },
  }),
  place: sends({ location: { ...PLACE, name: "Old quay", address: "Pier 4" } }),
  contact: sends({
    contacts: [
      { name: { formatted_name: "Wren Quay", first_name: "Wren" }, phones: [{ phone: "+15550100077", type: "CELL" }] },
    ],
  }),
  order: sends({
    order: {
      catalog_id: "194836987003835",
      text: "By Friday, please",
      product_items: [{ product_retailer_id: "rope-8", quantity: 2, item_price: 12.5, currency: "EUR" }],
    },
  }),
  poll: sends({ unsupported: "poll" }),
  ad: sends({
    text: "I saw your ad",
    referral: {
      source_url: "https://fb.me/quay-ad",
      source_id: "120000000000001",
      source_type: "ad",
      headline: "Ropes for sailors",
      body: "Half price in May",
      media_type: "image",
      ctwa_clid: "ARQuayClickId0001",
    },
  }),
  press: ({ network, chat, form, message }) => press(network, chat, needed(message), textOf(form, "button")),
  react: ({ network, chat, message }) => react(network, chat, needed(message), "❤️"),
  unreact: ({ network, chat, message }) => react(network, chat, needed(message), null),
  played: ({ network, chat, message }) => mark(network, chat, needed(message), "played"),
  edit: ({ network, chat, form, message }) =>
    (needed(message).from === "staff" ? staffEdits : edit)(network, chat, needed(message), textOf(form, "text")),
  revoke: ({ network, chat, message }) =>
    (needed(message).from === "staff" ? staffRevokes : revoke)(network, chat, needed(message)),
  staff: ({ network, chat, form }) =>
    staffWrites(network, chat, { type: "text", text: { body: textOf(form, "text") } }),
  read: ({ network, chat }) => openChat(network, chat),
  online: ({ network, chat }) => goOnline(network, chat.customer, !chat.customer.isOnline),
  hide: ({ chat: { customer } }) => Object.assign(customer, { isHidden: !customer.isHidden }),
  eager: ({ chat: { customer } }) => Object.assign(customer, { readsAtOnce: !customer.readsAtOnce }),
  block: ({ chat: { customer, number } }) =>
    customer.blocked.has(number.id) ? customer.blocked.delete(number.id) : customer.blocked.add(number.id),
  marketing: ({ network, chat }) =>
    prefer(network, chat, chat.customer.optedOut.has(chat.number.id) ? "resume" : "stop"),
  review: ({ network, form }) => {
    const found = templateAt(network, textOf(form, "template"));
    if (!found) throw new Error("There is no such template");
    const event = textOf(form, "event") as Review["event"];
    return review(network, found.account, found.template, { event });
  },
};

const newcomer = (form: Form) => {
  const [name, phone] = [textOf(form, "name"), textOf(form, "phone").replaceAll(/\D/g, "")];
  if (!name || phone.length < 5) throw new Error("A customer has a name and a phone number");
  return { name, phone };
};

async function says(network: Network, chat: Chat, form: Form): Promise<void> {
  const { file } = form;
  const [text, reply] = [textOf(form, "text"), textOf(form, "reply")];
  const quote = reply ? { quote: reply } : {};
  if (!(file instanceof File) || file.size === 0) {
    if (text === "") throw new Error("Write something or choose a file");
    await write(network, chat, { text, ...quote });
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mediaType = file.type || sniff(bytes);
  const media = { kind: kindOf(mediaType), name: file.name, mediaType, bytes, ...(text && { caption: text }) };
  await write(network, chat, { media, ...quote });
}

function kindOf(mediaType: string): NonNullable<Draft["media"]>["kind"] {
  if (mediaType === "image/webp") return "sticker";
  const [family] = mediaType.split("/");
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}
