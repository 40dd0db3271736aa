import * as z from "zod";
import { id } from "../envelope.ts";

// The events of Messenger and Instagram (developers.facebook.com/docs/messenger-platform/reference/webhook-events).

/** Times and counts come as numbers or as digits in a text. */
const count = z.union([z.number(), z.string().regex(/^\d+$/)]).transform(Number);
const party = z.object({ id });

const attachment = z.object({
  type: z.string(),
  title: z.string().nullish(),
  url: z.string().nullish(),
  /** Older links. */
  URL: z.string().nullish(),
  payload: z
    .object({
      url: z.string().nullish(),
      title: z.string().nullish(),
      sticker_id: id.nullish(),
      coordinates: z.object({ lat: z.number(), long: z.number() }).nullish(),
    })
    .nullish(),
});
export type Attachment = z.infer<typeof attachment>;

const referral = z.object({
  ref: z.string().nullish(),
  source: z.string().nullish(),
  type: z.string().nullish(),
  ad_id: id.nullish(),
  ads_context_data: z.object({ ad_title: z.string().nullish() }).nullish(),
});
export type Referral = z.infer<typeof referral>;

const message = z.object({
  mid: z.string().min(1),
  text: z.string().nullish(),
  attachments: z.array(attachment).nullish(),
  quick_reply: z.object({ payload: z.string().nullish() }).nullish(),
  reply_to: z.object({ mid: z.string().nullish(), story: z.object({ url: z.string().nullish() }).nullish() }).nullish(),
  is_echo: z.boolean().nullish(),
  is_deleted: z.boolean().nullish(),
  is_unsupported: z.boolean().nullish(),
  /** What we gave the message. */
  metadata: z.string().nullish(),
  referral: referral.nullish(),
});
export type WireMessage = z.infer<typeof message>;

const reaction = z.object({
  mid: z.string().min(1),
  action: z.string(),
  emoji: z.string().nullish(),
  reaction: z.string().nullish(),
});
export type WireReaction = z.infer<typeof reaction>;

const postback = z.object({
  mid: z.string().min(1).nullish(),
  title: z.string().nullish(),
  payload: z.string().nullish(),
  referral: referral.nullish(),
});
export type WirePostback = z.infer<typeof postback>;

/** One event of a chat: it has one of the optional fields. */
export const messagingEvent = z.object({
  sender: party,
  recipient: party,
  /** ms since 1970. */
  timestamp: count.nullish(),
  message: message.nullish(),
  message_edit: z.object({ mid: z.string().min(1), text: z.string().nullish(), num_edit: count.nullish() }).nullish(),
  reaction: reaction.nullish(),
  postback: postback.nullish(),
  referral: referral.nullish(),
  read: z.object({ watermark: count.nullish(), mid: z.string().nullish() }).nullish(),
});
export type MessagingEvent = z.infer<typeof messagingEvent>;

/** Events that a CRM has no use for. */
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
