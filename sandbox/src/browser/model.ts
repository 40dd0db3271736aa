// The inbox's model: times are ms, absent values undefined.

export type PersonType = "bot" | "channel" | "customer" | "user";
export interface Person {
  id: number;
  type: PersonType;
  name: string;
  username?: string;
  phone?: string;
  email?: string;
  blocked: boolean;
}

export type ChannelFeature = "both" | "none" | "receive" | "send";
export type Kind = "text" | "image" | "file" | "audio" | "product" | "order";
export type Feature = "creating" | "editing" | "deleting" | "quoting" | "reaction";
export type SuggestionType = "text" | "phone" | "email" | "url";
export type KindSettings = Partial<Record<Feature, ChannelFeature>> & {
  max_chars_count?: number;
  max_items_count?: number;
  max_item_size?: number;
  note_max_chars_count?: number;
  markup_formats?: string[];
};
export type Settings = Partial<Record<Kind, KindSettings>> & {
  reactions?: { dictionary?: string[]; max_count?: number };
  suggestions?: Partial<Record<SuggestionType, ChannelFeature>>;
  sending_policy?: { after_reply_timeout?: "no" | "template"; new_customer?: string; outgoing?: string };
};
export interface Channel {
  id: number;
  type: string;
  name: string;
  active: boolean;
  settings: Settings;
}

export interface Dialog {
  id: number;
  createdAt: number;
  closedAt?: number;
  responsible?: Person;
}
export interface Member {
  id: number;
  type?: PersonType;
  name?: string;
}
export type WaitingLevel = "danger" | "none" | "warning";
export interface Chat {
  id: number;
  name: string;
  channelId: number;
  customer?: Person;
  lastActivity: number;
  lastMessage?: Message;
  dialog?: Dialog;
  /** Absent until the socket or the member list provides them. */
  members?: Member[];
  unread: number;
  waiting: WaitingLevel;
  replyDeadline?: number;
}

export interface Item {
  id: string;
  kind: "audio" | "file" | "image" | "none" | "video";
  size?: number;
  caption?: string;
  previewUrl?: string;
  transcription?: string;
}
export interface Cost {
  value?: number;
  currency?: string;
}
export interface Product {
  id: number;
  name: string;
  article?: string;
  unit?: string;
  url?: string;
  img?: string;
  cost?: Cost;
}
export interface Order {
  external_id?: number;
  number?: string;
  url?: string;
  date?: string;
  cost?: Cost;
  discount?: Cost;
  status?: { code?: string; name?: string };
  items?: { name?: string; url?: string; price?: Cost; quantity?: { value?: number; unit?: string } }[];
  delivery?: { name?: string; price?: Cost; address?: string; comment?: string };
  payments?: { name?: string; amount?: Cost; status?: { name?: string; payed?: boolean } }[];
}
export interface Suggestion {
  type?: SuggestionType;
  title?: string;
  payload?: string;
}
export interface Reaction {
  content: string;
  userId?: number;
}
export interface Quote {
  id?: number;
  type?: string;
  text: string;
  from?: Person;
  items: Item[];
}
export type Status = "failed" | "received" | "seen" | "sending" | "sent" | "undefined";
export type Action = "delete" | "edit" | "quote";
export interface Message {
  id: number;
  chatId: number;
  type: string;
  scope: "private" | "public" | "undefined";
  status: Status;
  from?: Person;
  /** When it was written. */
  time: number;
  /** Sort key within the conversation. */
  at: number;
  text: string;
  note: string;
  items: Item[];
  product?: Product;
  order?: Order;
  quote?: Quote;
  suggestions: Suggestion[];
  error?: { code: string; message?: string };
  /** System messages: what happened and to whom. */
  action?: string;
  responsible?: Person;
  actions: Action[];
  edited: boolean;
  deleted: boolean;
  template?: string;
  /** Absent in answers without reactions. */
  reactions?: Reaction[];
}

/** Is it announced for agents? `receive`: from the gateway to the messenger. */
export const allows = (feature: ChannelFeature | undefined): boolean => feature === "both" || feature === "receive";

export function may(channel: Channel | undefined, type: string, feature: Feature): boolean {
  const kind = (type === "command" ? "text" : type) as Kind;
  return allows(channel?.settings[kind]?.[feature]);
}

export const openDialog = (chat: Chat): Dialog | undefined =>
  chat.dialog && chat.dialog.closedAt === undefined ? chat.dialog : undefined;

/** A message's text, or the note under its files. */
export const wordsOf = (message: Message): string => message.text || message.note;
