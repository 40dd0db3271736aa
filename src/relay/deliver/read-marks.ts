import type { Channel } from "../../domain/channel.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import type { GatewayChannelId } from "../../domain/ids.ts";
import type { RelayedEvent } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { MessageStore } from "../../store/messages.ts";

type ReadMark = Extract<RelayedEvent, { type: "read" | "read-until" }>;
interface To {
  gateway: Gateway;
  gatewayChannelId: GatewayChannelId;
  channel: Pick<Channel, "id">;
}

/**
 * Other programs may send from the same login, and a customer reads their messages, too. The gateway refuses a mark on what
 * it does not know: nothing of ours is lost.
 */
export async function readToGateway(messages: MessageStore, to: To, event: ReadMark, signal: AbortSignal) {
  const { gateway, gatewayChannelId, channel } = to;
  const { chat, messengerMessageId } = event;
  if (event.type === "read-until") {
    const isOurs = async () => (await messages.sentSince(channel.id, chat, 0)).length > 0;
    return unlessForeign(gateway.markReadUntil(gatewayChannelId, event, signal), isOurs);
  }
  const gatewayMessageId = await messages.gatewayId(channel.id, messengerMessageId);
  const marked = gateway.markRead(gatewayChannelId, { messengerMessageId, gatewayMessageId }, signal);
  return unlessForeign(marked, async () => gatewayMessageId !== undefined);
}

async function unlessForeign(marked: Promise<void>, isOurs: () => Promise<boolean>): Promise<void> {
  try {
    await marked;
  } catch (error) {
    const refused = error instanceof DeliveryError && error.verdict.type === "reject";
    if (!refused || (await isOurs())) throw error;
  }
}
