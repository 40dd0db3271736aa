import { OUTCOME } from "gangway-meta/emulator/faults";
import { type StatusError, statusError } from "./codes.ts";
import { accountOf, announce, type Network, seconds } from "./network.ts";
import { contactOf, metadataOf, recipientOf, timestampOf } from "./values.ts";
import { type Chat, changed, type Message, type Status, windowEnd } from "./world.ts";

const RANK: readonly Status[] = ["accepted", "sent", "delivered", "read", "played"];
const rank = (status: Status): number => RANK.indexOf(status);

/** What becomes of an accepted message, after its answer. `doomed`: why it will not arrive. */
export function follow(
  network: Network,
  chat: Chat,
  message: Message,
  doomed?: () => Promise<StatusError | undefined>,
): void {
  if (network.switches.values().outcome === "hand") return;
  network.soon(async () => {
    const fault = network.core.faults.next(OUTCOME);
    if (fault?.delayMs) await new Promise<void>((resolve) => network.core.clock.after(fault.delayMs ?? 0, resolve));
    if (fault?.drop) return;
    if (fault?.code !== undefined) return fail(network, chat, message, statusError(fault.code, fault.description));
    const error = await doomed?.();
    if (error) return fail(network, chat, message, error);
    await reached(network, chat, message);
  });
}

/** As far as the customer's phone lets it come. */
async function reached(network: Network, chat: Chat, message: Message): Promise<void> {
  const { isOnline, blocked, readsAtOnce } = chat.customer;
  const sent = mark(network, chat, message, "sent");
  // Who blocked the business is not told apart from who is offline.
  if (!isOnline || blocked.has(chat.number.id)) return sent;
  const delivered = deliver(network, chat, message);
  await Promise.all([sent, delivered, readsAtOnce && mark(network, chat, message, "read")]);
}

async function deliver(network: Network, chat: Chat, message: Message): Promise<void> {
  if (network.core.random() < network.switches.values().skipDelivered) {
    message.status = "delivered";
    return;
  }
  await mark(network, chat, message, "delivered");
}

/** The phone is online again: what waited is delivered. */
export async function catchUp(network: Network, chat: Chat): Promise<void> {
  if (chat.customer.blocked.has(chat.number.id)) return;
  const waiting = ofBusiness(chat).filter(({ status }) => status === "sent");
  await Promise.all(waiting.map((message) => deliver(network, chat, message)));
  if (chat.customer.readsAtOnce) await read(network, chat);
}

/** The customer opens the chat. */
export async function read(network: Network, chat: Chat): Promise<void> {
  const unread = ofBusiness(chat).filter(({ status }) => status === "delivered");
  await Promise.all(unread.map((message) => mark(network, chat, message, "read")));
}

const ofBusiness = ({ messages }: Chat): Message[] => messages.filter(({ from }) => from === "business");

/** Reports a status, whatever came before: Meta keeps no order either. */
export async function mark(network: Network, chat: Chat, message: Message, status: Status): Promise<void> {
  if (rank(status) > rank(message.status) && message.status !== "failed") message.status = status;
  changed(network.world, chat);
  const priced = status === "sent" || status === "delivered" || status === "read";
  await report(network, chat, message, { status, ...(priced && pricingOf(network, chat, message, status)) });
}

/** The message fails, perhaps long after its 200. */
export async function fail(network: Network, chat: Chat, message: Message, error: StatusError): Promise<void> {
  message.status = "failed";
  message.error = error;
  changed(network.world, chat);
  await report(network, chat, message, { status: "failed", errors: [error] });
}

async function report(network: Network, chat: Chat, { id, callback }: Message, what: object): Promise<void> {
  const { customer, number } = chat;
  const status = {
    id,
    ...what,
    timestamp: timestampOf(network.core.clock.now()),
    ...recipientOf(customer, network),
    ...(network.world.groups.has(customer.phone) && { recipient_type: "group" }),
    ...(callback !== undefined && { biz_opaque_callback_data: callback }),
  };
  const value = {
    messaging_product: "whatsapp",
    metadata: metadataOf(number),
    ...(customer.n > 0 && { contacts: [contactOf(customer, network)] }),
    statuses: [status],
  };
  await announce(network, accountOf(network, number), "messages", value);
}

const DAY_MS = 86_400_000;

function pricingOf({ core, switches }: Network, chat: Chat, { category, at }: Message, status: Status): object {
  const { pricing: model } = switches.values();
  const isFree = category === "service" || (category === "utility" && windowEnd(chat) > at);
  const free = chat.adAt > 0 && at < chat.adAt + 3 * DAY_MS ? "free_entry_point" : "free_customer_service";
  const origin = model === "CBP" && free === "free_entry_point" ? "referral_conversion" : category;
  const expires = status === "sent" && { expiration_timestamp: String(seconds(core.clock.now() + DAY_MS)) };
  const conversation = {
    id: `${chat.number.n}${chat.customer.n}`.padStart(32, "c0ffee"),
    ...expires,
    origin: { type: origin },
  };
  const pricing =
    model === "CBP"
      ? { billable: true, pricing_model: model, category: origin }
      : { billable: !isFree, pricing_model: model, category, type: isFree ? free : "regular" };
  return { conversation, pricing };
}
