import { type GatewayFileId, newSecret } from "gangway-messenger/ids";
import { QUALITIES, REJECTIONS, STATUSES } from "gangway-messenger/template";
import * as z from "zod";
import type { GatewayChannelId, GatewayMessageId } from "../domain/ids.ts";

// The gateway's shapes. Unknown keys are ignored; `null` is absent and int64 ids are digit strings already (`parseJson`).

const absent = <T extends z.ZodType>(schema: T) => schema.optional();
/** At most the length of an int64. */
const digits = <Id extends string>() =>
  z.union([z.number().int(), z.string().regex(/^-?\d{1,19}$/)]).transform((id) => String(id) as Id);
/** Ids of our messengers, as we sent them: at most as long as the contract allows, without lone surrogates. */
const externalId = z
  .string()
  .min(1, "should not be empty")
  .max(255, "should have at most 255 characters")
  .refine((id) => !/\p{Cs}/u.test(id), "should be well-formed Unicode");
const text = absent(z.string());
/** `parseJson` returns every long integer as digits, even one that is not an id, such as a time in microseconds. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);

const messageId = digits<GatewayMessageId>();
const channelId = digits<GatewayChannelId>();
const fileId = z.string().transform((id) => id as GatewayFileId);

export const errorAnswer = z.object({ errors: z.array(z.string()).optional() });
export const channelAnswer = z.object({ id: channelId });
export const channelList = z.array(channelAnswer);
export const fileAnswer = z.object({
  id: fileId,
  type: text,
  mime_type: text,
  size: absent(number),
  url: text,
  Url: text,
});
/** Ids of the messages that were unread until then. */
export const readAnswer = z.object({ ids: z.array(digits()) });
export const sentAnswer = z.object({ message_id: messageId, warnings: absent(z.array(z.string())) });

const money = z.object({ value: absent(number), currency: z.string() });
const product = z.object({
  id: absent(number),
  name: z.string(),
  article: text,
  url: text,
  img: text,
  cost: absent(money),
  unit: text,
});
const order = z.object({
  number: text,
  url: text,
  date: text,
  cost: absent(money),
  discount: absent(money),
  delivery: absent(z.object({ name: text, address: text, comment: text, price: absent(money) })),
  payments: absent(z.array(z.object({ name: text, status: absent(z.object({ name: text })), amount: absent(money) }))),
  status: absent(z.object({ name: text, code: text })),
  items: absent(
    z.array(
      z.object({
        name: text,
        quantity: absent(z.object({ value: absent(number), unit: text })),
        price: absent(money),
        url: text,
      }),
    ),
  ),
});
const item = z.object({
  id: fileId,
  caption: text,
  size: absent(number),
  width: absent(number),
  height: absent(number),
});
/** All three are optional in the contract, and real webhooks have buttons without a type. */
const suggestion = z.object({
  type: z.enum(["text", "phone", "email", "url"]).default("text"),
  title: text,
  payload: text,
});
const attachments = absent(z.object({ suggestions: absent(z.array(suggestion)) }));
const person = absent(z.object({ name: text, first_name: text, last_name: text, avatar: text }));

// Templates.

/** Webhook samples have buttons without a type and a title. */
const buttonType = z.enum(["plain", "url", "phone"]).default("plain");
const headerType = z.enum(["text", "image", "video", "document"]);
const templateWords = {
  lang: text,
  category: text,
  body: text,
  footer: text,
  header: absent(z.object({ content: absent(z.object({ type: headerType, body: text })) })),
  buttons: absent(
    z.object({ items: absent(z.array(z.object({ type: buttonType, label: z.string(), url: text, phone: text }))) }),
  ),
};
const attachedFiles = absent(z.array(z.object({ id: fileId, caption: text })));
const values = absent(z.array(z.string()));
const example = absent(
  z.object({ header: values, body: values, buttons: absent(z.array(z.array(z.string()))), attachments: attachedFiles }),
);
/** Sources differ on the pieces of a text: a bare text, `{"var": name}`, `{}`, or `{text, var}`. */
const piece = z.union([
  z.string(),
  z.object({ text, var: z.preprocess((value) => (typeof value === "string" ? value : undefined), text) }),
]);
const among = <const Values extends readonly [string, ...string[]]>(known: Values) =>
  z.preprocess((value) => (known.includes(value as string) ? value : undefined), z.enum(known).optional());
