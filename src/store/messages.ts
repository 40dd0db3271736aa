import type { AccountId, ChannelId, ChatId, GatewayMessageId, MessengerMessageId } from "../domain/ids.ts";
import type { SentPart } from "../domain/plan.ts";
import type { RawWebhook } from "../domain/raw-webhook.ts";

/** Which gateway message is which messenger message. */
export interface MessageStore {
  /** The gateway's id of a messenger message, once it is known. */
  gatewayId(channelId: ChannelId, id: MessengerMessageId): Promise<GatewayMessageId | undefined>;
  /** All parts of the message one of whose parts this is, in order. */
  parts(channelId: ChannelId, id: MessengerMessageId): Promise<SentPart[]>;
  /** The id by which the gateway knows the message that this is a part of. */
  head(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** When the ack is due by which the gateway learns of this message of an agent, ms; undefined when none is owed. */
  ackDue(channelId: ChannelId, id: MessengerMessageId): Promise<number | undefined>;
  /** Where a message is now that the gateway knows by this id: it may have been sent anew. */
  current(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** Whether an edit under way deletes this message, to send another in its place. */
  isBeingReplaced(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Promise<boolean>;
  /** Whether anything has ever been said in a chat, as the gateway names it. */
  knowsChat(channelId: ChannelId, gatewayChat: ChatId): Promise<boolean>;
  /** When parts were sent to a chat after `since`, ms. */
  sentSince(channelId: ChannelId, chat: ChatId, since: number): Promise<number[]>;
}

export interface KeptWebhook {
  channelId: ChannelId;
  source: "messenger" | "gateway";
  receivedAt: number;
  raw: RawWebhook;
}

export interface KeptWebhooks {
  /** In the order in which they were stored. */
  webhooks: KeptWebhook[];
  /** Rows that do not open any more: nobody knows whose webhooks were in them, and how many. `at` is of their first, ms. */
  unreadable: { row: number; at: number }[];
  /** Where the next page begins; absent at the end. */
  next?: number;
}

/** Webhooks as they came, for some days. They are written by the outbox, with what they brought. */
export interface RawWebhookStore {
  /** Those of `from` <= time < `to`, ms, out of the next rows; `after` is the `next` of the page before. */
  list(accountId: AccountId, window: { from: number; to: number; after?: number }, rows: number): Promise<KeptWebhooks>;
}
