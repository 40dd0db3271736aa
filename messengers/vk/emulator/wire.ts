import { byCmid, type Chat, type Message } from "./world.ts";

const seconds = (ms: number): number => Math.floor(ms / 1000);
const fromId = ({ community, person }: Chat, { from }: Message): number =>
  from === "customer" ? person.id : -community.id;

/** What a quote or a forwarded message has. */
export const foreignMessage = (chat: Chat, message: Message): object => ({
  ...{ date: seconds(message.at), from_id: fromId(chat, message), text: message.text, id: message.id },
  ...{ attachments: message.attachments, conversation_message_id: message.cmid, peer_id: chat.person.id },
});

/** Letters of a cropped message. */
const CROPPED = 200;

/** A message as the API and webhooks write it. `isWhole`: not cropped. */
export function wireMessage(chat: Chat, message: Message, { isWhole = true, names = true } = {}): object {
  const { reply, forwarded = [], geo, keyboard, payload, ref, refSource, editedAt, admin, isCropped, from } = message;
  const quoted = reply === undefined ? undefined : byCmid(chat, reply);
  const isCut = isCropped === true && !isWhole;
  return {
    ...{ date: seconds(message.at), from_id: fromId(chat, message), id: message.id, version: 10_000 + message.id },
    ...{ out: from === "community" ? 1 : 0, important: false, is_hidden: false, fwd_messages: forwarded },
    ...{ attachments: isCut ? [] : message.attachments, conversation_message_id: message.cmid },
    ...{ text: isCut ? message.text.slice(0, CROPPED) : message.text, peer_id: chat.person.id },
    ...((names || from === "customer") && { random_id: message.randomId }),
    ...(isCut && { is_cropped: true }),
    ...(quoted && { reply_message: foreignMessage(chat, quoted) }),
    ...(geo && { geo }),
    ...(keyboard && { keyboard }),
    ...(payload !== undefined && { payload }),
    ...(ref !== undefined && { ref }),
    ...(refSource !== undefined && { ref_source: refSource }),
    ...(editedAt !== undefined && { update_time: seconds(editedAt) }),
    ...(admin !== undefined && { admin_author_id: admin }),
    ...(message.reactions.community !== undefined && { reaction_id: message.reactions.community }),
  };
}

export const conversation = (chat: Chat): object => {
  const last = chat.messages.at(-1);
  return {
    peer: { id: chat.person.id, type: "user", local_id: chat.person.id },
    ...{ last_message_id: last?.id ?? 0, last_conversation_message_id: last?.cmid ?? 0 },
    ...{ in_read: chat.readBy.community, out_read: chat.readBy.customer, version: 10_000 + (last?.id ?? 0) },
    ...{ sort_id: { major_id: 0, minor_id: last?.id ?? 0 }, important: false, unanswered: false },
    can_write: chat.isExpired ? { allowed: false, reason: 950 } : { allowed: chat.isAllowed },
  };
};

/** What the phones that a customer has can show. */
export const CLIENT_INFO = {
  button_actions: ["text", "vkpay", "open_app", "location", "open_link", "callback"],
  ...{ keyboard: true, inline_keyboard: true, carousel: true, lang_id: 0 },
};
