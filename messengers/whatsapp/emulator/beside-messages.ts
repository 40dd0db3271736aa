import { bring, write } from "./acts.ts";
import { accountOf, announce, type Network } from "./network.ts";
import { commonOf, timestampOf } from "./values.ts";
import { type BusinessNumber, type Chat, type Content, type Customer, chatOf, type Message } from "./world.ts";

// What customers do beside their own chat: groups, calls, giving their number.

/** A group that the business has made; its members write in it. */
export function addGroup({ world }: Network, id: string): Customer {
  const group: Customer = {
    n: -1 - world.groups.size,
    ...{ name: "", phone: id, userId: id, isHidden: false, isOnline: true, readsAtOnce: false },
    ...{ blocked: new Set<string>(), optedOut: new Set<string>() },
  };
  world.groups.set(id, group);
  return group;
}

/** A member writes in the group: `from` is the member. */
export async function writeInGroup(network: Network, author: Chat, group: Customer, content: Content): Promise<void> {
  const { world, core } = network;
  chatOf(world, author.number, group).wroteAt = core.clock.now();
  const id = `wamid.G${Math.floor(core.random() * 1e12)}`;
  await bring(network, author, { id, group_id: group.phone, ...content });
}

/** The customer presses the button of `request_contact_info`. */
export function shareNumber(network: Network, chat: Chat, asked: Message): Promise<Message> {
  const { name, phone } = chat.customer;
  const card = { name: { formatted_name: name, first_name: name }, phones: [{ phone: `+${phone}`, wa_id: phone }] };
  return write(network, chat, { contacts: [{ ...card, origin: "contact_request" }], quote: asked.id });
}

/** A call that nobody takes: it begins, and ends without a duration. */
export async function missCall(network: Network, chat: Chat): Promise<void> {
  const { core } = network;
  const id = `wacid.${Math.floor(core.random() * 1e12)}`;
  const { customer, number } = chat;
  const timestamp = timestampOf(core.clock.now());
  const call = { id, from: customer.phone, to: number.digits, direction: "USER_INITIATED", timestamp };
  const session = { sdp_type: "offer", sdp: "v=0" };
  await ring(network, chat, number, { ...call, event: "connect", session });
  await ring(network, chat, number, { ...call, event: "terminate", status: "FAILED" });
}

const ring = (network: Network, chat: Chat, number: BusinessNumber, call: object) =>
  announce(network, accountOf(network, number), "calls", { ...commonOf(chat, network), calls: [call] });
