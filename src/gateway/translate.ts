import { createHash } from "node:crypto";
import type { Features, Way } from "../domain/channel.ts";
import {
  type ChatId,
  fitGatewayId,
  type GatewayChannelId,
  type GatewayFileId,
  type MessengerMessageId,
} from "../domain/ids.ts";
import type {
  ChannelEvent,
  Content,
  Customer,
  Mark,
  Money,
  Order,
  OutboundAct,
  Product,
  Suggestion,
} from "../domain/message.ts";
import { int64, parseJson } from "./json.ts";
import { type Webhook, type WebhookContent, type WireOrder, type WireProduct, webhook, webhookTypes } from "./wire.ts";

/** The gateway says `send` for module to gateway and `receive` for gateway to module; here that is turned round, once. */
const WAY: Record<Way, string> = { inbound: "send", outbound: "receive", both: "both", none: "none" };

const way = (value: Way | undefined) => value && WAY[value];

/** The gateway's names of formats (contract: MarkupFormat). */
const FORMAT: Record<Mark["type"], string> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "inline_monospace",
  pre: "block_monospace",
  link: "link",
};

type FileFeatures = NonNullable<Features["image"]>;
const deeds = (d: Partial<Record<"creating" | "editing" | "quoting" | "deleting" | "reaction", Way>>) => ({
  creating: way(d.creating),
  editing: way(d.editing),
  quoting: way(d.quoting),
  deleting: way(d.deleting),
  reaction: way(d.reaction),
});
const fileDeeds = (d: Partial<FileFeatures> | undefined) =>
  d && { ...deeds(d), max_items_count: d.maxCount, max_item_size: d.maxSize, note_max_chars_count: d.maxNote };

/** Features as the gateway's channel settings (contract: ChannelSettings). */
export function toSettings(f: Features): Record<string, unknown> {
  const suggestions = f.suggestions && {
    text: way(f.suggestions.text),
    phone: way(f.suggestions.phone),
    email: way(f.suggestions.email),
    url: way(f.suggestions.url),
  };
  return {
    text: {
      ...deeds(f.text),
      max_chars_count: f.text.maxLength,
      markup_formats: f.text.formats?.map((format) => FORMAT[format]),
    },
    image: fileDeeds(f.image),
    file: fileDeeds(f.file),
    audio: fileDeeds(f.audio),
    product: f.product && deeds(f.product),
    order: f.order && deeds(f.order),
    status: { delivered: way(f.delivered), read: way(f.read) },
    suggestions,
    reactions: f.reactions && { dictionary: f.reactions.dictionary, max_count: f.reactions.maxCount },
    sending_policy: { new_customer: f.firstContact, after_reply_timeout: f.afterReplyTimeout },
  };
}

/** Equal exactly when the gateway need not be told anew. */
export const announcement = (name: string, features: Features): string =>
  createHash("sha256")
    .update(JSON.stringify([name, features.type, toSettings(features)]))
    .digest("base64url");

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;
/** Most characters of a nickname, first or last name, of a text, of a note and of a caption, and most files (contract). */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 65_535;
const NOTE_LENGTH = 64_000;
const CAPTION_LENGTH = 1_024;
const MOST_FILES = 20;
/** Comes from the visitor's browser; the gateway refuses a message whose page is no web address. */
const webAddress = (page: string | undefined) =>
  page && URL.canParse(page) && /^https?:$/.test(new URL(page).protocol) ? new URL(page).href : undefined;
const cut = (value: string | undefined, most: number) => value && [...value].slice(0, most).join("");

interface Posting {
  event: InboundMessage;
  files: GatewayFileId[];
  avatar?: string;
}

/** A customer's message as the body of `POST /messages`. */
export function toSendRequest(
  channel: GatewayChannelId,
  { event, files, avatar }: Posting,
  options: { quote: boolean },
): Record<string, unknown> {
  return {
    channel: int64(channel),
    originator: event.originator,
    external_chat_id: fitGatewayId(event.chat),
    customer: toCustomer(event.customer, avatar),
    message: {
      external_id: event.messengerMessageId,
      created_at: new Date(event.at).toISOString(),
      page_link: webAddress(event.page),
      ...toWireContent(event.content, files),
    },
    quote: options.quote && event.quote ? { external_id: event.quote } : undefined,
  };
}

