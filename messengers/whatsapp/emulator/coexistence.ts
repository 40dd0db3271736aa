import { accountOf, announce, type Network } from "./network.ts";
import { commonOf, timestampOf } from "./values.ts";
import { addMessage, type Chat, type Content, changed, type Message } from "./world.ts";

// What the staff does in the WhatsApp Business app of a coexistence number.

/** The staff writes. Throws unless the number is used in the app too. */
export async function staffWrites(network: Network, chat: Chat, content: Content): Promise<Message> {
  if (!chat.number.isCoexistence) throw new Error("Only a coexistence number is used in the app");
  const at = network.core.clock.now();
  const message = addMessage(network.world, chat, { from: "staff", at, content, status: "delivered" });
  changed(network.world, chat);
  await echo(network, chat, { id: message.id, ...content });
  return message;
}

export async function staffEdits(network: Network, chat: Chat, message: Message, body: string): Promise<void> {
  message.content = { type: "text", text: { body } };
  message.isEdited = true;
  changed(network.world, chat);
  const changedTo = { original_message_id: message.id, message: message.content };
  await echo(network, chat, { id: `${message.id}.e`, type: "edit", edit: changedTo });
}

export async function staffRevokes(network: Network, chat: Chat, message: Message): Promise<void> {
  message.isRevoked = true;
  changed(network.world, chat);
  await echo(network, chat, { id: `${message.id}.r`, type: "revoke", revoke: { original_message_id: message.id } });
}

async function echo(network: Network, chat: Chat, what: object): Promise<void> {
  const { customer, number } = chat;
  const { contacts: _, ...common } = commonOf(chat, network);
  const sent = {
    from: number.digits,
    ...(!customer.isHidden && { to: customer.phone }),
    ...((customer.isHidden || network.switches.values().userIds) && { to_user_id: customer.userId }),
    timestamp: timestampOf(network.core.clock.now()),
    ...what,
  };
  await announce(network, accountOf(network, number), "smb_message_echoes", { ...common, message_echoes: [sent] });
}
