import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Job } from "../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../src/domain/ids.ts";
import type { OutboundAct } from "../../src/domain/message.ts";

/** A customer's text; equal ids make equal events. */
export const customerSays = (id: string, text = id, chat = "chat-1"): ChannelEvent => ({
  type: "message",
  key: id,
  chat: chat as ChatId,
  messengerMessageId: id as MessengerMessageId,
  at: Date.UTC(2026, 0, 1),
  originator: "customer",
  customer: { id: chat as CustomerId, nickname: "Visitor" },
  content: { type: "text", text },
});

export const agentSays = (gatewayMessageId: string, text = gatewayMessageId, chat = "chat-1"): OutboundAct => ({
  type: "message",
  gatewayMessageId: gatewayMessageId as GatewayMessageId,
  chat: chat as ChatId,
  content: { type: "text", text },
  suggestions: [],
});

/** Whose message a job is about; undefined for an ack. */
export const chatOf = ({ task }: Pick<Job, "task">): string | undefined =>
  task.direction === "inbound" ? task.event.chat : task.direction === "outbound" ? task.act.chat : undefined;

/** The messenger could not deliver our message, although it had accepted it. */
export const messengerFails = (id: string, message = "the number has no account", chat = "chat-1"): ChannelEvent => ({
  type: "failed",
  key: `failed:${id}`,
  chat: chat as ChatId,
  messengerMessageId: id as MessengerMessageId,
  at: Date.UTC(2026, 0, 1),
  error: { code: "customer_not_exists", message, externalCode: "131026" },
});
