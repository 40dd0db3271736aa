import type { Medium } from "gangway-meta/emulator/media";
import { accountOf, announce, type Network } from "./network.ts";
import { catchUp, read } from "./statuses.ts";
import { commonOf, contactOf, INCOMING_MS, mediumValue, metadataOf, quoteOf, senderOf, timestampOf } from "./values.ts";
import { addMessage, type Chat, type Content, type Customer, changed, type Message } from "./world.ts";

/** What a customer sends. One of the contents, and what goes with it. */
export interface Draft {
  text?: string;
  media?: { kind: MediaKind; name: string; mediaType: string; bytes: Uint8Array; caption?: string };
  location?: { latitude: number; longitude: number; name?: string; address?: string; url?: string };
  contacts?: object[];
  order?: { catalog_id: string; text?: string; product_items: object[] };
  /** Of a kind that the API does not carry, e.g. `poll`. */
  unsupported?: string;
  /** Any content as on the wire. */
  raw?: Content;
  /** The quoted message's id. */
  quote?: string;
  forwarded?: "once" | "often";
  /** The ad that the customer came by. */
  referral?: Referral;
  product?: { catalog_id: string; product_retailer_id: string };
}
export type MediaKind = "image" | "video" | "audio" | "voice" | "document" | "sticker" | "animated";
export interface Referral {
  source_url: string;
  source_id: string;
  source_type: "ad" | "post";
  headline?: string;
  body?: string;
  media_type?: string;
  image_url?: string;
  ctwa_clid?: string;
}

/** The customer writes. Resolves when the module's first answer is there; returns the message. */
export async function write(network: Network, chat: Chat, draft: Draft): Promise<Message> {
  const medium = draft.media && store(network, chat, draft.media);
  const content = contentOf(network, draft, medium);
  const at = network.core.clock.now();
  const message = addMessage(network.world, chat, {
    from: "customer",
    content,
    at,
    status: "sent",
    quote: draft.quote,
    medium,
  });
  chat.wroteAt = at;
  if (draft.referral) chat.adAt = at;
  changed(network.world, chat);
  await bring(network, chat, {
    id: message.id,
    ...contextOf(network, chat, draft),
    ...(draft.referral && { referral: draft.referral }),
    ...content,
  });
  return message;
}

/** Brings a message of the customer, which need not be in the chat. */
export async function bring(network: Network, chat: Chat, message: object, more: object = {}): Promise<void> {
  const timestamp = timestampOf(network.core.clock.now());
  const value = {
    ...commonOf(chat, network),
    messages: [{ ...senderOf(chat.customer, network), timestamp, ...message }],
    ...more,
  };
  await announce(network, accountOf(network, chat.number), "messages", value);
}

function store(
  { core }: Network,
  { number }: Chat,
  { kind: _, caption: __, ...file }: NonNullable<Draft["media"]>,
): Medium {
  return core.media.add({ owner: number.id, lifeMs: INCOMING_MS, ...file });
}

function contentOf(network: Network, draft: Draft, medium: Medium | undefined): Content {
  if (draft.raw) return draft.raw;
  if (draft.media && medium) return mediaContent(network, draft.media, medium);
  if (draft.location) return { type: "location", location: draft.location };
  if (draft.contacts) return { type: "contacts", contacts: draft.contacts };
  if (draft.order) return { type: "order", order: draft.order };
  if (draft.unsupported !== undefined) return unsupported(draft.unsupported);
  return { type: "text", text: { body: draft.text ?? "" } };
}

function mediaContent(network: Network, { kind, name, caption }: NonNullable<Draft["media"]>, medium: Medium): Content {
  const said = caption ? { caption } : {};
  switch (kind) {
    case "audio":
    case "voice":
      return { type: "audio", audio: mediumValue(medium, network, { voice: kind === "voice" }) };
    case "sticker":
    case "animated":
      return { type: "sticker", sticker: mediumValue(medium, network, { animated: kind === "animated" }) };
    case "document":
      return { type: "document", document: mediumValue(medium, network, { ...said, filename: name }) };
    default:
      return { type: kind, [kind]: mediumValue(medium, network, said) };
  }
}

const unsupported = (kind: string): Content => ({
  type: "unsupported",
  errors: [
    {
      code: 131051,
      title: "Message type unknown",
      message: "Message type unknown",
      error_data: { details: "Message type is currently not supported." },
    },
  ],
  unsupported: { type: kind },
});

function contextOf(network: Network, chat: Chat, { quote, forwarded, product }: Draft): object {
  const quoted = quote === undefined ? undefined : network.world.messages.get(quote)?.message;
  if (!quoted && !forwarded && !product) return {};
  return {
    context: {
      ...(quoted && quoteOf(chat, quoted, network)),
      ...(forwarded === "once" && { forwarded: true }),
      ...(forwarded === "often" && { frequently_forwarded: true }),
      ...(product && { from: chat.number.digits, referred_product: product }),
    },
  };
}

/** Null takes the reaction back. */
export async function react(network: Network, chat: Chat, message: Message, emoji: string | null): Promise<void> {
  if (emoji === null) delete message.reactions.customer;
  else message.reactions.customer = emoji;
  chat.wroteAt = network.core.clock.now();
  changed(network.world, chat);
  const isEmpty = network.switches.values().removedReaction === "empty";
  const reaction = { message_id: message.id, ...(emoji !== null ? { emoji } : isEmpty && { emoji: "" }) };
  const id = `wamid.${Buffer.from(`${message.id}${network.core.random()}`).toString("base64").slice(-44)}`;
  await bring(network, chat, { id, type: "reaction", reaction });
}

