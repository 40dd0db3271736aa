import { Refusal } from "../refusal.ts";
import type { Chat, Item, Message, SandboxChannel, SentTemplate, Speaker, Suggestion } from "../world.ts";
import { emitChat, emitMessage, join, storeMessage } from "./chats.ts";
import { dialogFor } from "./dialogs.ts";
import { allows, channelOf, type Gateway, isOpen, mustBeOpen } from "./gateway.ts";
import { checkContent, checkNewMessage, checkSendingPolicy } from "./policy.ts";
import { actionsOn } from "./wire.ts";
import { isUnread } from "./wire-chats.ts";

// Actions of agents and bots. What reaches the customer becomes a webhook.

export interface Outgoing {
  type?: string;
  scope: "public" | "private" | "undefined";
  content?: string;
  note?: string;
  items?: Item[];
  product?: unknown;
  order?: unknown;
  quote_message_id?: number;
  transport_attachments?: { suggestions?: Suggestion[] } | null;
  mass_communication?: boolean;
  template?: SentTemplate;
}

/** The chat's fields, common to all webhooks about a message. */
const chatFields = (gateway: Gateway, chat: Chat) => ({
  channel_id: chat.channelId,
  external_chat_id: chat.externalId,
  external_user_id: gateway.world.customers.get(chat.customerId)?.externalId ?? "",
});
export const targetOf = (gateway: Gateway, chat: Chat, message: Message) => ({
  ...chatFields(gateway, chat),
  external_message_id: message.externalId ?? "",
});

export function send(gateway: Gateway, chat: Chat, by: Speaker, outgoing: Outgoing): Message {
  const { world, clock } = gateway;
  const channel = channelOf(world, chat);
  const content = {
    type: outgoing.type ?? "text",
    text: outgoing.content ?? "",
    note: outgoing.note ?? "",
    items: outgoing.items ?? [],
    suggestions: outgoing.transport_attachments?.suggestions ?? [],
  };
  if (content.type === "system")
    throw new Refusal(400, "Messages of type system are the gateway's", "type is not system");
  if (content.type === "product" && !outgoing.product)
    throw new Refusal(400, "Product is missing", "product has its card");
  if (content.type === "order" && !outgoing.order) throw new Refusal(400, "Order is missing", "order has its card");
  const internal = outgoing.scope !== "public" || content.type === "command";
  if (internal) checkInternal(gateway, content);
  else checkOutgoing(gateway, channel, chat, content, outgoing);
  const quote = outgoing.quote_message_id
    ? quoted(gateway, chat, channel, outgoing.quote_message_id, internal)
    : undefined;
  dialogFor(gateway, chat, by);
  join(gateway, chat, by);
  const message = storeMessage(gateway, chat, {
    from: by,
    ...content,
    product: outgoing.product,
    order: outgoing.order,
    template: outgoing.template,
    quoteId: quote?.id,
    scope: outgoing.scope,
    status: internal ? "sent" : "sending",
    mass: outgoing.mass_communication === true,
    ...(internal && { sentAt: clock.now() }),
  });
  if (!internal) gateway.courier.send(channel, "message_sent", sentData(gateway, chat, message), message);
  return message;
}

function checkInternal(
  { world }: Gateway,
  { items, text, note, type }: { items: Item[]; text: string; note: string; type: string },
) {
  for (const { id } of items)
    if (!world.files.has(id)) throw new Refusal(400, `File ${id} not found`, "the file is uploaded");
  if (items.length === 0 && !text.trim() && !note.trim() && type !== "product" && type !== "order")
    throw new Refusal(400, "Message text is empty", "a text is not empty");
}

function checkOutgoing(
  gateway: Gateway,
  channel: SandboxChannel,
  chat: Chat,
  content: Parameters<typeof checkNewMessage>[2],
  { template }: Outgoing,
): void {
  const { world, clock } = gateway;
  mustBeOpen(world, channel);
  if (world.customers.get(chat.customerId)?.blocked)
    throw new Refusal(400, "Customer is blocked", "nobody writes to a blocked customer");
  checkNewMessage(world, channel, content, "receive");
  checkSendingPolicy(world, channel, chat, template !== undefined, clock.now());
}

function quoted(gateway: Gateway, chat: Chat, channel: SandboxChannel, id: number, internal: boolean): Message {
  const found = gateway.world.messageById(id);
  if (found?.chatId !== chat.id)
    throw new Refusal(400, "Quoted message not found", "the quoted message is in the chat");
  if (!internal && !actionsOn(channel, found).includes("quote"))
    throw new Refusal(400, "This message cannot be quoted", `settings.${found.type}.quoting`);
  return found;
}

/** A message's content other than text, as webhooks carry it. */
const extrasOf = ({ product, order, suggestions }: Message) => ({
  ...(product !== undefined && { product }),
  ...(order !== undefined && { order }),
  ...(suggestions.length > 0 && { attachments: { suggestions } }),
});

const nonEmpty = (text: string): string | null => text || null;

