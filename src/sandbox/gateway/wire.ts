import { toMicroseconds, toSeconds } from "../clock.ts";
import type { Chat, Customer, Dialog, Item, Message, SandboxChannel, Settings, Speaker, World } from "../world.ts";
import { fileUrl, kindOf } from "./files.ts";
import { announces, channelOf } from "./gateway.ts";
import { isFileKind } from "./policy.ts";

// How the gateway's APIs show its nouns. The Transport API and the socket leave out what is not there,
// the Bot API writes null.

export const isSame = (one: Speaker, other: Speaker): boolean => one.type === other.type && one.id === other.id;

export interface Shown {
  world: World;
  origin(): string;
}

const present = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as T;

/** Somebody, as `UserRef` or `Actor`. */
export function speakerRef({ world }: Shown, { type, id }: Speaker) {
  const user = type === "user" ? world.users.get(id) : undefined;
  if (user)
    return {
      id,
      type,
      external_id: user.externalId,
      name: `${user.firstName} ${user.lastName}`.trim(),
      first_name: user.firstName,
      last_name: user.lastName,
      username: user.username,
      available: user.available,
      is_technical_account: user.technical,
    };
  const customer = type === "customer" ? world.customers.get(id) : undefined;
  if (customer) return { id, type, ...customerRef(customer) };
  const name = (type === "bot" ? world.bots.get(id)?.name : world.channels.get(id)?.name) ?? "";
  return { id, type, external_id: String(id), name, avatar: world.bots.get(id)?.avatarUrl ?? "", is_system: false };
}

const customerRef = (customer: Customer) =>
  present({
    external_id: customer.externalId,
    name: customer.nickname,
    username: customer.nickname,
    first_name: customer.firstName,
    last_name: customer.lastName,
    avatar: customer.avatar,
    phone: customer.phone || undefined,
    email: customer.email || undefined,
    is_blocked: customer.blocked,
  });

/** What an agent or a bot may do with a message now. */
export function actionsOn(channel: SandboxChannel, message: Message): string[] {
  if (message.deleted || message.type === "system") return [];
  if (!channel.active && message.scope === "public") return [];
  const own = message.from.type === "user" || message.from.type === "bot";
  if (message.scope === "private") return own ? ["delete", "edit"] : [];
  if (message.externalId === undefined || message.status === "failed") return [];
  const may = (deed: "editing" | "deleting" | "quoting") => announces(channel, message.type, deed, "receive");
  return [
    ...(own && may("deleting") ? ["delete"] : []),
    ...(own && may("editing") ? ["edit"] : []),
    ...(may("quoting") ? ["quote"] : []),
  ];
}

function fileItems({ world, origin }: Shown, items: Item[]) {
  return items.flatMap(({ id, caption }) => {
    const file = world.files.get(id);
    if (!file) return [];
    const kind = kindOf(file.mediaType);
    return [
      present({
        id,
        kind,
        type: file.mediaType,
        size: file.bytes.byteLength,
        width: file.width,
        height: file.height,
        duration: file.duration,
        caption,
        preview_url: kind === "image" ? fileUrl(file, origin()) : undefined,
        transcription: file.transcription,
      }),
    ];
  });
}

function quoteRef(shown: Shown, message: Message) {
  const quote = message.quoteId === undefined ? undefined : shown.world.messageById(message.quoteId);
  return (
    quote && {
      id: quote.id,
      type: quote.type,
      content: quote.text || quote.note,
      time: toSeconds(quote.time),
      from: speakerRef(shown, quote.from),
      items: fileItems(shown, quote.items),
    }
  );
}