/** The customer presses a button, or chooses a row. */
export async function press(network: Network, chat: Chat, message: Message, button: string): Promise<Message> {
  return write(network, chat, { raw: replyTo(message, button), quote: message.id });
}

interface Pressable {
  interactive?: {
    type?: string;
    action?: {
      buttons?: { reply: { id: string; title: string } }[];
      sections?: { rows?: { id: string; title: string; description?: string }[] }[];
    };
  };
  /** Of a template, as shown. */
  buttons?: { text: string; payload: string }[];
}

function replyTo({ content }: Message, pressed: string): Content {
  const { interactive, buttons = [] } = content as Content & Pressable;
  const reply = interactive?.action?.buttons?.find((each) => each.reply.id === pressed)?.reply;
  if (reply) return { type: "interactive", interactive: { type: "button_reply", button_reply: { ...reply } } };
  if (interactive?.type === "call_permission_request" && ["accept", "reject"].includes(pressed))
    return { type: "interactive", interactive: { type: "call_permission_reply", ...permission(pressed) } };
  const row = interactive?.action?.sections?.flatMap(({ rows = [] }) => rows).find(({ id }) => id === pressed);
  if (row) return { type: "interactive", interactive: { type: "list_reply", list_reply: { ...row } } };
  const quick = buttons.find(({ payload }) => payload === pressed);
  if (quick) return { type: "button", button: { payload: quick.payload, text: quick.text } };
  throw new Error("There is no such button");
}

const permission = (response: string) => ({ call_permission_reply: { response, response_source: "user_action" } });

/** The customer changes a text. Only coexistence numbers learn of it. */
export async function edit(network: Network, chat: Chat, message: Message, body: string): Promise<void> {
  message.content = { type: "text", text: { body } };
  message.isEdited = true;
  changed(network.world, chat);
  if (!chat.number.isCoexistence) return;
  const changedTo = { original_message_id: message.id, message: message.content };
  await bring(network, chat, {
    id: `wamid.E${message.n}${Math.floor(network.core.random() * 1e9)}`,
    type: "edit",
    edit: changedTo,
  });
}

/** The customer deletes a message for everybody. Only coexistence numbers learn of it. */
export async function revoke(network: Network, chat: Chat, message: Message): Promise<void> {
  message.isRevoked = true;
  changed(network.world, chat);
  if (!chat.number.isCoexistence) return;
  const id = `wamid.R${message.n}${Math.floor(network.core.random() * 1e9)}`;
  await bring(network, chat, { id, type: "revoke", revoke: { original_message_id: message.id } });
}

/** Marketing opt-out and its withdrawal. */
export async function prefer(network: Network, chat: Chat, value: "stop" | "resume"): Promise<void> {
  const { customer, number } = chat;
  if (value === "stop") customer.optedOut.add(number.id);
  else customer.optedOut.delete(number.id);
  const verb = value === "stop" ? "stop" : "resume";
  const { wa_id, user_id } = contactOf(customer, network);
  const preference = {
    ...(wa_id && { wa_id }),
    ...(user_id && { user_id }),
    detail: `User requested to ${verb} marketing messages`,
    category: "marketing_messages",
    value,
    timestamp: Math.floor(network.core.clock.now() / 1000),
  };
  const body = { ...commonOf(chat, network), user_preferences: [preference] };
  await announce(network, accountOf(network, number), "user_preferences", body);
}

const chatsOf = ({ world }: Network, customer: Customer): Chat[] =>
  [...world.chats.values()].filter((chat) => chat.customer === customer);

/** The customer moves to another phone number. */
export async function changeNumber(network: Network, customer: Customer, phone: string): Promise<void> {
  const before = { ...customer };
  customer.phone = phone;
  for (const chat of chatsOf(network, customer)) {
    const system = {
      body: `User ${customer.name} changed from ${before.phone} to ${phone}`,
      wa_id: phone,
      ...(network.switches.values().userIds && { user_id: customer.userId }),
      type: "user_changed_number",
    };
    await bringSystem(network, chat, before, system);
  }
}

/** The customer's business-scoped id changes. */
export async function changeUserId(network: Network, customer: Customer, userId: string): Promise<void> {
  const before = { ...customer };
  customer.userId = userId;
  for (const chat of chatsOf(network, customer)) {
    const system = {
      body: `User ${customer.name} changed their user id`,
      user_id: userId,
      type: "user_changed_user_id",
    };
    await bringSystem(network, chat, before, system);
    const update = {
      ...(!customer.isHidden && { wa_id: customer.phone }),
      detail: "User id has been updated",
      user_id: { previous: before.userId, current: userId },
      timestamp: timestampOf(network.core.clock.now()),
    };
    const value = { ...commonOf(chat, network), user_id_update: [update] };
    await announce(network, accountOf(network, chat.number), "user_id_update", value);
  }
}

async function bringSystem(network: Network, chat: Chat, before: Customer, system: object): Promise<void> {
  const id = `wamid.S${chat.number.n}${chat.customer.n}${Math.floor(network.core.random() * 1e12)}`;
  const timestamp = timestampOf(network.core.clock.now());
  const message = { ...senderOf(before, network), id, timestamp, type: "system", system };
  const value = { messaging_product: "whatsapp", metadata: metadataOf(chat.number), messages: [message] };
  await announce(network, accountOf(network, chat.number), "messages", value);
}

/** Offline phones get nothing; back online, they get all. */
export async function goOnline(network: Network, customer: Customer, isOnline: boolean): Promise<void> {
  customer.isOnline = isOnline;
  if (isOnline) await Promise.all(chatsOf(network, customer).map((chat) => catchUp(network, chat)));
}

export async function openChat(network: Network, chat: Chat): Promise<void> {
  if (chat.customer.isOnline) await read(network, chat);
}