const toCustomer = (customer: Customer, avatar: string | undefined) => ({
  external_id: fitGatewayId(customer.id),
  nickname: cut(customer.nickname, NAME_LENGTH) || "Customer",
  first_name: cut(customer.firstName, NAME_LENGTH),
  last_name: cut(customer.lastName, NAME_LENGTH),
  language: customer.language,
  phone: customer.phone,
  email: customer.email,
  profile_url: customer.profileUrl,
  avatar,
  utm: customer.utm && toUtm(customer.utm),
});

const toUtm = ({ source, medium, campaign, term, content }: NonNullable<Customer["utm"]>) => ({
  source: cut(source, NAME_LENGTH) || undefined,
  medium: cut(medium, NAME_LENGTH) || undefined,
  campaign: cut(campaign, NAME_LENGTH) || undefined,
  term: cut(term, NAME_LENGTH) || undefined,
  content: cut(content, NAME_LENGTH) || undefined,
});

/** A line in the channel's own name; the chat is known, so that no customer need be told. */
export const toNoteRequest = (channel: GatewayChannelId, note: Extract<ChannelEvent, { type: "note" }>) => ({
  channel: int64(channel),
  originator: "channel",
  external_chat_id: fitGatewayId(note.chat),
  message: {
    external_id: note.messengerMessageId,
    created_at: new Date(note.at).toISOString(),
    type: "text",
    text: toWireText(note.text),
  },
});

function toWireContent(content: Content, files: GatewayFileId[]): Record<string, unknown> {
  switch (content.type) {
    case "text":
      return { type: "text", text: toWireText(content.text) };
    case "image":
    case "file":
    case "audio":
      return {
        type: content.type,
        items: files
          .slice(0, MOST_FILES)
          .map((id, n) => ({ id, caption: cut(content.files[n]?.caption, CAPTION_LENGTH) })),
        note: cut(content.note, NOTE_LENGTH),
      };
    // A customer cannot send these cards; a messenger that has them brings them as text.
    case "product":
    case "order":
      return { type: "text", text: toWireText(content.text ?? "") };
  }
}

/** Cut rather than refused: a message that is too long would not reach the agent at all. */
export const toWireText = (text: string): string => cut(text, TEXT_LENGTH) ?? "";

/** What a webhook body turned out to be. */
export type ParsedWebhook =
  | { type: "act"; gatewayChannelId: GatewayChannelId; key: string; act: OutboundAct }
  | { type: "unsupported"; message: string }
  | { type: "unknown-type"; name: string }
  | { type: "malformed"; path: string; message: string };

/** Reads one webhook. `key` is equal exactly when the gateway repeats the same event. */
export function parseWebhook(raw: string): ParsedWebhook {
  let body: unknown;
  try {
    body = parseJson(raw);
  } catch {
    return { type: "malformed", path: "(body)", message: "is not JSON" };
  }
  const name = typeof body === "object" && body !== null && "type" in body ? body.type : undefined;
  if (typeof name === "string" && !webhookTypes.has(name)) return { type: "unknown-type", name };
  const read = readHook(body);
  if (read?.success) return toParsed(read.data);
  const [first] = read?.error.issues ?? [];
  return { type: "malformed", path: first?.path.join(".") || "(body)", message: first?.message ?? "is not as agreed" };
}

