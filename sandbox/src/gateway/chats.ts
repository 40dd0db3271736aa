import { introduce } from "../crm/customers/chats.ts";
import { Refusal } from "../refusal.ts";
import type { Chat, Customer, Dialog, Member, Message, SandboxChannel, Speaker, Utm } from "../world.ts";
import type { Gateway } from "./gateway.ts";
import { socketMessage, speakerRef, stampsOf } from "./wire.ts";
import { socketChat, waitingSince } from "./wire-chats.ts";

/** The Transport API's customer. */
export interface GivenCustomer {
  external_id: string;
  nickname: string;
  first_name?: string | null;
  last_name?: string;
  avatar?: string | null;
  phone?: string | null;
  email?: string | null;
  country?: string | null;
  language?: string | null;
  profile_url?: string | null;
  secondary_external_ids?: string[] | null;
  utm?: Utm | null;
}

export const waitingOf = (gateway: Gateway) => ({
  warningMs: gateway.unknowns().waitingWarningMs,
  dangerMs: gateway.unknowns().waitingDangerMs,
  now: gateway.clock.now(),
});

export const shownChat = (gateway: Gateway, chat: Chat) => socketChat(gateway, chat, waitingOf(gateway));

/** Emits a message event to the bots' sockets. */
export function emitMessage(
  gateway: Gateway,
  type: "message_new" | "message_updated" | "message_deleted" | "message_restored",
  chat: Chat,
  message: Message,
): void {
  const data = () => ({
    message: { ...socketMessage(gateway, message), ...stampsOf(message), chat: shownChat(gateway, chat) },
  });
  gateway.events.emit(type, data, message.mass);
}

export function emitChat(gateway: Gateway, chat: Chat, type: "chat_created" | "chat_updated" = "chat_updated"): void {
  chat.updatedAt = gateway.clock.now();
  gateway.events.emit(type, () => ({ chat: shownChat(gateway, chat) }));
}

interface Named {
  externalId: string;
  otherIds: string[];
}

export const hasAnyId = ({ externalId, otherIds }: Named, ids: string[]): boolean =>
  ids.some((id) => id === externalId || otherIds.includes(id));

/** Finds the customer by any id in the channel and updates it, or creates one. */
export function customerFor(gateway: Gateway, channel: SandboxChannel, given: GivenCustomer): Customer {
  const { world, clock } = gateway;
  const ids = [given.external_id, ...(given.secondary_external_ids ?? [])];
  const known = [...world.customers.values()].find(
    (customer) => customer.channelId === channel.id && hasAnyId(customer, ids),
  );
  const fresh = {
    nickname: given.nickname,
    firstName: given.first_name ?? known?.firstName ?? "",
    lastName: given.last_name ?? known?.lastName ?? "",
    avatar: given.avatar ?? known?.avatar ?? "",
    phone: given.phone ?? known?.phone ?? "",
    email: given.email ?? known?.email ?? "",
    country: given.country ?? known?.country ?? "",
    language: given.language ?? known?.language ?? "",
    profileUrl: given.profile_url ?? known?.profileUrl ?? "",
    utm: given.utm ?? known?.utm ?? null,
  };
  if (!known) {
    const id = world.nextId();
    const customer = {
      id,
      channelId: channel.id,
      externalId: given.external_id,
      otherIds: ids.slice(1),
      blocked: false,
      createdAt: clock.now(),
      updatedAt: null,
      ...fresh,
    };
    world.customers.set(id, customer);
    introduce(gateway, customer);
    return customer;
  }
  learnIds(known, ids);
  const changed = (Object.keys(fresh) as (keyof typeof fresh)[]).some(
    (name) => JSON.stringify(known[name]) !== JSON.stringify(fresh[name]),
  );
  if (changed) updateCustomer(gateway, known, fresh);
  return known;
}

export function updateCustomer(gateway: Gateway, customer: Customer, change: Partial<Customer>): void {
  Object.assign(customer, change, { updatedAt: gateway.clock.now() });
  gateway.events.emit("customer_updated", () => speakerRef(gateway, { type: "customer", id: customer.id }));
}

function learnIds(known: Named, ids: string[]): void {
  known.otherIds = [...new Set([...known.otherIds, ...ids])].filter((id) => id !== known.externalId);
}

interface ChatRef {
  externalChatId?: string;
  otherIds?: string[] | null;
  customer?: GivenCustomer | null;
  /** Who opens a new chat. Default: the customer. */
  author?: Speaker;
}

