import { type ChatId, fingerprint, type GatewayChannelId, type MessengerMessageId } from "../domain/ids.ts";
import type { Content, Money, Order, OutboundAct, Product, Suggestion } from "../domain/message/message.ts";
import type { TemplateAct } from "../domain/message/template.ts";
import { isOverNested } from "../domain/nesting.ts";
import { toDraft, toTemplateUse } from "./templates.ts";
import {
  parseJson,
  type Webhook,
  type WebhookContent,
  type WireOrder,
  type WireProduct,
  webhook,
  webhookTypes,
} from "./wire.ts";

export type ParsedWebhook =
  | { type: "act"; gatewayChannelId: GatewayChannelId; key: string; act: OutboundAct }
  | TemplateWebhook
  | { type: "unsupported"; message: string }
  | { type: "unknown-type"; name: string }
  | { type: "malformed"; path: string; message: string };

/** It is carried out while the gateway waits for the answer. */
export interface TemplateWebhook {
  type: "template";
  gatewayChannelId: GatewayChannelId;
  key: string;
  act: TemplateAct;
}

/** Parses one webhook. Its deduplication `key` is equal exactly when the gateway repeats the same event. */
export function parseWebhook(raw: string): ParsedWebhook {
  let body: unknown;
  try {
    body = parseJson(raw);
  } catch {
    return { type: "malformed", path: "(body)", message: "is not JSON" };
  }
  try {
    body = withData(body);
  } catch {
    return { type: "malformed", path: "data", message: "is not JSON" };
  }
  const name = typeof body === "object" && body !== null && "type" in body ? body.type : undefined;
  if (typeof name === "string" && !webhookTypes.has(name)) return { type: "unknown-type", name };
  const read = readHook(body);
  if (read?.success) return toParsed(read.data);
  const [first] = read?.error.issues ?? [];
  return { type: "malformed", path: first?.path.join(".") || "(body)", message: first?.message ?? "is malformed" };
}

/** A live module's gateway writes `data` as a text of JSON. Throws SyntaxError. */
function withData(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("data" in body) || typeof body.data !== "string") return body;
  if (isOverNested(body.data)) throw new SyntaxError("nested too deeply");
  return { ...body, data: parseJson(body.data) };
}

/** zod compares any `length` property and throws a TypeError when it is not a number. */
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
      return templateAct(hook, { do: "create", draft: toDraft(hook.data) });
    case "template_update":
      return templateAct(hook, { do: "edit", code: hook.data.code, draft: toDraft(hook.data) });
    case "template_delete":
      return templateAct(hook, { do: "delete", code: hook.data.code });
    case "message_sent":
      return sentAct(hook);
    default:
      return changeAct(hook);
  }
}

const digestOf = (value: unknown) => fingerprint(JSON.stringify(value)).slice(0, 16);

type OfTemplate = Extract<Webhook, { type: "template_create" | "template_update" | "template_delete" }>;
const templateAct = ({ type, data, meta }: OfTemplate, act: TemplateAct): TemplateWebhook => ({
  type: "template",
  gatewayChannelId: data.channel_id,
  key: `${type}:${digestOf([meta.timestamp, act])}`,
  act,
});

function sentAct({ data }: Extract<Webhook, { type: "message_sent" }>): ParsedWebhook {
  const template = toTemplateUse(data.template);
  const content = toContent(data) ?? (template && { type: "text", text: "" });
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
    ...(template && { template }),
  };
  return { type: "act", gatewayChannelId: data.channel_id, key: `sent:${data.id}`, act };
}

type Change = Exclude<Webhook, { type: "message_sent" } | OfTemplate>;

function changeAct(hook: Change): ParsedWebhook {
  const { data, meta } = hook;
  const at = {
    chat: data.external_chat_id as ChatId,
    messengerMessageId: data.external_message_id as MessengerMessageId,
  };
  const of = (act: OutboundAct, ...also: unknown[]): ParsedWebhook => ({
    type: "act",
    gatewayChannelId: data.channel_id,
    // Include the chat: many messengers number messages per chat.
    key: `${hook.type}:${JSON.stringify([data.external_chat_id, data.external_message_id, ...also])}`,
    act,
  });
  switch (hook.type) {
    case "message_updated": {
      const content = toContent(hook.data);
      if (!content) return { type: "unsupported", message: "The changed message has no content" };
      const suggestions = (hook.data.attachments?.suggestions ?? []).map(toSuggestion);
      return of({ type: "edited", ...at, content, suggestions }, meta.timestamp, digestOf(content));
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
