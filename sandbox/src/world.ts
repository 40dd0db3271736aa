import type { Records } from "./crm/tables.ts";

// All state of the sandbox. It lives in memory: a restart is a new account.

export interface Registration {
  code: string;
  name: string;
  clientId: string;
  baseUrl: string;
  accountUrl?: string;
  logo?: string;
  active?: boolean;
  integrationCode?: string;
  availableCountries?: string[];
  actions?: Record<string, string>;
  /** By kind; those without a type here are kept as sent. */
  integrations: {
    mgTransport?: { webhookUrl: string; refreshToken?: boolean; actions?: Record<string, string> };
    mgBot?: Record<string, never>;
    telephony?: { additionalCodes?: { userId?: number }[]; externalPhones?: { siteCode?: string }[] };
    delivery?: { actions?: Record<string, string> };
  } & Record<string, unknown>;
}
/** A registered module; `token` is the Bot API's for a bot, else the Transport API's. */
export interface Module {
  registration: Registration;
  token: string;
  active: boolean;
  freeze: boolean;
  /** The delivery type that a delivery module brings, by code. */
  deliveryType?: string;
}
export interface Key {
  scopes: string[];
  credentials: string[];
}

export type SpeakerType = "bot" | "channel" | "customer" | "user";
export interface Speaker {
  type: SpeakerType;
  id: number;
}
interface Stamps {
  createdAt: number;
  updatedAt: number | null;
}
/** An agent of the CRM. The token is the agent's session. */
export interface User extends Stamps {
  id: number;
  externalId: string;
  firstName: string;
  lastName: string;
  username: string;
  email: string;
  isAdmin: boolean;
  /** Codes of user groups. */
  groups: string[];
  token: string;
  online: boolean;
  connected: boolean;
  available: boolean;
  active: boolean;
  technical: boolean;
  revokedAt: number | null;
  /** Status set by telephony and the like (`/api/v5/users/{id}/status`). */
  status: string;
}
export interface Command extends Stamps {
  id: number;
  name: string;
  description: string;
}
export interface Bot extends Stamps {
  id: number;
  moduleCode: string;
  name: string;
  avatarUrl: string;
  roles: string[];
  active: boolean;
  deactivatedAt: number | null;
  commands: Map<string, Command>;
}
export interface Utm {
  source?: string;
  medium?: string;
  campaign?: string;
  term?: string;
  content?: string;
}
export interface Customer extends Stamps {
  id: number;
  channelId: number;
  externalId: string;
  otherIds: string[];
  nickname: string;
  firstName: string;
  lastName: string;
  avatar: string;
  phone: string;
  email: string;
  country: string;
  language: string;
  profileUrl: string;
  utm: Utm | null;
  blocked: boolean;
}
type ChannelFeature = "both" | "none" | "receive" | "send";
export type Feature = "creating" | "editing" | "quoting" | "deleting" | "reaction";
interface KindSettings extends Partial<Record<Feature, ChannelFeature>> {
  max_chars_count?: number;
  max_items_count?: number;
  max_item_size?: number;
  note_max_chars_count?: number;
  markup_formats?: string[];
}
/** A channel's announced settings: the Transport API's `ChannelSettings`. */
export interface Settings extends Record<string, unknown> {
  text?: KindSettings;
  image?: KindSettings;
  file?: KindSettings;
  audio?: KindSettings;
  product?: KindSettings;
  order?: KindSettings;
  status?: { delivered?: ChannelFeature; read?: ChannelFeature };
  suggestions?: Partial<Record<string, ChannelFeature>>;
  reactions?: { dictionary?: string[]; max_count?: number };
  template?: { creation?: boolean };
  sending_policy?: {
    new_customer?: "no" | "template" | "text";
    after_reply_timeout?: "no" | "template";
    outgoing?: "allowed" | "restricted";
  };
  customer_external_id?: "any" | "phone";
}
export interface SandboxChannel extends Stamps {
  id: number;
  moduleCode: string;
  type: string;
  name: string;
  avatarUrl: string;
  externalId: string | null;
  settings: Settings;
  active: boolean;
  activatedAt: number;
  deactivatedAt: number | null;
}
export interface Template {
  id: number;
  channelId: number;
  /** Null until the module answers `template_create`. */
  code: string | null;
  enabled: boolean;
  type: string;
  /** The other fields of the contract's `Template`. */
  body: Record<string, unknown> & { name: string };
}

