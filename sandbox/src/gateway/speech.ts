import { Refusal } from "../refusal.ts";
import type { Chat, Item, Message, SandboxChannel, SentTemplate, Speaker, Suggestion } from "../world.ts";
import { join, keepMessage, tellChat, tellMessage } from "./chats.ts";
import { dialogFor } from "./dialogs.ts";
import { channelOf, type Gateway, goes, isOpen, mustBeOpen } from "./gateway.ts";
import { checkContent, checkSaid, checkSendingPolicy } from "./policy.ts";
import { actionsOn } from "./wire.ts";
import { isUnread } from "./wire-chats.ts";

// Actions of agents and bots. What reaches the customer becomes a webhook.

export interface Speech {
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
const placeOf = (gateway: Gateway, chat: Chat) => ({
  channel_id: chat.channelId,
  external_chat_id: chat.externalId,
  external_user_id: gateway.world.customers.get(chat.customerId)?.externalId ?? "",
});
export const targetOf = (gateway: Gateway, chat: Chat, message: Message) => ({
  ...placeOf(gateway, chat),
  external_message_id: message.externalId ?? "",
});

export function say(gateway: Gateway, chat: Chat, by: Speaker, speech: Speech): Message {
  const { world, clock } = gateway;
  const channel = channelOf(world, chat);
  const said = {
    type: speech.type ?? "text",
    text: speech.content ?? "",
    note: speech.note ?? "",
    items: speech.items ?? [],
    suggestions: speech.transport_attachments?.suggestions ?? [],
  };
  if (said.type === "system") throw new Refusal(400, "Messages of type system are the gateway's", "type is not system");
  if (said.type === "product" && !speech.product) throw new Refusal(400, "Product is missing", "product has its card");
  if (said.type === "order" && !speech.order) throw new Refusal(400, "Order is missing", "order has its card");
  const inside = speech.scope !== "public" || said.type === "command";
  if (inside) checkInside(gateway, said);
  else checkOutgoing(gateway, channel, chat, said, speech);
  const quote = speech.quote_message_id ? quoted(gateway, chat, channel, speech.quote_message_id, inside) : undefined;
  dialogFor(gateway, chat, by);
  join(gateway, chat, by);
  const message = keepMessage(gateway, chat, {
    from: by,
    ...said,
    product: speech.product,
    order: speech.order,
    template: speech.template,
    quoteId: quote?.id,
    scope: speech.scope,
    status: inside ? "sent" : "sending",
    mass: speech.mass_communication === true,
    ...(inside && { sentAt: clock.now() }),
  });
  if (!inside) gateway.courier.send(channel, "message_sent", sentData(gateway, chat, message), message);
  return message;
}

function checkInside(
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
  said: Parameters<typeof checkSaid>[2],
  { template }: Speech,
): void {
  const { world, clock } = gateway;
  mustBeOpen(world, channel);
  if (world.customers.get(chat.customerId)?.blocked)
    throw new Refusal(400, "Customer is blocked", "a blocked customer is not written to");
  checkSaid(world, channel, said, "receive");
  checkSendingPolicy(world, channel, chat, template !== undefined, clock.now());
}

function quoted(gateway: Gateway, chat: Chat, channel: SandboxChannel, id: number, inside: boolean): Message {
  const found = gateway.world.messageById(id);
  if (found?.chatId !== chat.id)
    throw new Refusal(400, "Quoted message not found", "the quoted message is in the chat");
  if (!inside && !actionsOn(channel, found).includes("quote"))
    throw new Refusal(400, "This message cannot be quoted", `settings.${found.type}.quoting`);
  return found;
}

/** A message's content besides its text, as webhooks carry it. */
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
    ...placeOf(gateway, chat),
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

export type Amendment = Pick<
  Speech,
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

export function amend(gateway: Gateway, message: Message, change: Amendment): void {
  const { chat, channel } = allowed(gateway, message, "edit");
  const inside = message.scope !== "public";
  const quote = change.quote_message_id;
  const amended = {
    type: message.type,
    text: change.content ?? message.text,
    note: change.note ?? message.note,
    items: change.items ?? message.items,
    product: change.product ?? message.product,
    order: change.order ?? message.order,
    suggestions: change.transport_attachments?.suggestions ?? message.suggestions,
    quoteId: quote ? quoted(gateway, chat, channel, quote, inside).id : message.quoteId,
  };
  if (Object.values(change).every((value) => value === undefined || value === null))
    throw new Refusal(400, "Nothing is changed", "an edit changes something");
  if (inside) checkInside(gateway, amended);
  else checkContent(gateway.world, channel, amended, "receive");
  const at = gateway.clock.now();
  Object.assign(message, { ...amended, edited: true, editedAt: at, updatedAt: at });
  tellMessage(gateway, "message_updated", chat, message);
  if (inside || message.externalId === undefined) return;
  gateway.courier.send(channel, "message_updated", {
    ...targetOf(gateway, chat, message),
    content: message.text || message.note,
    type: message.type,
    ...extrasOf(message),
  });
}

export function takeBack(gateway: Gateway, message: Message): void {
  const { chat, channel } = allowed(gateway, message, "delete");
  Object.assign(message, { deleted: true, updatedAt: gateway.clock.now() });
  tellMessage(gateway, "message_deleted", chat, message);
  tellChat(gateway, chat);
  if (message.scope === "public" && message.externalId !== undefined)
    gateway.courier.send(channel, "message_deleted", targetOf(gateway, chat, message));
}

/** The agent has seen the chat; returns the number of unread messages. */
export function read(gateway: Gateway, chat: Chat): number {
  const channel = channelOf(gateway.world, chat);
  const unread = gateway.world.messagesOf(chat.id).filter(isUnread);
  const told = isOpen(gateway.world, channel) && goes(channel.settings.status?.read, "receive");
  for (const message of unread) {
    Object.assign(message, { status: "seen", updatedAt: gateway.clock.now() });
    tellMessage(gateway, "message_updated", chat, message);
  }
  const named = told ? unread.filter(({ externalId }) => externalId !== undefined) : [];
  for (const message of gateway.unknowns().readWebhooks === "last" ? named.slice(-1) : named)
    gateway.courier.send(channel, "message_read", targetOf(gateway, chat, message));
  if (unread.length > 0) tellChat(gateway, chat);
  return unread.length;
}

/** Sends an agent's reaction to the module. */
export function tellReaction(
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
