import type {
  Action,
  Channel,
  Chat,
  Dialog,
  Item,
  Member,
  Message,
  Order,
  Person,
  PersonType,
  Product,
  Quote,
  Settings,
  Status,
  Suggestion,
  WaitingLevel,
} from "./model.ts";

// Converts the Bot API's answers (bot-api.openapi.json) and socket events (bot-ws.schema.json) to the model. The two
// differ: lists write null where events omit.

type Maybe<T> = T | null | undefined;

export interface WireActor {
  id: number;
  type: PersonType;
  name?: string;
  first_name?: Maybe<string>;
  last_name?: Maybe<string>;
  username?: Maybe<string>;
  phone?: Maybe<string>;
  email?: Maybe<string>;
  is_blocked?: boolean;
}
export interface WireChannel {
  id: number;
  type: string;
  name?: Maybe<string>;
  is_active: boolean;
  settings?: Settings;
}
interface WireDialog {
  id: number;
  created_at: string;
  closed_at?: Maybe<string>;
  responsible?: Maybe<WireActor>;
}
interface WireMember {
  state: string;
  user?: WireActor;
}
export interface WireChat {
  id: number;
  name?: string;
  channel?: WireChannel;
  customer?: Maybe<WireActor>;
  last_activity: string;
  last_message?: Maybe<WireMessage>;
  last_dialog?: Maybe<WireDialog>;
  members?: WireMember[];
  unread?: boolean;
  not_read_messages?: number;
  not_read_messages_count?: number;
  waiting_level?: WaitingLevel;
  reply_deadline?: Maybe<string>;
}
interface WireItem {
  id: string;
  kind?: Item["kind"];
  size?: number;
  caption?: string;
  preview_url?: string;
  transcription?: string;
}
interface WireQuote {
  id?: number;
  type?: string;
  content?: string;
  from?: WireActor;
  items?: WireItem[];
}
export interface WireReaction {
  content: string;
  user_id?: number;
}
export interface WireMessage {
  id: number;
  chat_id: number;
  type: string;
  scope: Message["scope"];
  status: Status;
  time: string;
  created_at?: string;
  from?: WireActor;
  content?: Maybe<string>;
  note?: string;
  items?: WireItem[];
  product?: Maybe<Product>;
  order?: Maybe<Order>;
  quote?: Maybe<WireQuote>;
  transport_attachments?: Maybe<{ suggestions?: Suggestion[] }>;
  error?: Maybe<{ code?: string; message?: string }>;
  action?: Maybe<string>;
  responsible?: Maybe<WireActor>;
  actions?: Action[];
  is_edit: boolean;
  template_code?: string;
  reactions?: WireReaction[];
  chat?: WireChat;
}
export interface WireDialogEvent {
  chat?: WireChat;
}

const time = (text: Maybe<string>): number | undefined => (text ? Date.parse(text) : undefined);

export function personFrom(actor: WireActor): Person {
  const full = [actor.first_name, actor.last_name].filter(Boolean).join(" ");
  return {
    id: actor.id,
    type: actor.type,
    name: (actor.type === "customer" ? full || actor.name : actor.name || full) || actor.username || `#${actor.id}`,
    username: actor.username || undefined,
    phone: actor.phone || undefined,
    email: actor.email || undefined,
    blocked: actor.is_blocked === true,
  };
}

export const channelFrom = (channel: WireChannel): Channel => ({
  id: channel.id,
  type: channel.type,
  name: channel.name || "",
  active: channel.is_active,
  settings: channel.settings ?? {},
});

const dialogFrom = (dialog: WireDialog): Dialog => ({
  id: dialog.id,
  createdAt: Date.parse(dialog.created_at),
  closedAt: time(dialog.closed_at),
  responsible: dialog.responsible ? personFrom(dialog.responsible) : undefined,
});

const membersFrom = (members: WireMember[]): Member[] =>
  members.flatMap(({ state, user }) =>
    state === "active" && user ? [{ id: user.id, type: user.type, name: personFrom(user).name }] : [],
  );

export function chatFrom(chat: WireChat): Chat {
  const customer = chat.customer ? personFrom(chat.customer) : undefined;
  return {
    id: chat.id,
    name: customer?.name || chat.name || `Chat ${chat.id}`,
    channelId: chat.channel?.id ?? 0,
    customer,
    lastActivity: Date.parse(chat.last_activity),
    lastMessage: chat.last_message ? messageFrom(chat.last_message) : undefined,
    dialog: chat.last_dialog ? dialogFrom(chat.last_dialog) : undefined,
    members: chat.members && membersFrom(chat.members),
    unread: chat.not_read_messages ?? chat.not_read_messages_count ?? (chat.unread ? 1 : 0),
    waiting: chat.waiting_level ?? "none",
    replyDeadline: time(chat.reply_deadline),
  };
}

const itemFrom = (item: WireItem): Item => ({
  id: item.id,
  kind: item.kind ?? "file",
  size: item.size,
  caption: item.caption || undefined,
  previewUrl: item.preview_url || undefined,
  transcription: item.transcription || undefined,
});

const quoteFrom = (quote: WireQuote): Quote => ({
  id: quote.id,
  type: quote.type,
  text: quote.content ?? "",
  from: quote.from && personFrom(quote.from),
  items: (quote.items ?? []).map(itemFrom),
});

/** Older by this much on arrival means imported history, ms. */
const LATE_MS = 60_000;

/** Sort by arrival in whole seconds, since the messenger's clock may differ; late messages sort by their own time. */
function sortKey(written: number, arrived: number | undefined): number {
  const at = arrived === undefined || arrived - written > LATE_MS ? written : arrived;
  return Math.floor(at / 1000);
}

/** `arrived`: when the socket's event came, ms. */
export function messageFrom(message: WireMessage, arrived?: number): Message {
  const written = Date.parse(message.time);
  return {
    id: message.id,
    chatId: message.chat_id,
    type: message.type,
    scope: message.scope,
    status: message.status,
    from: message.from && personFrom(message.from),
    time: written,
    at: sortKey(written, time(message.created_at) ?? arrived),
    text: message.content ?? "",
    note: message.note ?? "",
    items: (message.items ?? []).map(itemFrom),
    product: message.product ?? undefined,
    order: message.order ?? undefined,
    quote: message.quote ? quoteFrom(message.quote) : undefined,
    suggestions: message.transport_attachments?.suggestions ?? [],
    error: message.error ? { code: message.error.code ?? "unknown", message: message.error.message } : undefined,
    action: message.action ?? undefined,
    responsible: message.responsible ? personFrom(message.responsible) : undefined,
    actions: message.actions ?? [],
    edited: message.is_edit,
    deleted: false,
    template: message.template_code,
    reactions: message.reactions && reactionsFrom(message.reactions),
  };
}

export const reactionsFrom = (reactions: WireReaction[]) =>
  reactions.map(({ content, user_id: userId }) => ({ content, userId }));
