import { Refusal } from "../refusal.ts";
import { addUser } from "../users.ts";
import type { Chat, Item, Message, MessageRef, SandboxChannel, Speaker } from "../world.ts";
import { chatFor, emitChat, emitMessage, type GivenCustomer, hasAnyId, storeMessage } from "./chats.ts";
import { dialogFor } from "./dialogs.ts";
import { bindingModule, type Gateway, mustFind } from "./gateway.ts";
import { checkFeature, checkNewMessage, checkReading, checkText, isFileKind } from "./policy.ts";

// A transport module's actions on messages.

/** Body of `POST /messages` and `POST /messages/history`. */
export interface PostBody {
  external_chat_id?: string;
  secondary_external_chat_ids?: string[] | null;
  customer?: GivenCustomer | null;
  /** Deprecated name of `customer`. */
  user?: GivenCustomer | null;
  originator?: string;
  reply_deadline?: string | null;
  quote?: MessageRef | null;
  message: {
    external_id?: string | null;
    type: string;
    text?: string;
    note?: string;
    items?: Item[] | null;
    product?: unknown;
    order?: unknown;
    page_link?: string;
    created_at?: string | null;
  };
}

/** Stores a message from the messenger. `past`: imported; no event, no dialog. */
export function post(gateway: Gateway, channel: SandboxChannel, body: PostBody, past = false): Message {
  const { world, clock } = gateway;
  const { message } = body;
  const externalId = message.external_id || undefined;
  if (externalId && world.findMessage(channel.id, { external_id: externalId }))
    throw new Refusal(400, gateway.unknowns().duplicateText, "external_id is new in the channel");
  const content = {
    type: message.type,
    text: message.text ?? "",
    note: message.note ?? "",
    items: isFileKind(message.type) ? (message.items ?? []) : [],
    suggestions: [],
  };
  checkNewMessage(world, bindingModule(gateway, channel), content, "send");
  const quoted = body.quote && quotedIn(gateway, channel, message.type, body.quote);
  const ref = { externalChatId: body.external_chat_id, otherIds: body.secondary_external_chat_ids };
  const chat = chatFor(gateway, channel, { ...ref, customer: body.customer ?? body.user });
  const from = originatorOf(gateway, channel, chat, body.originator);
  if (!past) dialogFor(gateway, chat, from);
  if (from.type === "customer" && !past)
    chat.replyDeadline = body.reply_deadline ? Date.parse(body.reply_deadline) : null;
  const media = content.items.length > 0;
  return storeMessage(gateway, chat, {
    from,
    externalId,
    ...content,
    text: media ? "" : content.text,
    note: media ? content.note || content.text : content.note,
    product: message.product,
    order: message.order,
    quoteId: quoted?.id,
    scope: "public",
    status: past ? "seen" : "received",
    past,
    pageLink: message.page_link,
    ...(message.created_at && { time: Date.parse(message.created_at) }),
    sentAt: clock.now(),
    ...(past && { dialogId: undefined }),
  });
}

function quotedIn(gateway: Gateway, channel: SandboxChannel, type: string, ref: MessageRef): Message {
  checkFeature(bindingModule(gateway, channel), type, "quoting", "send");
  const quoted = gateway.world.findMessage(channel.id, ref);
  if (quoted?.scope !== "public")
    throw new Refusal(400, "Quoted message not found", "the quoted message is known in the channel");
  return quoted;
}

/** `user`: staff who wrote in the messenger itself; they have no account in the CRM. */
function originatorOf(gateway: Gateway, channel: SandboxChannel, chat: Chat, originator: string | undefined): Speaker {
  if (originator === "channel") return { type: "channel", id: channel.id };
  if (originator !== "user") return { type: "customer", id: chat.customerId };
  const { world, clock } = gateway;
  const technical = [...world.users.values()].find((user) => user.technical);
  return { type: "user", id: (technical ?? addUser(world, "Staff", "in the messenger", clock.now(), true)).id };
}

const chatOf = ({ world }: Gateway, message: Message): Chat => {
  const chat = world.chats.get(message.chatId);
  if (!chat) throw new Refusal(400, "Chat not found", "the chat exists");
  return chat;
};

function changed(gateway: Gateway, message: Message, change: Partial<Message>): Chat {
  Object.assign(message, change, { updatedAt: gateway.clock.now() });
  return chatOf(gateway, message);
}

const ofAgent = (message: Message) => message.from.type === "user" || message.from.type === "bot";

export type EditBody = MessageRef & { text: string; page_link?: string };

export function edit(gateway: Gateway, channel: SandboxChannel, body: EditBody): void {
  const message = mustFind(gateway.world, channel, body);
  const binding = bindingModule(gateway, channel);
  checkFeature(binding, message.type, "editing", "send");
  if (message.deleted) throw new Refusal(400, "Message is deleted", "a deleted message is not edited");
  if (message.type === "text") checkText(binding, body.text);
  const words = message.items.length > 0 ? { note: body.text } : { text: body.text };
  const editedAt = gateway.clock.now();
  const chat = changed(gateway, message, {
    ...words,
    edited: true,
    editedAt,
    pageLink: body.page_link ?? message.pageLink,
  });
  emitMessage(gateway, "message_updated", chat, message);
}

