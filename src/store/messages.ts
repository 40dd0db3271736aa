import type { SentPart } from "../domain/delivery/plan.ts";
import type { RawWebhook } from "../domain/delivery/raw-webhook.ts";
import type { AccountId, ChannelId, ChatId, GatewayMessageId, JobId, MessengerMessageId } from "../domain/ids.ts";

/** Maps message ids between gateway and messenger. */
export interface MessageStore {
  /** The gateway's id of a messenger message, once known. */
  gatewayId(channelId: ChannelId, id: MessengerMessageId): Promise<GatewayMessageId | undefined>;
  /** All parts, in order, of the message that `id` is a part of. */
  parts(channelId: ChannelId, id: MessengerMessageId): Promise<SentPart[]>;
  /** The id under which the gateway knows the message that `id` is a part of. */
  head(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** When the ack for this agent's message is due at the gateway, ms; undefined when none is owed. */
  ackDue(channelId: ChannelId, id: MessengerMessageId): Promise<number | undefined>;
  /** The same for all agents' messages of a chat that were accepted before this event: when the last is due, ms. */
  acksDue(channelId: ChannelId, chat: ChatId, before: JobId): Promise<number | undefined>;
  /** Whether agents' messages of a channel are under way, wait, or owe an ack. */
  hasOutbound(channelId: ChannelId): Promise<boolean>;
  /** Whether `id` is unknown while a message to this chat is perhaps sent: it may be that message's. */
  mayBeUnderWay(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Promise<boolean>;
  /** The current messenger id of the message that the gateway knows as `id`; it changes when the message is resent. */
  current(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** Whether an edit under way replaces this message with a new one. */
  isBeingReplaced(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Promise<boolean>;
  /** Whether the chat has any message; by the gateway's chat id. */
  knowsChat(channelId: ChannelId, gatewayChat: ChatId): Promise<boolean>;
  /** Times of the parts sent to a chat after `since`, ms. */
  sentSince(channelId: ChannelId, chat: ChatId, since: number): Promise<number[]>;
}

export interface KeptWebhook {
  channelId: ChannelId;
  source: "messenger" | "gateway";
  receivedAt: number;
  raw: RawWebhook;
}

interface KeptWebhooks {
  /** In order of storage. */
  webhooks: KeptWebhook[];
  /** Rows that do not open: their accounts and number of webhooks are unknown. `at` is the time of the first, ms. */
  unreadable: { row: number; at: number }[];
  /** `after` of the next page; absent at the end. */
  next?: number;
}

/** Raw webhooks, kept for some days. The outbox writes them together with their events. */
export interface RawWebhookStore {
  /** Reads the next `rows` rows and returns webhooks with `from` <= time < `to`, ms; `after` is the previous `next`. */
  list(accountId: AccountId, window: { from: number; to: number; after?: number }, rows: number): Promise<KeptWebhooks>;
}