/** Finds the chat by any id in the channel, or creates one for `customer`. Throws Refusal without either. */
export function chatFor(gateway: Gateway, channel: SandboxChannel, ref: ChatRef): Chat {
  const { world } = gateway;
  const externalId = ref.externalChatId || ref.customer?.external_id;
  if (!externalId) throw new Refusal(400, "Customer is required", "a message has a customer or a known chat");
  const ids = [externalId, ...(ref.otherIds ?? [])];
  const known = [...world.chats.values()].find((chat) => chat.channelId === channel.id && hasAnyId(chat, ids));
  if (known) {
    if (ref.customer) known.customerId = customerFor(gateway, channel, ref.customer).id;
    learnIds(known, ids);
    return known;
  }
  if (!ref.customer) throw new Refusal(400, "Customer is required", "a new chat has a customer");
  const customer = customerFor(gateway, channel, ref.customer);
  const author = ref.author ?? { type: "customer", id: customer.id };
  return newChat(gateway, channel, { externalId, otherIds: ids.slice(1), customerId: customer.id, author });
}

type Opening = Pick<Chat, "externalId" | "otherIds" | "customerId" | "author">;

function newChat(gateway: Gateway, channel: SandboxChannel, opening: Opening): Chat {
  const at = gateway.clock.now();
  const chat: Chat = {
    id: gateway.world.nextId(),
    channelId: channel.id,
    ...opening,
    lastActivity: at,
    replyDeadline: null,
    members: [],
    dialogs: [],
    createdAt: at,
    updatedAt: null,
  };
  gateway.world.chats.set(chat.id, chat);
  emitChat(gateway, chat, "chat_created");
  return chat;
}

export const openDialogOf = (chat: Chat): Dialog | undefined => {
  const last = chat.dialogs.at(-1);
  return last?.closedAt === null ? last : undefined;
};

type Draft = Pick<Message, "from" | "type" | "scope" | "status"> & Partial<Message>;

/** Stores a message; unless imported, emits its events and starts the chat's waiting timers. */
export function storeMessage(gateway: Gateway, chat: Chat, draft: Draft): Message {
  const { world, clock } = gateway;
  const at = clock.now();
  const dialog = openDialogOf(chat);
  const message = world.addMessage({
    id: world.nextId(),
    chatId: chat.id,
    channelId: chat.channelId,
    dialogId: dialog?.id,
    text: "",
    note: "",
    items: [],
    suggestions: [],
    edited: false,
    deleted: false,
    mass: false,
    reactions: [],
    time: at,
    createdAt: at,
    updatedAt: null,
    sentAt: null,
    ...draft,
  });
  if (dialog) dialog.beginMessageId ??= message.id;
  if (message.past) return message;
  chat.lastActivity = at;
  emitMessage(gateway, "message_new", chat, message);
  emitChat(gateway, chat);
  if (message.from.type === "customer") watchWaiting(gateway, chat, message);
  return message;
}

function watchWaiting(gateway: Gateway, chat: Chat, message: Message): void {
  const { waitingWarningMs, waitingDangerMs } = gateway.unknowns();
  const since = waitingSince(gateway.world, chat);
  // Later messages wait since the first unanswered one.
  if (since !== message.createdAt) return;
  const look = () => {
    if (gateway.world.chats.has(chat.id) && waitingSince(gateway.world, chat) === since) emitChat(gateway, chat);
  };
  for (const ms of [waitingWarningMs, waitingDangerMs]) gateway.clock.after(ms, look);
}

/** Stores a system message: what happened, by whom and to whom. */
export function systemMessage(
  gateway: Gateway,
  chat: Chat,
  action: string,
  from: Speaker,
  responsible?: Speaker,
): Message {
  return storeMessage(gateway, chat, {
    from,
    type: "system",
    scope: "undefined",
    status: "undefined",
    action,
    responsible,
  });
}

/** Makes the speaker a member, unless they are one. */
export function join(gateway: Gateway, chat: Chat, speaker: Speaker): void {
  const at = gateway.clock.now();
  const known = memberOf(chat, speaker);
  if (known?.state === "active") return;
  if (known) Object.assign(known, { state: "active", updatedAt: at });
  else
    chat.members.push({
      id: gateway.world.nextId(),
      speaker,
      state: "active",
      createdAt: at,
      updatedAt: null,
    });
  systemMessage(gateway, chat, "user_joined", speaker);
  gateway.events.emit("user_joined_chat", () => ({
    chat: shownChat(gateway, chat),
    user: speakerRef(gateway, speaker),
  }));
}

export const memberOf = (chat: Chat, { type, id }: Speaker): Member | undefined =>
  chat.members.find((member) => member.speaker.type === type && member.speaker.id === id);

export function leave(gateway: Gateway, chat: Chat, speaker: Speaker, state: "leaved" | "kicked"): void {
  const member = memberOf(chat, speaker);
  if (member?.state !== "active") throw new Refusal(400, "User is not a member of the chat", "a member leaves");
  Object.assign(member, { state, updatedAt: gateway.clock.now() });
  systemMessage(gateway, chat, "user_left", speaker);
  gateway.events.emit("user_left_chat", () => ({ chat: { id: chat.id }, user: { id: speaker.id }, reason: state }));
}

export function deleteChats(gateway: Gateway, ids: number[]): void {
  const known = ids.filter((id) => gateway.world.chats.delete(id));
  for (const id of known) gateway.world.forgetChat(id);
  gateway.events.emit("chats_deleted", () => ({ chat_ids: known }));
}