export interface SandboxFile {
  id: string;
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  transcription?: string;
  transcriptionStatus?: string;
}
export interface Member extends Stamps {
  id: number;
  speaker: Speaker;
  state: "active" | "kicked" | "leaved";
}
export interface Dialog extends Stamps {
  id: number;
  chatId: number;
  closedAt: number | null;
  assignedAt: number | null;
  responsible: Speaker | null;
  tags: { name: string; color_code: string }[];
  beginMessageId: number | null;
  endingMessageId: number | null;
  utm: Utm | null;
}
export interface Chat extends Stamps {
  id: number;
  channelId: number;
  externalId: string;
  otherIds: string[];
  /** Who opened the chat. */
  author: Speaker;
  customerId: number;
  lastActivity: number;
  replyDeadline: number | null;
  members: Member[];
  dialogs: Dialog[];
}
export interface Item {
  id: string;
  caption?: string;
}
export interface Reaction {
  by: Speaker;
  content: string;
  at: number;
}
/** A template as sent. */
export interface SentTemplate {
  code: string;
  category?: string;
  variables: Record<string, unknown>;
  args: string[];
}
export interface Suggestion {
  type: string;
  title?: string;
  payload?: string;
}
export interface Message {
  id: number;
  chatId: number;
  channelId: number;
  dialogId?: number;
  from: Speaker;
  /** The messenger's id, as reported by the module. */
  externalId?: string;
  type: string;
  text: string;
  note: string;
  items: Item[];
  product?: unknown;
  order?: unknown;
  quoteId?: number;
  template?: SentTemplate;
  suggestions: Suggestion[];
  scope: "public" | "private" | "undefined";
  status: "sending" | "sent" | "received" | "seen" | "failed" | "undefined";
  error?: { code: string; message?: string };
  /** System messages: what happened and to whom. */
  action?: string;
  responsible?: Speaker;
  edited: boolean;
  editedAt?: number;
  deleted: boolean;
  mass: boolean;
  /** Imported history. */
  past?: boolean;
  pageLink?: string;
  reactions: Reaction[];
  /** When it was written, ms; `createdAt` is when the gateway received it. */
  time: number;
  createdAt: number;
  updatedAt: number | null;
  sentAt: number | null;
  /** The ack of an asynchronous acceptance arrived. */
  acked?: boolean;
}

export interface World extends Records {
  keys: Map<string, Key>;
  versions: string[];
  /** The messaging gateway, for transport modules, and chats, for bot modules. */
  gatewayOn: boolean;
  chatsOn: boolean;
  unpaid: boolean;
  /** Corporate customers; cannot be switched off again. */
  corporateOn: boolean;
  modules: Map<string, Module>;
  users: Map<number, User>;
  bots: Map<number, Bot>;
  customers: Map<number, Customer>;
  channels: Map<number, SandboxChannel>;
  templates: Template[];
  chats: Map<number, Chat>;
  /** In order of arrival, without system messages. */
  messages: Message[];
  /** The same with system messages. */
  everything: Message[];
  files: Map<string, SandboxFile>;
  notifications: { at: number; type: string; message: string; to: string }[];
  settings: { language: string; timeZone: string; publicUrl?: string };
  nextId(): number;
  lastId(): number;
  /** The next id follows this one. */
  continueAfter(id: number): void;
  messageById(id: number): Message | undefined;
  messagesOf(chatId: number): Message[];
  /** By the gateway's id, or by the module's within its channel. */
  findMessage(channelId: number, ref: MessageRef | undefined): Message | undefined;
  addMessage(message: Message): Message;
  /** Sets the messenger's id. */
  setExternalId(message: Message, externalId: string): void;
  forgetChat(chatId: number): void;
}
export interface MessageRef {
  id?: number;
  external_id?: string;
}
