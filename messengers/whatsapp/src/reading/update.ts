import { id } from "gangway-meta/envelope";
import * as z from "zod";

// The shapes of webhooks (docs/whatsapp/cloud-api/webhooks). `null` counts as absent; unknown fields are ignored.

// A value of another type also counts as absent, so the rest of its message is kept.
const text = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);
const digits = id
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);
const number = z
  .union([z.number(), z.string()])
  .nullish()
  .catch(undefined)
  .transform((value) => {
    const read = Number(value ?? Number.NaN);
    return Number.isNaN(read) ? undefined : read;
  });
const flag = z
  .boolean()
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? false);
/** A part that this version cannot read counts as absent: the message is then described in words. */
const part = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
/** An unreadable item does not lose the rest of its batch. */
const readable = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
/** Those that can be read. */
const each = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(readable(schema))
    .nullish()
    .catch([])
    .transform((all) => (all ?? []).flatMap((one) => (one === undefined ? [] : [one])));
/** All items; anything that is not a list counts as one unreadable item. */
const every = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(readable(schema))
    .nullish()
    .catch([undefined])
    .transform((all) => all ?? []);

const error = z.object({
  code: number,
  title: text,
  message: text,
  error_data: part(z.object({ details: text })),
});
export type WireError = z.infer<typeof error>;

const media = z.object({
  id: z.string().min(1),
  mime_type: text,
  caption: text,
  filename: text,
  voice: flag,
  animated: flag,
});
const place = z.object({ latitude: z.number(), longitude: z.number(), name: text, address: text, url: text });
const card = z.object({
  name: part(z.object({ formatted_name: text, first_name: text, last_name: text })),
  org: part(z.object({ company: text })),
  phones: each(z.object({ phone: text, wa_id: text })),
  emails: each(z.object({ email: text })),
  /** `contact_request`: the customer's own contact, asked for by `request_contact_info`. */
  origin: text,
});
const order = z.object({
  text,
  product_items: each(z.object({ product_retailer_id: id, quantity: number, item_price: number, currency: text })),
});
const interactive = z.object({
  type: text,
  button_reply: part(z.object({ id: text, title: text })),
  list_reply: part(z.object({ id: text, title: text, description: text })),
  nfm_reply: part(z.object({ name: text, body: text, response_json: text })),
  call_permission_reply: part(z.object({ response: text })),
});
const context = z.object({
  id: text,
  from: text,
  forwarded: flag,
  frequently_forwarded: flag,
  referred_product: part(z.object({ catalog_id: digits, product_retailer_id: digits })),
});
const referral = z.object({
  source_url: text,
  source_id: digits,
  source_type: text,
  headline: text,
  body: text,
  ctwa_clid: text,
});

const content = {
  type: z.string(),
  context: part(context),
  text: part(z.object({ body: z.string() })),
  image: part(media),
  video: part(media),
  audio: part(media),
  /** From before Graph API versions: `audio` today. */
  voice: part(media),
  document: part(media),
  sticker: part(media),
  location: part(place),
  contacts: part(z.array(card)),
  order: part(order),
  button: part(z.object({ text, payload: text })),
  interactive: part(interactive),
};
const body = z.object(content);
/** The content of a message, also after an edit. */
export type Body = z.infer<typeof body>;

const message = z.object({
  ...content,
  id: z.string().min(1),
  timestamp: number,
  from: digits,
  from_user_id: text,
  to: digits,
  to_user_id: text,
  group_id: text,
  referral: part(referral),
  reaction: part(z.object({ message_id: z.string(), emoji: text })),
  system: part(
    z.object({ type: text, body: text, wa_id: digits, new_wa_id: digits, user_id: text, previous_user_id: text }),
  ),
  edit: part(z.object({ original_message_id: z.string(), message: part(body) })),
  revoke: part(z.object({ original_message_id: z.string() })),
  errors: each(error),
  /** Of messages written before the connection. */
  history_context: part(z.object({ from_me: part(z.boolean()) })),
});
/** `from` is the customer; in an echo it is the shop, and `to` the customer. */
export type WireMessage = z.infer<typeof message>;

const contact = z.object({
  profile: part(z.object({ name: text, username: text })),
  wa_id: digits,
  user_id: text,
});
export type WireContact = z.infer<typeof contact>;

const status = z.object({
  id: z.string().min(1),
  status: z.string(),
  timestamp: number,
  recipient_id: digits,
  recipient_user_id: text,
  biz_opaque_callback_data: text,
  errors: each(error),
});
export type WireStatus = z.infer<typeof status>;

/** The end of a call, among others. */
const call = z.object({
  id: z.string().min(1),
  from: digits,
  from_user_id: text,
  event: text,
  direction: text,
  timestamp: number,
  /** Duration of the conversation, s; absent if nobody answered the call. */
  duration: number,
});
export type WireCall = z.infer<typeof call>;

const preference = z.object({ wa_id: digits, user_id: text, category: text, value: text, timestamp: number });
export type WirePreference = z.infer<typeof preference>;

const idUpdate = z.object({
  wa_id: digits,
  user_id: z.object({ previous: z.string(), current: z.string() }),
  timestamp: number,
});
export type WireIdUpdate = z.infer<typeof idUpdate>;

const chunk = z.object({
  metadata: part(z.object({ progress: number })),
  threads: every(z.object({ id: digits, messages: every(message) })),
  errors: each(error),
});
export type HistoryChunk = z.infer<typeof chunk>;

const stateSync = z.object({
  type: text,
  action: text,
  contact: part(z.object({ full_name: text, first_name: text, phone_number: text })),
});
export type StateSync = z.infer<typeof stateSync>;

export const metadata = z.object({ metadata: z.object({ phone_number_id: id }) });

/** The value of a change of the fields that are about chats. */
export const value = z.object({
  metadata: part(z.object({ display_phone_number: text })),
  contacts: each(contact.catch({ profile: undefined, wa_id: undefined, user_id: undefined })),
  messages: every(message),
  message_echoes: every(message),
  statuses: every(status),
  calls: every(call),
  user_preferences: every(preference),
  user_id_update: every(idUpdate),
  history: every(chunk),
  state_sync: every(stateSync),
  errors: each(error),
});
export type Value = z.infer<typeof value>;
