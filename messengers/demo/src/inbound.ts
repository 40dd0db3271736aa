import type { HostedContext, HostedReceipt } from "gangway-messenger/hosted";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { noUpdate, readWebhook } from "gangway-messenger/webhooks";
import { CHAT, customerIn } from "./customer.ts";
import { type Entry, type Settings, said } from "./wire.ts";

/** The header that proves a request. */
export const PROOF = "x-customer-key";

/** Reads what the customer says; it appears in their chat once it is stored. */
export function receiving({ settings, clock }: HostedContext<Settings>): (request: Request) => Promise<HostedReceipt> {
  return async (request) => {
    const webhook = await readWebhook(request, { header: PROOF, secret: settings.customerKey });
    if ("refusal" in webhook) return webhook.refusal;
    const read = said.safeParse(webhook.body);
    if (!read.success) return noUpdate();
    const { id, text } = read.data;
    const event: ChannelEvent = {
      ...{ type: "message", key: id, chat: CHAT, messengerMessageId: id as MessengerMessageId, at: clock.now() },
      ...{ originator: "customer", customer: customerIn(settings.language), content: { type: "text", text } },
    };
    const entry: Entry = { from: "customer", id, text };
    return { events: [event], journal: [{ chat: CHAT, key: `in:${id}`, entry }], reply: new Response(null) };
  };
}
