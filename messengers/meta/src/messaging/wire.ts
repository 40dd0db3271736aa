import * as z from "zod";
import { id } from "../envelope.ts";

// The events of Messenger and Instagram (developers.facebook.com/docs/messenger-platform/reference/webhook-events).

/** Times and counts are numbers, or digits in a text. */
const count = z.union([z.number(), z.string().regex(/^\d+$/)]).transform(Number);
const party = z.object({ id: id.refine((given) => given.trim() !== "") });

/** What this version cannot read counts as absent, so the rest of its message is kept. */
const part = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const text = part(z.string());

/** One of a template, or a product that the customer asks about. */
const element = part(z.object({ title: text, subtitle: text, retailer_id: text }));
const elements = part(z.array(element));

const attachment = z.object({
  type: z.string(),
  title: text,
  url: text,
  /** Older links. */
  URL: text,
  payload: part(
    z.object({
      url: text,
      title: text,
      sticker_id: part(id),
      coordinates: part(z.object({ lat: z.number(), long: z.number() })),
      /** Of templates. */
      text,
      elements,
      product: part(z.object({ elements })),
    }),
  ),
});
export type Attachment = z.infer<typeof attachment>;
/** An unreadable one is described in words. */
const UNREADABLE: Attachment = { type: "unsupported_type" };

const referral = z.object({
  ref: text,
  source: text,
  type: text,
  ad_id: part(id),
  ads_context_data: part(z.object({ ad_title: text, product_id: part(id) })),
  /** A product of the shop's catalogue: the customer has written from its page. */
  product: part(z.object({ id: part(id) })),
});
export type Referral = z.infer<typeof referral>;

const message = z.object({
  mid: z.string().min(1),
  text,
  attachments: z.array(attachment.catch(UNREADABLE)).nullish().catch([UNREADABLE]),
  quick_reply: part(z.object({ payload: text })),
  reply_to: part(z.object({ mid: text, story: part(z.object({ url: text })) })),
  is_echo: part(z.boolean()),
  is_deleted: part(z.boolean()),
  is_unsupported: part(z.boolean()),
  /** The metadata that we gave the message. */
  metadata: text,
  referral: part(referral),
});
export type WireMessage = z.infer<typeof message>;

const reaction = z.object({
  mid: z.string().min(1),
  action: z.string(),
  emoji: text,
  reaction: text,
});
export type WireReaction = z.infer<typeof reaction>;

const postback = z.object({
  mid: z.string().min(1).nullish(),
  title: text,
  payload: text,
  referral: part(referral),
});
export type WirePostback = z.infer<typeof postback>;

/** One event of a chat: it has one of the optional fields. */
export const messagingEvent = z.object({
  sender: party,
  recipient: party,
  /** ms since 1970. */
  timestamp: part(count),
  message: message.nullish(),
  message_edit: z.object({ mid: z.string().min(1), text: z.string().nullish(), num_edit: count.nullish() }).nullish(),
  reaction: reaction.nullish(),
  postback: postback.nullish(),
  referral: referral.nullish(),
  /** Of a plugin on the shop's pages; requests for notifications are opt-ins without a `ref`. */
  optin: z.object({ ref: text }).nullish().catch(undefined),
  read: z.object({ watermark: count.nullish(), mid: z.string().nullish() }).nullish(),
});
export type MessagingEvent = z.infer<typeof messagingEvent>;

/** Events that are of no use to a CRM. */
export const IGNORED = [
  "delivery",
  "pass_thread_control",
  "take_thread_control",
  "request_thread_control",
  "app_roles",
  "optin",
  "account_linking",
  "prior_message",
];
