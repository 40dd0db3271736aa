import type { Asked } from "gangway-meta/emulator/graph";
import { needRight } from "gangway-meta/emulator/tokens";
import { badParam } from "./codes.ts";
import { accountOf, announce, type Network } from "./network.ts";
import { ownNumber } from "./owned.ts";
import { metadataOf, timestampOf } from "./values.ts";
import type { BusinessNumber, Chat, Message } from "./world.ts";

// What a coexistence number's phone gives once (documentation/business-messaging/whatsapp/webhooks/reference/history, …/smb_app_state_sync).

const SYNCS = ["smb_app_state_sync", "history"];
/** Meta's code for a phone whose owner shares no chats. */
const DECLINED = 2593109;

/** POST /{phone number id}/smb_app_data. Meta documents no words of its refusals. */
export function syncPhone(network: Network, asked: Asked): object {
  const number = ownNumber(network, asked, "phoneNumberId", "post");
  needRight(asked.token(), "whatsapp_business_management");
  const { messaging_product, sync_type } = asked.body;
  if (messaging_product !== "whatsapp") throw badParam("The parameter messaging_product is required.");
  if (typeof sync_type !== "string" || !SYNCS.includes(sync_type)) throw badParam("Param sync_type is not valid");
  if (!number.isCoexistence) throw badParam("The phone number is not used in the WhatsApp Business app");
  number.synced ??= new Set();
  if (number.synced.has(sync_type)) throw badParam("The synchronization was requested before");
  number.synced.add(sync_type);
  network.soon(() => (sync_type === "history" ? tellHistory(network, number) : tellContacts(network, number)));
  return { messaging_product: "whatsapp", request_id: `${number.id}_${sync_type}` };
}

const chatsOf = ({ world }: Network, number: BusinessNumber): Chat[] =>
  [...world.chats.values()].filter((chat) => chat.number === number && !chat.customer.isHidden);

const commonOf = (number: BusinessNumber) => ({ messaging_product: "whatsapp", metadata: metadataOf(number) });

async function tellContacts(network: Network, number: BusinessNumber): Promise<void> {
  const state_sync = chatsOf(network, number).map(({ customer }) => ({
    type: "contact",
    contact: { full_name: customer.name, first_name: customer.name.split(" ")[0], phone_number: customer.phone },
    action: "add",
    metadata: { timestamp: timestampOf(network.core.clock.now()) },
  }));
  await announce(network, accountOf(network, number), "smb_app_state_sync", { ...commonOf(number), state_sync });
}

async function tellHistory(network: Network, number: BusinessNumber): Promise<void> {
  const tell = (value: object) =>
    announce(network, accountOf(network, number), "history", { ...commonOf(number), ...value });
  if (!network.switches.values().sharesHistory) {
    const error = { code: DECLINED, title: "History sharing is turned off", message: "History sharing is turned off" };
    return tell({ history: [{ errors: [error] }] });
  }
  const chats = chatsOf(network, number).filter(({ messages }) => messages.length > 0);
  for (const [n, chat] of chats.entries()) {
    const metadata = { phase: 0, chunk_order: n + 1, progress: Math.floor((100 * (n + 1)) / chats.length) };
    const messages = chat.messages.map((message) => pastMessage(chat, message));
    await tell({ history: [{ metadata, threads: [{ id: chat.customer.phone, messages }] }] });
  }
  for (const chat of chats)
    for (const message of chat.messages)
      if (message.medium) await tell({ messages: [{ ...envelopeOf(chat, message), ...message.content }] });
}

const envelopeOf = ({ number, customer }: Chat, { id, at, from }: Message) => ({
  from: from === "customer" ? customer.phone : number.digits,
  ...(from !== "customer" && { to: customer.phone }),
  id,
  timestamp: timestampOf(at),
});

const pastMessage = (chat: Chat, message: Message) => ({
  ...envelopeOf(chat, message),
  ...(message.medium ? { type: "media_placeholder" } : message.content),
  history_context: { status: message.status.toUpperCase() },
});