/** Returns the message to answer with: the deleted or the chat's previous one. */
export function remove(gateway: Gateway, channel: SandboxChannel, ref: MessageRef): Message {
  const message = mustFind(gateway.world, channel, ref);
  checkFeature(bindingModule(gateway, channel), message.type, "deleting", "send");
  if (message.deleted) throw new Refusal(400, "Message is deleted", "a message is deleted once");
  const chat = changed(gateway, message, { deleted: true });
  emitMessage(gateway, "message_deleted", chat, message);
  emitChat(gateway, chat);
  if (gateway.unknowns().deleteAnswer === "deleted") return message;
  const own = gateway.world.messagesOf(chat.id);
  return own.findLast((other) => !other.deleted) ?? message;
}

export function restore(gateway: Gateway, channel: SandboxChannel, ref: MessageRef): Message {
  const message = mustFind(gateway.world, channel, ref);
  checkFeature(bindingModule(gateway, channel), message.type, "deleting", "send");
  if (!message.deleted) throw new Refusal(400, "Message is not deleted", "a deleted message is restored");
  const chat = changed(gateway, message, { deleted: false });
  emitMessage(gateway, "message_restored", chat, message);
  emitChat(gateway, chat);
  return message;
}

export interface AckBody {
  message?: MessageRef;
  transport_message_id?: string | null;
  external_message_id?: string;
  error?: { code: string; message: string } | null;
  created_at?: string | null;
}

/** Ends the wait for an asynchronous acceptance. */
export function ack(gateway: Gateway, channel: SandboxChannel, body: AckBody): void {
  const { world } = gateway;
  const message = mustFind(world, channel, body.message ?? { external_id: body.external_message_id });
  if (!ofAgent(message)) throw new Refusal(400, "Message not found", "an ack is for an agent's message");
  const { repeatedAck } = gateway.unknowns();
  if (message.acked && repeatedAck === "refuse")
    throw new Refusal(400, "Message is already confirmed", "a message is acked once");
  if (message.acked && repeatedAck === "ignore") return;
  const externalId = body.transport_message_id || body.external_message_id;
  const other = externalId ? world.findMessage(channel.id, { external_id: externalId }) : undefined;
  if (other && other !== message)
    throw new Refusal(400, gateway.unknowns().duplicateText, "a messenger id belongs to one message");
  message.acked = true;
  if (externalId) world.setExternalId(message, externalId);
  if (body.created_at) message.sentAt = Date.parse(body.created_at);
  if (body.error) fail(gateway, message, body.error.code, body.error.message);
  else delivered(gateway, message);
}

/** Delayed change; the chat may have been deleted meanwhile. */
function settle(gateway: Gateway, message: Message, change: Partial<Message>): void {
  if (gateway.world.chats.has(message.chatId))
    emitMessage(gateway, "message_updated", changed(gateway, message, change), message);
}

export function delivered(gateway: Gateway, message: Message): void {
  const status = message.status === "seen" ? "seen" : "received";
  settle(gateway, message, { status, error: undefined, sentAt: message.sentAt ?? gateway.clock.now() });
}

export function accepted(gateway: Gateway, message: Message): void {
  settle(gateway, message, { status: "sent" });
}

export function fail(gateway: Gateway, message: Message, code: string, text?: string): void {
  settle(gateway, message, { status: "failed", error: { code, ...(text && { message: text }) } });
}

export function markSeen(gateway: Gateway, channel: SandboxChannel, ref: MessageRef): void {
  checkReading(bindingModule(gateway, channel));
  const message = mustFind(gateway.world, channel, ref);
  if (!ofAgent(message)) throw new Refusal(400, "Message not found", "the customer reads an agent's messages");
  if (isReadable(message))
    emitMessage(gateway, "message_updated", changed(gateway, message, { status: "seen" }), message);
}

/** Neither undelivered nor deleted. */
const isReadable = ({ status, deleted }: Message): boolean =>
  !deleted && (status === "sending" || status === "sent" || status === "received");

/** The customer has read everything up to `until`; returns the ids of what was unread. */
export function markSeenUntil(
  gateway: Gateway,
  channel: SandboxChannel,
  body: { customer_external_id: string; until: string },
): number[] {
  checkReading(bindingModule(gateway, channel));
  const { world } = gateway;
  const isCustomer = ({ customerId }: Chat) => {
    const customer = world.customers.get(customerId);
    return customer !== undefined && hasAnyId(customer, [body.customer_external_id]);
  };
  const chats = [...world.chats.values()].filter((chat) => chat.channelId === channel.id && isCustomer(chat));
  if (chats.length === 0) throw new Refusal(400, "Customer not found", "the customer is known in the channel");
  const until = Date.parse(body.until);
  const unread = chats
    .flatMap((chat) => world.messagesOf(chat.id))
    .filter((m) => ofAgent(m) && m.scope === "public" && isReadable(m) && m.time <= until);
  for (const message of unread)
    emitMessage(gateway, "message_updated", changed(gateway, message, { status: "seen" }), message);
  return unread.map(({ id }) => id);
}

/** The chat's customer, as a reaction's author. */
export const customerOf = (gateway: Gateway, message: Message): Speaker => ({
  type: "customer",
  id: chatOf(gateway, message).customerId,
});
