import { prefixed } from "../../domain/content.ts";
import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import { readSystem } from "./changes.ts";
import { contentOf, headOf } from "./content.ts";
import { chatOf, customerOf, type Ids, learn } from "./people.ts";
import type { WireContact, WireMessage } from "./update.ts";
import { type Reading, timeOf, type View } from "./view.ts";
import { AD_WINDOW_MS, WINDOW_MS } from "./wire.ts";

/** Kinds that say nothing to an agent: the customer has opened the chat. */
const SILENT = ["request_welcome"];

/** One message of a customer, or of staff who wrote in the app (`echo`). */
export async function readMessage(
  message: WireMessage,
  contacts: WireContact[],
  reading: Reading,
  echo = false,
): Promise<void> {
  if (SILENT.includes(message.type)) return;
  if (message.system) return readSystem(message, reading);
  const contact = contactOf(message, contacts, echo);
  const ids = idsOf(message, contact, echo);
  const chat = await chatOf(ids, reading);
  if (!chat) {
    reading.unknown = "a message of nobody";
    return;
  }
  const reach = await learn(chat, ids, reading);
  const customer = customerOf(chat, reach, { contact, referral: message.referral }, reading.lines);
  if (message.reaction) return reactionEvent(message, chat, reading);
  if (message.revoke) return deletedEvent(message, chat, reading);
  if (message.edit) return editedEvent(message, { chat, customer, echo }, reading);
  const replyUntil = echo ? undefined : await openWindow(message, chat, reading);
  const { lines } = reading;
  const quote = message.context?.id as MessengerMessageId | undefined;
  reading.events.push({
    type: "message",
    key: message.id,
    chat,
    messengerMessageId: message.id as MessengerMessageId,
    at: timeOf(message.timestamp, reading),
    originator: echo ? "channel" : "customer",
    customer,
    content: prefixed(contentOf(message, lines, message.errors), headOf(message, lines)),
    ...(quote && { quote }),
    ...(replyUntil && { replyUntil }),
  });
}

/** Of a batch's people, the one who writes, or who is written to. */
function contactOf(message: WireMessage, contacts: WireContact[], echo: boolean): WireContact | undefined {
  const [phone, userId] = echo ? [message.to, message.to_user_id] : [message.from, message.from_user_id];
  const found = contacts.find((each) => (userId && each.user_id === userId) || (phone && each.wa_id === phone));
  if (found || phone || userId) return found;
  return contacts.length === 1 ? contacts[0] : undefined;
}

const idsOf = (message: WireMessage, contact: WireContact | undefined, echo: boolean): Ids => ({
  phone: (echo ? message.to : message.from) ?? contact?.wa_id,
  userId: (echo ? message.to_user_id : message.from_user_id) ?? contact?.user_id,
});

/** The customer has written: agents may answer freely for a while, and longer after a click on an ad. */
async function openWindow(message: WireMessage, chat: ChatId, view: View): Promise<number> {
  const until = timeOf(message.timestamp, view) + (message.referral ? AD_WINDOW_MS : WINDOW_MS);
  const known = Number((await view.note(`window:${chat}`)) ?? 0);
  if (until <= known) return known;
  view.set(`window:${chat}`, String(until));
  return until;
}

const baseOf = (message: WireMessage, chat: ChatId, of: string, view: View) => ({
  key: message.id,
  chat,
  messengerMessageId: of as MessengerMessageId,
  at: timeOf(message.timestamp, view),
});

function reactionEvent(message: WireMessage, chat: ChatId, reading: Reading): void {
  const { message_id: of, emoji } = message.reaction ?? { message_id: "", emoji: undefined };
  reading.events.push({ type: "reaction", ...baseOf(message, chat, of, reading), reaction: emoji || null });
}

function deletedEvent(message: WireMessage, chat: ChatId, reading: Reading): void {
  const of = message.revoke?.original_message_id ?? "";
  reading.events.push({ type: "deleted", ...baseOf(message, chat, of, reading) });
}

interface Whose {
  chat: ChatId;
  customer: Customer;
  echo: boolean;
}

function editedEvent(message: WireMessage, { chat, customer, echo }: Whose, reading: Reading): void {
  const { original_message_id: of = "", message: body } = message.edit ?? {};
  const content = contentOf(body ?? { ...message, type: "edit" }, reading.lines, message.errors);
  const text = content.type === "text" ? content.text : ("note" in content && content.note) || "";
  reading.events.push({
    type: "edited",
    ...baseOf(message, chat, of, reading),
    text,
    anew: {
      messengerMessageId: message.id as MessengerMessageId,
      originator: echo ? "channel" : "customer",
      customer,
      content,
    },
  });
}