/** What all three shapes of a message have in common; absent is undefined. */
function messageFields(shown: Shown, message: Message) {
  const channel = channelOf(shown.world, message);
  const system = message.type === "system";
  const { from } = message;
  return {
    id: message.id,
    chat_id: message.chatId,
    time: toSeconds(message.time),
    type: message.type,
    scope: message.scope,
    status: message.status,
    is_read: message.status === "seen",
    is_edit: message.edited,
    actions: actionsOn(channel, message),
    content: message.text,
    note: message.note,
    from: speakerRef(shown, from),
    user: system && (from.type === "user" || from.type === "bot") ? speakerRef(shown, from) : undefined,
    responsible: message.responsible && speakerRef(shown, message.responsible),
    dialog: message.dialogId === undefined ? undefined : { id: message.dialogId },
    action: message.action,
    items: isFileKind(message.type) ? fileItems(shown, message.items) : undefined,
    product: message.product,
    order: message.order,
    quote: quoteRef(shown, message),
    error: message.error,
    transport_attachments: message.suggestions.length > 0 ? { suggestions: message.suggestions } : undefined,
    template_code: message.template?.code,
  };
}

export function transportMessage(shown: Shown, message: Message) {
  const { template_code: _, ...fields } = messageFields(shown, message);
  return { ...present(fields), action: message.action ?? null };
}

const NULLABLE = [
  "action",
  "dialog",
  "error",
  "order",
  "product",
  "quote",
  "responsible",
  "transport_attachments",
  "user",
] as const;

export function botMessage(shown: Shown, message: Message) {
  const fields = messageFields(shown, message);
  return { ...Object.fromEntries(NULLABLE.map((name) => [name, null])), ...present(fields) };
}

export const listedMessage = (shown: Shown, message: Message) => ({
  ...botMessage(shown, message),
  channel_id: message.channelId,
  channel_sent_at: nullable(message.sentAt),
  created_at: toMicroseconds(message.createdAt),
  updated_at: nullable(message.updatedAt),
});

export function socketMessage(shown: Shown, message: Message) {
  const { user: _, ...fields } = messageFields(shown, message);
  const reactions = message.reactions.map(({ by, content, at }) => ({
    content,
    created_at: toSeconds(at),
    user_id: by.id,
  }));
  return present({ ...fields, reactions: reactions.length > 0 ? reactions : undefined });
}

/** What an event tells of a message beyond the message itself. */
export const stampsOf = ({ createdAt, editedAt }: Message) =>
  present({
    created_at: toMicroseconds(createdAt),
    edited_at: editedAt === undefined ? undefined : toMicroseconds(editedAt),
  });

export const nullable = (at: number | null): string | null => (at === null ? null : toMicroseconds(at));
const optional = (at: number | null): string | undefined => (at === null ? undefined : toSeconds(at));

/** The socket always tells both of `reactions`, which a module may leave out. */
const toldSettings = ({ reactions, ...settings }: Settings): Settings => ({
  ...settings,
  ...(reactions && { reactions: { dictionary: [], max_count: 1, ...reactions } }),
});

export const botChannel = (channel: SandboxChannel, { world }: Shown) => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  avatar: channel.avatarUrl,
  is_active: channel.active,
  settings: toldSettings(channel.settings),
  // The transport is the module's registration; the sandbox numbers it by its place.
  transport_id: [...world.modules.keys()].indexOf(channel.moduleCode) + 1,
});

/** How long the customer has waited for an answer: the time of the first message after the last answer. */
export function waitingSince(world: World, chat: Chat): number | undefined {
  let since: number | undefined;
  for (const message of world.messagesOf(chat.id).toReversed()) {
    if (message.action === "dialog_closed") break;
    if (message.type === "system" || message.scope === "private" || message.deleted || message.past) continue;
    if (message.from.type !== "customer") break;
    since = message.createdAt;
  }
  return since;
}

export interface Waiting {
  warningMs: number;
  dangerMs: number;
  now: number;
}

function waitingFields(shown: Shown, chat: Chat, waiting: Waiting) {
  const since = waitingSince(shown.world, chat);
  if (since === undefined) return { waiting_level: "none" };
  const levels = [
    ["danger", since + waiting.dangerMs],
    ["warning", since + waiting.warningMs],
  ] as const;
  const reached = levels.find(([, at]) => waiting.now >= at);
  const next = levels.toReversed().find(([, at]) => waiting.now < at);
  return {
    waiting_level: reached?.[0] ?? "none",
    waiting_level_transition_time: toSeconds(next?.[1] ?? reached?.[1] ?? since),
  };
}

