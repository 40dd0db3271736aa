import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelContext, Receipt } from "gangway-messenger/port";
import { noUpdate, readWebhook } from "gangway-messenger/webhooks";
import { type Settings, type Update, update } from "./wire.ts";

/** The header by which an exchange proves itself. */
export const PROOF = "x-pager-secret";

/** An unreadable request also gets a 200: the network would repeat it. */
export function receiving({ settings }: ChannelContext<Settings>): (request: Request) => Promise<Receipt> {
  return async (request) => {
    const webhook = await readWebhook(request, { header: PROOF, secret: settings.webhookSecret });
    if ("refusal" in webhook) return webhook.refusal;
    const read = update.safeParse(webhook.body);
    if (!read.success) return noUpdate();
    return { events: eventsOf(read.data), reply: new Response(null) };
  };
}

/** `key` is what the network repeats with the same event; nothing that a customer says is dropped. */
function eventsOf({ id, at, from, kind, text }: Update): ChannelEvent[] {
  return [
    {
      type: "message",
      key: id,
      chat: from.id as ChatId,
      messengerMessageId: id as MessengerMessageId,
      at,
      originator: "customer",
      customer: { id: from.id as CustomerId, nickname: from.name || from.id },
      content: { type: "text", text: text || `[${kind || "Empty page"}]` },
    },
  ];
}