function sentData(gateway: Gateway, chat: Chat, message: Message): Record<string, unknown> {
  const { world } = gateway;
  const quote = message.quoteId === undefined ? undefined : world.messageById(message.quoteId);
  const customer = world.customers.get(chat.customerId);
  return {
    ...chatFields(gateway, chat),
    id: message.id,
    type: message.type,
    content: nonEmpty(message.text || message.note),
    quote_external_id: quote?.externalId ?? null,
    quote_content: quote ? quote.text || quote.note : null,
    ...(message.items.length > 0 && { items: message.items.map((item) => sentItem(gateway, item)) }),
    ...extrasOf(message),
    ...(message.template && { template: message.template }),
    ...authorOf(gateway, message.from),
    customer: {
      first_name: customer?.firstName || customer?.nickname || "",
      last_name: customer?.lastName ?? "",
      avatar: customer?.avatar ?? "",
    },
  };
}

const sentItem = ({ world }: Gateway, { id, caption }: Item) => {
  const file = world.files.get(id);
  const size = file?.width && { width: file.width, height: file.height };
  return { id, caption: caption ?? file?.name ?? "", size: file?.bytes.byteLength ?? 0, ...size };
};

function authorOf({ world }: Gateway, { type, id }: Speaker) {
  const user = world.users.get(id);
  if (type === "user" && user)
    return { user: { id, first_name: user.firstName, last_name: user.lastName, avatar: "" } };
  const bot = world.bots.get(id);
  return bot ? { bot: { id, name: bot.name, avatar: bot.avatarUrl } } : {};
}

export type Edit = Pick<
  Outgoing,
  "content" | "note" | "items" | "product" | "order" | "quote_message_id" | "transport_attachments"
>;

function allowed(
  gateway: Gateway,
  message: Message,
  action: "edit" | "delete",
): { chat: Chat; channel: SandboxChannel } {
  const channel = channelOf(gateway.world, message);
  const chat = gateway.world.chats.get(message.chatId);
  if (!chat) throw new Refusal(404, "Chat not found", "the chat exists");
  if (message.scope === "public") mustBeOpen(gateway.world, channel);
  if (!actionsOn(channel, message).includes(action))
    throw new Refusal(
      400,
      `This message cannot be ${action === "edit" ? "edited" : "deleted"}`,
      `actions has ${action}`,
    );
  return { chat, channel };
}

export function edit(gateway: Gateway, message: Message, change: Edit): void {
  const { chat, channel } = allowed(gateway, message, "edit");
  const internal = message.scope !== "public";
  const quote = change.quote_message_id;
  const amended = {
    type: message.type,
    text: change.content ?? message.text,
    note: change.note ?? message.note,
    items: change.items ?? message.items,
    product: change.product ?? message.product,
    order: change.order ?? message.order,
    suggestions: change.transport_attachments?.suggestions ?? message.suggestions,
    quoteId: quote ? quoted(gateway, chat, channel, quote, internal).id : message.quoteId,
  };
  if (Object.values(change).every((value) => value === undefined || value === null))
    throw new Refusal(400, "Nothing is changed", "an edit changes something");
  if (internal) checkInternal(gateway, amended);
  else checkContent(gateway.world, channel, amended, "receive");
  const at = gateway.clock.now();
  Object.assign(message, { ...amended, edited: true, editedAt: at, updatedAt: at });
  emitMessage(gateway, "message_updated", chat, message);
  if (internal || message.externalId === undefined) return;
  gateway.courier.send(channel, "message_updated", {
    ...targetOf(gateway, chat, message),
    content: message.text || message.note,
    type: message.type,
    ...extrasOf(message),
  });
}

export function remove(gateway: Gateway, message: Message): void {
  const { chat, channel } = allowed(gateway, message, "delete");
  Object.assign(message, { deleted: true, updatedAt: gateway.clock.now() });
  emitMessage(gateway, "message_deleted", chat, message);
  emitChat(gateway, chat);
  if (message.scope === "public" && message.externalId !== undefined)
    gateway.courier.send(channel, "message_deleted", targetOf(gateway, chat, message));
}

/** The agent has seen the chat; returns the number of unread messages. */
export function read(gateway: Gateway, chat: Chat): number {
  const channel = channelOf(gateway.world, chat);
  const unread = gateway.world.messagesOf(chat.id).filter(isUnread);
  const reports = isOpen(gateway.world, channel) && allows(channel.settings.status?.read, "receive");
  for (const message of unread) {
    Object.assign(message, { status: "seen", updatedAt: gateway.clock.now() });
    emitMessage(gateway, "message_updated", chat, message);
  }
  const named = reports ? unread.filter(({ externalId }) => externalId !== undefined) : [];
  for (const message of gateway.unknowns().readWebhooks === "last" ? named.slice(-1) : named)
    gateway.courier.send(channel, "message_read", targetOf(gateway, chat, message));
  if (unread.length > 0) emitChat(gateway, chat);
  return unread.length;
}

/** Sends an agent's reaction to the module. */
export function sendReaction(
  gateway: Gateway,
  message: Message,
  type: "reaction_add" | "reaction_delete",
  change: { added?: string; removed?: string },
): void {
  const chat = gateway.world.chats.get(message.chatId);
  if (!chat || message.externalId === undefined) return;
  const agents = message.reactions.filter(({ by }) => by.type !== "customer");
  gateway.courier.send(channelOf(gateway.world, message), type, {
    ...targetOf(gateway, chat, message),
    ...(change.added !== undefined && { new_reaction: change.added }),
    ...(change.removed !== undefined && { old_reaction: change.removed }),
    all_reactions: agents.map(({ content }) => ({ reaction: content })),
  });
}
