import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import { prefixed } from "gangway-messenger/text";
import { type Reading, timeOf, type View } from "../connecting/view.ts";
import { AD_WINDOW_MS, WINDOW_MS } from "../wire.ts";
import { readSystem } from "./changes.ts";
import { contentOf, headOf } from "./content.ts";
import { chatOf, customerOf, groupOf, idsOf, learn, phoneText, profileName } from "./people.ts";
import type { WireCall, WireContact, WireMessage } from "./update.ts";

/** Kinds that carry nothing for an agent: the customer has opened the chat. */
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
  if (message.group_id && reading.groups === "off") {
    reading.unknown = "a message in a group, which the channel's settings leave out";
    return;
  }
  const whose = await whoseOf(message, contactOf(message, contacts, echo), echo, reading);
  if (!whose) {
    reading.unknown = "a message of nobody";
    return;
  }
  const { chat, customer, prefix } = whose;
  if (message.reaction) return reactionEvent(message, chat, reading);
  if (message.revoke) return deletedEvent(message, whose, reading);
  if (message.edit) return editedEvent(message, whose, reading);
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
    customer: { ...customer, ...sharedPhone(message) },
    content: prefixed(contentOf(message, lines, message.errors), prefix + headOf(message, lines)),
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

/** The chat of a message, and its author. */
interface Whose {
  chat: ChatId;
  customer: Customer;
  /** Names the author where several people share the chat. */
  prefix: string;
  echo: boolean;
}

/** Undefined: nobody's. */
async function whoseOf(
  message: WireMessage,
  contact: WireContact | undefined,
  echo: boolean,
  reading: Reading,
): Promise<Whose | undefined> {
  const [phone, userId] = echo ? [message.to, message.to_user_id] : [message.from, message.from_user_id];
  const ids = idsOf(phone ?? contact?.wa_id, userId ?? contact?.user_id);
  if (message.group_id) {
    const group = message.group_id as ChatId;
    const author = profileName(contact) || (ids.phone && phoneText(ids.phone)) || ids.userId;
    return { chat: group, customer: await groupOf(group, reading), prefix: author && !echo ? `${author}: ` : "", echo };
  }
  const chat = await chatOf(ids, reading);
  if (!chat) return undefined;
  const reach = await learn(chat, ids, reading, profileName(contact));
  const customer = customerOf(chat, reach, { contact, referral: message.referral }, reading.lines);
  return { chat, customer, prefix: "", echo };
}

/** The customer's own number, which an agent has asked for. */
function sharedPhone({ contacts = [] }: WireMessage): Pick<Customer, "phone"> {
  const card = contacts.find(({ origin }) => origin === "contact_request");
  const [shared] = card?.phones ?? [];
  const digits = (shared?.wa_id ?? shared?.phone ?? "").replace(/\D/g, "");
  return digits ? { phone: phoneText(digits) } : {};
}

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

/** The gateway refuses deletions unless the channel has announced them: only coexistence numbers report them. */
function deletedEvent(message: WireMessage, { chat, customer, prefix, echo }: Whose, reading: Reading): void {
  const of = message.revoke?.original_message_id ?? "";
  reading.events.push({
    type: "deleted",
    ...baseOf(message, chat, of, reading),
    anew: {
      messengerMessageId: message.id as MessengerMessageId,
      originator: echo ? "channel" : "customer",
      customer,
      content: { type: "text", text: prefix + reading.lines.deleted },
    },
  });
}

function editedEvent(message: WireMessage, { chat, customer, prefix, echo }: Whose, reading: Reading): void {
  const { original_message_id: of = "", message: body } = message.edit ?? {};
  const content = prefixed(contentOf(body ?? { ...message, type: "edit" }, reading.lines, message.errors), prefix);
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

/** A call that nobody answered: only its end shows that. */
export async function readCall(call: WireCall, contacts: WireContact[], reading: Reading): Promise<void> {
  const { id, event, direction, duration } = call;
  if (event !== "terminate" || direction === "BUSINESS_INITIATED" || duration) return;
  const contact = contacts.find(
    (each) => (call.from_user_id && each.user_id === call.from_user_id) || (call.from && each.wa_id === call.from),
  );
  const ids = idsOf(call.from ?? contact?.wa_id, call.from_user_id ?? contact?.user_id);
  const chat = await chatOf(ids, reading);
  if (!chat) return;
  const reach = await learn(chat, ids, reading, profileName(contact));
  const { lines } = reading;
  const text = reach.phone ? lines.missedCall({ phone: phoneText(reach.phone) }) : lines.missedUnknown;
  reading.events.push({
    type: "message",
    key: `call:${id}`,
    chat,
    messengerMessageId: id as MessengerMessageId,
    at: timeOf(call.timestamp, reading),
    originator: "customer",
    customer: customerOf(chat, reach, { contact }, lines),
    content: { type: "text", text },
  });
}
