import { isOverNested } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { type ChatId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import type { Content, FilePart, Money, Order, Product, Suggestion, TemplateUse } from "gangway-messenger/message";
import type { Template, TemplateDraft } from "gangway-messenger/template";
import { cutText } from "gangway-messenger/text";
import type { GatewayChannelId } from "../domain/ids.ts";
import type { OutboundAct, TemplateAct } from "../domain/message.ts";
import type { Operation, Request } from "./sending.ts";
import {
  listedTemplate,
  parseJson,
  type Webhook,
  type WebhookContent,
  type WireDraft,
  type WireOrder,
  type WireProduct,
  type WireTemplate,
  type WireTemplateUse,
  webhook,
  webhookTypes,
} from "./wire.ts";

/** A text's pieces: a bare text, or a variable, which the older client writes as `{}` or `{"var": name}`. */
type Piece = string | { var?: string };

/** Maximum characters of a name (contract). */
const NAME_LENGTH = 512;
const VARIABLE = /(\{\{\s*\w+\s*\}\})/;
const OWN_NAMES = ["first_name", "last_name", "name"];

function piecesOf(body: string): Piece[] {
  const pieces = body.split(VARIABLE).filter(Boolean);
  return pieces.map((piece) => {
    const [, name] = /^\{\{\s*(\w+)\s*\}\}$/.exec(piece) ?? [];
    if (name === undefined) return piece;
    return OWN_NAMES.includes(name) ? { var: name } : {};
  });
}

/** The pieces as one text; variables without a name are numbered. */
function textOf(pieces: NonNullable<WireTemplate["template"]>): string {
  let variables = 0;
  const written = (piece: (typeof pieces)[number]): string => {
    if (typeof piece === "string") return piece;
    if (piece.text) return piece.text;
    if (piece.var && OWN_NAMES.includes(piece.var)) return `{{${piece.var}}}`;
    variables += 1;
    return `{{${variables}}}`;
  };
  return pieces.map(written).join("");
}

/** Body of a template update. Empty values clear what the template no longer has. */
export const toTemplateChange = (template: Template) => ({
  name: cutText(template.name, NAME_LENGTH),
  lang: template.language,
  category: template.category,
  body: template.body,
  template: piecesOf(template.body),
  header: template.header && { content: { type: template.header.type, body: template.header.text } },
  footer: template.footer ?? "",
  buttons: { items: template.buttons.map(({ type, title, url, phone }) => ({ type, label: title, url, phone })) },
  quality: template.quality,
  rejection_reason: template.status === "rejected" ? template.rejection : undefined,
  verification_status: statusOf(template),
});

/** Reports an approved but unusable template as disabled, so that agents are not offered it. */
const statusOf = ({ status, unusable }: Template) => (unusable && status === "approved" ? "disabled" : status);

const typeOf = ({ header }: TemplateDraft) => (header && header.type !== "text" ? "media" : "text");

export const toNewTemplate = (template: Template) => ({
  code: template.code,
  type: typeOf(template),
  ...toTemplateChange(template),
});

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#34": '"', "#39": "'" };
/** The gateway trims and HTML-escapes what it is given (contract: x-normalize). */
const normal = (text: string | undefined): string =>
  (text ?? "").replace(/&(amp|lt|gt|quot|#34|#39);/g, (_, name: string) => ENTITIES[name] ?? "").trim();

type Words = Pick<WireTemplate, "name" | "lang" | "category" | "body" | "header" | "footer" | "buttons">;
const readable = ({ name, lang, category, body, header, footer, buttons }: Words) =>
  JSON.stringify([
    ...[name, lang, category?.toLowerCase(), body, footer, header?.content?.type, header?.content?.body].map(normal),
    (buttons?.items ?? []).map(({ type, label, url, phone }) => [type, ...[label, url, phone].map(normal)]),
  ]);

/** How the gateway's template differs from the messenger's. `kind`: in a way that no update can fix. */
export function difference(listed: WireTemplate, template: Template): "none" | "words" | "kind" {
  const wanted = toNewTemplate(template);
  const hasHeader = listed.header?.content !== undefined;
  if ((listed.type && listed.type !== wanted.type) || (hasHeader && !wanted.header)) return "kind";
  const same =
    readable(withBody(listed)) === readable(listed.body === undefined ? withBody(withoutBody(wanted)) : wanted) &&
    listed.verification_status === wanted.verification_status &&
    (wanted.quality ?? listed.quality) === listed.quality &&
    (wanted.rejection_reason ?? listed.rejection_reason) === listed.rejection_reason;
  return same ? "none" : "words";
}

const withoutBody = <T extends object>(fields: T) => ({ ...fields, body: undefined });
const withBody = <T extends Pick<WireTemplate, "body" | "template">>(fields: T): T => ({
  ...fields,
  body: fields.body ?? textOf(fields.template ?? []),
});

type Attached = NonNullable<NonNullable<WireDraft["example"]>["attachments"]>;
const toFiles = (attached: Attached | undefined): FilePart[] =>
  (attached ?? []).map(({ id, caption }) => ({ file: { at: "gateway", id }, caption }));

/** The template as an agent has written it. */
function toDraft({ name, lang, category, body, header, footer, buttons, example }: WireDraft): TemplateDraft {
  const { type, body: headerText } = header?.content ?? {};
  return {
    ...{ name, language: lang, category, body },
    header: type && { type, ...(type === "text" && { text: headerText }) },
    footer: footer || undefined,
    buttons: (buttons?.items ?? []).map(({ label, url, phone, ...button }) => {
      return { type: button.type, title: label, url: url || undefined, phone: phone || undefined };
    }),
    examples: example && {
      ...{ header: example.header, body: example.body, buttons: example.buttons },
      files: toFiles(example.attachments),
    },
  };
}

/** Undefined when no template is named. */
function toTemplateUse(info: WireTemplateUse): TemplateUse | undefined {
  if (!info.code) return undefined;
  const { header, body, buttons = [] } = info.variables ?? {};
  return {
    code: info.code,
    category: info.category,
    header: header && { type: header.type, values: header.args ?? [], files: toFiles(header.attachments) },
    body: body?.args ?? info.args ?? [],
    buttons: buttons.map(({ type, title = "", args = [] }) => ({ type, title, values: args })),
  };
}

/** Templates at the gateway. Every method throws DeliveryError. */
export interface TemplateCalls {
  /** The channel's templates that have a code; unreadable ones are left out. */
  list(channel: GatewayChannelId, signal: AbortSignal): Promise<ListedTemplate[]>;
  create(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  update(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  /** A missing one counts as deleted. */
  delete(channel: GatewayChannelId, code: string, signal: AbortSignal): Promise<void>;
}
/** A template as the gateway lists it; input of `difference`. */
export type ListedTemplate = WireTemplate;

interface Deps {
  list(request: Request, signal: AbortSignal): Promise<unknown[]>;
  json(operation: Operation, method: "POST" | "PUT", path: string, body: unknown): Request;
  done(request: Request, signal: AbortSignal, orMissing?: "or missing"): Promise<void>;
}

/** The gateway lists the templates of all channels at once, without pages. */
const LIST_BYTES = 32 * 1024 * 1024;
const LIST_MS = 60_000;

export function templateCalls({ list, json, done }: Deps): TemplateCalls {
  return {
    async list(channel, signal) {
      const request: Request = { operation: "getTemplates", method: "GET", path: "/templates", priority: "bulk" };
      const found = await list({ ...request, timeoutMs: LIST_MS, maxBytes: LIST_BYTES }, signal);
      return found.flatMap((each) => {
        const { data } = listedTemplate.safeParse(each);
        return data?.channel_id === channel ? [data] : [];
      });
    },
    create: async (channel, template, signal) =>
      done(json("activateTemplate", "POST", `/channels/${channel}/templates`, toNewTemplate(template)), signal),
    update: async (channel, template, signal) =>
      done(json("updateTemplate", "PUT", pathOf(channel, template.code), toTemplateChange(template)), signal),
    delete: async (channel, code, signal) =>
      done(
        { operation: "deactivateTemplate", method: "DELETE", path: pathOf(channel, code), priority: "bulk" },
        signal,
        "or missing",
      ),
  };
}

/** A code may contain `#` and slashes. As a path segment, `.` or `..` would name another path. Throws DeliveryError. */
function pathOf(channel: GatewayChannelId, code: string): string {
  if (/^\.{1,2}$/.test(code))
    throw new DeliveryError({ type: "reject", code: "general" }, "the template's code is no part of an address");
  return `/channels/${channel}/templates/${encodeURIComponent(code)}`;
}

export type ParsedWebhook =
  | { type: "act"; gatewayChannelId: GatewayChannelId; key: string; act: OutboundAct }
  | TemplateWebhook
  | { type: "unsupported"; message: string }
  | { type: "unknown-type"; name: string }
  | { type: "malformed"; path: string; message: string };

/** An act on a template; carried out while the gateway waits for the answer. */
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

/** The live gateway sends `data` as a string of JSON. Throws SyntaxError. */
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
  const template = data.template && toTemplateUse(data.template);
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
