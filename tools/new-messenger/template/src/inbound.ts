import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelContext, Receipt } from "gangway-messenger/port";
import { noUpdate, readWebhook } from "gangway-messenger/webhooks";
import { type Settings, type Update, update } from "./wire.ts";

/** The header that proves the network's requests (write me). */
export const PROOF = "x-acme-secret";

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

/** `key` is the same when the network repeats an event; nothing that a customer says is dropped. */
function eventsOf({ id }: Update): ChannelEvent[] {
  throw new Error(`write me: the update ${id} as events`);
}
