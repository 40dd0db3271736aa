interface Mixed<Webhook> {
  plain: Webhook;
  chat: number;
  inbound: boolean;
  /** Number of the message before it the same way in this chat; absent at first. */
  earlier: number | undefined;
  /** One more than the earlier message's. */
  turn: number;
}

const TURNS = 20;
/** Of twenty: two changes, each of a plain text; four quotes, and from agents four with buttons. */
const KIND = { edit: [0], react: [10], quote: [2, 4, 6, 8], buttons: [3, 5, 11, 13] };
/** The fake Telegram numbers an agent's message by the number in its text. */
export const SENT_ID = 2_000_000_000;

/** A text, or something else that takes one call at the other side. */
export function mixed<Webhook extends { body: string }>(message: Mixed<Webhook>): Webhook {
  const { plain, chat, inbound, earlier, turn } = message;
  if (earlier === undefined) return plain;
  const is = (kind: keyof typeof KIND) => KIND[kind].includes(turn % TURNS);
  const body = JSON.parse(plain.body);
  const changed = inbound ? ofCustomer(body, earlier, is) : ofAgent(body, `${chat}:${SENT_ID + earlier}`, is);
  return { ...plain, body: JSON.stringify(changed) };
}

type Is = (kind: keyof typeof KIND) => boolean;

function ofCustomer(
  { update_id, message }: { update_id: number; message: Record<string, unknown> },
  id: number,
  is: Is,
) {
  const { chat, from: user, date } = message;
  if (is("edit")) return { update_id, edited_message: { ...message, message_id: id, edit_date: date } };
  const reaction = {
    chat,
    user,
    date,
    message_id: id,
    old_reaction: [],
    new_reaction: [{ type: "emoji", emoji: "👍" }],
  };
  if (is("react")) return { update_id, message_reaction: reaction };
  const quoted = { message_id: id, from: user, chat, date, text: "Is it in stock?" };
  return { update_id, message: is("quote") ? { ...message, reply_to_message: quoted } : message };
}

function ofAgent(webhook: { meta: object; data: Record<string, unknown> }, id: string, is: Is) {
  const { meta, data } = webhook;
  const { channel_id, external_chat_id, external_user_id, content } = data;
  const target = { channel_id, external_chat_id, external_user_id, external_message_id: id };
  if (is("edit")) return { type: "message_updated", meta, data: { ...target, type: "text", content } };
  if (is("react")) return { type: "message_deleted", meta, data: target };
  if (is("quote")) return { ...webhook, data: { ...data, quote_external_id: id } };
  const suggestions = ["In stock?", "A catalogue, please"].map((title) => ({ type: "text", title }));
  return is("buttons") ? { ...webhook, data: { ...data, attachments: { suggestions } } } : webhook;
}