const code = z.string().min(1).max(512);
/** Values that are unknown count as absent. */
export const listedTemplate = z.object({
  ...templateWords,
  channel_id: channelId,
  code,
  type: text,
  name: z.string(),
  template: absent(z.array(piece)),
  verification_status: among(STATUSES),
  quality: among(QUALITIES),
  rejection_reason: among(REJECTIONS),
});
export const templateList = z.array(z.unknown());
const draft = { ...templateWords, name: z.string().min(1), lang: z.string().min(1), category: z.string(), example };
const templateDraft = z.object({ ...draft, channel_id: channelId, body: z.string().min(1) });
/** `args` is the older form of the body's values. */
const templateUse = absent(
  z.object({
    code: text,
    category: text,
    args: values,
    variables: absent(
      z.object({
        header: absent(z.object({ type: headerType, args: values, attachments: attachedFiles })),
        body: absent(z.object({ args: values })),
        buttons: absent(z.array(z.object({ type: buttonType, title: text, args: values }))),
      }),
    ),
  }),
);

const chat = { channel_id: channelId, external_chat_id: externalId, external_user_id: z.string() };
const target = { ...chat, external_message_id: externalId };
const body = { content: text, product: absent(product), order: absent(order), attachments };
/** Compared only for equality: the contract does not state its unit. */
const meta = z.object({ timestamp: z.union([z.number(), z.string()]).transform(String) });
const event = <Name extends string, Data extends z.ZodType>(type: Name, data: Data) =>
  z.object({ type: z.literal(type), meta, data });

const sent = event(
  "message_sent",
  z.object({
    ...chat,
    ...body,
    id: messageId,
    type: z.string(),
    items: absent(z.array(item)),
    quote_external_id: text,
    quote_content: text,
    user: person,
    bot: person,
    template: templateUse,
  }),
);
const updated = event("message_updated", z.object({ ...target, ...body, type: z.string() }));
const reaction = z.object({ ...target, new_reaction: text });

export const webhook = z.discriminatedUnion("type", [
  sent,
  updated,
  event("message_deleted", z.object(target)),
  event("message_read", z.object(target)),
  event("reaction_add", reaction.extend({ new_reaction: z.string() })),
  event("reaction_delete", reaction),
  event("template_create", templateDraft),
  event("template_update", templateDraft.extend({ code })),
  event("template_delete", z.object({ channel_id: channelId, code })),
]);
export const webhookTypes: ReadonlySet<string> = new Set(webhook.options.map((option) => option.shape.type.value));

export type Webhook = z.infer<typeof webhook>;
export type WebhookContent = Pick<z.infer<typeof sent>["data"], "type" | "content" | "product" | "order" | "items">;
export type WireProduct = z.infer<typeof product>;
export type WireOrder = z.infer<typeof order>;
export type WireTemplate = z.infer<typeof listedTemplate>;
export type WireDraft = z.infer<typeof templateDraft>;
export type WireTemplateUse = NonNullable<z.infer<typeof templateUse>>;

// JavaScript parses every JSON number as a double, but the gateway's ids are int64: beyond 2^53 digits would change silently.

/**
 * Matches whole strings, so that digits inside a string are never taken for a number. The closing quote is optional:
 * otherwise an unterminated string takes quadratic time.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Integers this long may not survive a double. */
const LONG_INTEGER = /^-?\d{16,}$/;
const LONG_DIGITS = /\d{16}/;
/** Random, so that no customer text can pass for an id. */
const MARK = `int64-${newSecret()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** JSON.parse, but integers of 16 or more digits become strings, and null fields are undefined. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return withoutNulls(JSON.parse(text));
  return withoutNulls(JSON.parse(text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token))));
}

/** Sets null fields to undefined in place: deleting would make slow hash tables. Iterative, since JSON may be deep. */
function withoutNulls(body: unknown): unknown {
  const open = [body];
  for (const value of open) {
    if (typeof value !== "object" || value === null) continue;
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const field = fields[name];
      if (field === null && !Array.isArray(value)) fields[name] = undefined;
      else if (typeof field === "object") open.push(field);
    }
  }
  return body;
}

/** An id for `writeJson`, which writes a marked one as a bare number of any length. */
export const int64 = (digits: string): string | number =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : `${MARK}${digits}`;

export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replace(MARKED, "$1") : text;
}