/** A customer's message that no agent has seen. */
export const isUnread = ({ from, type, status, deleted }: Message): boolean =>
  from.type === "customer" && type !== "system" && status !== "seen" && !deleted;

/** What was said last; the past and the system's lines only when there is nothing else. */
function lastOf(messages: Message[]): Message | undefined {
  const shown = messages.filter(({ deleted }) => !deleted);
  const said = shown.findLast(({ type, past }) => type !== "system" && !past);
  return said ?? shown.filter(({ past }) => past).sort((a, b) => b.time - a.time)[0] ?? shown.at(-1);
}

function chatFields(shown: Shown, chat: Chat, waiting: Waiting) {
  const own = shown.world.messagesOf(chat.id);
  const unread = own.filter(isUnread).length;
  const lastByAgent = own.findLast((m) => m.from.type === "user" && m.type !== "system");
  return {
    id: chat.id,
    author_id: chat.author.id,
    name: shown.world.customers.get(chat.customerId)?.nickname ?? "",
    avatar: shown.world.customers.get(chat.customerId)?.avatar ?? "",
    channel: botChannel(channelOf(shown.world, chat), shown),
    customer: speakerRef(shown, { type: "customer", id: chat.customerId }),
    last_activity: toSeconds(chat.lastActivity),
    last_user_message: lastByAgent && { id: lastByAgent.id },
    reply_deadline: optional(chat.replyDeadline),
    unread: unread > 0,
    unreadCount: unread,
    last: lastOf(own),
    dialog: chat.dialogs.at(-1),
    ...waitingFields(shown, chat, waiting),
  };
}

const lastDialog = (shown: Shown, dialog: Dialog) => ({
  id: dialog.id,
  created_at: toSeconds(dialog.createdAt),
  closed_at: optional(dialog.closedAt) ?? null,
  assigned_at: optional(dialog.assignedAt) ?? null,
  responsible: dialog.responsible && speakerRef(shown, dialog.responsible),
  utm: dialog.utm,
});

export function listedChat(shown: Shown, chat: Chat, waiting: Waiting) {
  const { unreadCount, last, dialog, ...fields } = chatFields(shown, chat, waiting);
  return {
    ...present(fields),
    not_read_messages: unreadCount,
    created_at: toMicroseconds(chat.createdAt),
    updated_at: nullable(chat.updatedAt),
    ...(last && { last_message: botMessage(shown, last) }),
    ...(dialog && { last_dialog: lastDialog(shown, dialog) }),
  };
}

export function socketChat(shown: Shown, chat: Chat, waiting: Waiting) {
  const { unreadCount, last, dialog, ...fields } = chatFields(shown, chat, waiting);
  return {
    ...present(fields),
    not_read_messages_count: unreadCount,
    created_at: toSeconds(chat.createdAt),
    members: chat.members.map(({ speaker, state }) => ({
      is_author: isSame(speaker, chat.author),
      // A member whose account was closed has no state of its own any more.
      state: shown.world.users.get(speaker.id)?.active === false ? "undefined" : state,
      user: speakerRef(shown, speaker),
    })),
    ...(last && { last_message: socketMessage(shown, last) }),
    ...(dialog && { last_dialog: present(lastDialog(shown, dialog)) }),
  };
}

export const responsibleOf = ({ world }: Shown, { responsible, assignedAt }: Dialog) =>
  responsible && {
    id: responsible.id,
    type: responsible.type,
    external_id: world.users.get(responsible.id)?.externalId ?? String(responsible.id),
    assigned_at: nullable(assignedAt),
  };

export const socketDialog = (dialog: Dialog, chat: unknown) =>
  present({
    id: dialog.id,
    created_at: toSeconds(dialog.createdAt),
    closed_at: optional(dialog.closedAt),
    assigned_at: optional(dialog.assignedAt),
    begin_message_id: dialog.beginMessageId,
    ending_message_id: dialog.endingMessageId,
    responsible:
      dialog.responsible &&
      present({ id: dialog.responsible.id, type: dialog.responsible.type, assigned_at: optional(dialog.assignedAt) }),
    utm: dialog.utm,
    chat,
  });