/** The library compares the `length` of whatever has one: an object there that is no number makes it throw. */
function readHook(body: unknown) {
  try {
    return webhook.safeParse(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

function toParsed(hook: Webhook): ParsedWebhook {
  switch (hook.type) {
    case "template_create":
    case "template_update":
    case "template_delete":
      return { type: "unsupported", message: "This messenger has no templates" };
    case "message_sent":
      return sentAct(hook);
    default:
      return changeAct(hook);
  }
}

function sentAct({ data }: Extract<Webhook, { type: "message_sent" }>): ParsedWebhook {
  const content = toContent(data);
  if (!content) return { type: "unsupported", message: `A message of the type ${data.type} has no content to deliver` };
  const author = data.user ?? data.bot;
  const authorName = author?.name ?? [author?.first_name, author?.last_name].filter(Boolean).join(" ");
  const quoted = data.quote_external_id || data.quote_content;
  const act: OutboundAct = {
    type: "message",
    gatewayMessageId: data.id,
    chat: data.external_chat_id as ChatId,
    content,
    suggestions: (data.attachments?.suggestions ?? []).map(toSuggestion),
    quote: quoted
      ? {
          messengerMessageId: (data.quote_external_id || undefined) as MessengerMessageId | undefined,
          text: data.quote_content,
        }
      : undefined,
    author: authorName ? { name: authorName, avatar: author?.avatar || undefined, bot: !data.user } : undefined,
  };
  return { type: "act", gatewayChannelId: data.channel_id, key: `sent:${data.id}`, act };
}

type Change = Exclude<Webhook, { type: "message_sent" | "template_create" | "template_update" | "template_delete" }>;

function changeAct(hook: Change): ParsedWebhook {
  const { data, meta } = hook;
  const at = {
    chat: data.external_chat_id as ChatId,
    messengerMessageId: data.external_message_id as MessengerMessageId,
  };
  const of = (act: OutboundAct, ...also: unknown[]): ParsedWebhook => ({
    type: "act",
    gatewayChannelId: data.channel_id,
    // With the chat: many messengers count messages anew in each.
    key: `${hook.type}:${JSON.stringify([data.external_chat_id, data.external_message_id, ...also])}`,
    act,
  });
  switch (hook.type) {
    case "message_updated": {
      const content = toContent(hook.data);
      if (!content) return { type: "unsupported", message: "The changed message has no content" };
      const digest = createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 16);
      const suggestions = (hook.data.attachments?.suggestions ?? []).map(toSuggestion);
      return of({ type: "edited", ...at, content, suggestions }, meta.timestamp, digest);
    }
    case "message_deleted":
      return of({ type: "deleted", ...at });
    case "message_read":
      return of({ type: "read", ...at });
    case "reaction_add":
      return of({ type: "reaction", ...at, reaction: hook.data.new_reaction }, meta.timestamp, hook.data.new_reaction);
    case "reaction_delete":
      return of({ type: "reaction", ...at, reaction: hook.data.new_reaction || null }, meta.timestamp);
  }
}

function toContent(data: WebhookContent): Content | undefined {
  const text = data.content || undefined;
  if (data.product) return { type: "product", product: toProduct(data.product), text };
  if (data.order) return { type: "order", order: toOrder(data.order), text };
  const files = (data.items ?? []).map(({ id, caption, size, width, height }) => {
    return { file: { at: "gateway" as const, id }, caption, size, width, height };
  });
  const type = data.type === "image" || data.type === "audio" ? data.type : "file";
  if (files.length > 0) return { type, files, note: text };
  return text === undefined ? undefined : { type: "text", text };
}

const toSuggestion = (s: { type: Suggestion["type"]; title?: string; payload?: string }): Suggestion => ({
  type: s.type,
  title: s.title ?? s.payload ?? s.type,
  payload: s.payload,
});
const toMoney = (money: { value?: number; currency: string } | undefined): Money | undefined =>
  money && { value: money.value ?? 0, currency: money.currency };
const toProduct = (p: WireProduct): Product => ({
  id: p.id ?? 0,
  name: p.name,
  article: p.article,
  url: p.url,
  image: p.img,
  cost: toMoney(p.cost),
  unit: p.unit,
});
const toOrder = (o: WireOrder): Order => ({
  number: o.number,
  url: o.url,
  date: o.date,
  cost: toMoney(o.cost),
  discount: toMoney(o.discount),
  status: o.status?.name ?? o.status?.code,
  items: (o.items ?? []).map((item) => ({
    name: item.name ?? "",
    quantity: item.quantity?.value,
    unit: item.quantity?.unit,
    price: toMoney(item.price),
    url: item.url,
  })),
  delivery: o.delivery && { ...o.delivery, price: toMoney(o.delivery.price) },
  payments: o.payments?.map(({ name, status, amount }) => ({ name, status: status?.name, amount: toMoney(amount) })),
});
