import { randomBytes } from "node:crypto";
import { randomText } from "gangway-messenger/kit/emulator/random";
import type { Webhook } from "gangway-meta/emulator/apps";
import type { Medium } from "gangway-meta/emulator/media";
import type { StatusError } from "./codes.ts";
import type { Template } from "./template.ts";

/** A business' account. */
export interface Account {
  id: string;
  name: string;
  /** Subscribed apps by id, with an address of their own for this account. */
  subscribed: Map<string, { override?: Webhook }>;
  templates: Map<string, Template>;
}
export interface BusinessNumber {
  /** Of the phone's page. */
  n: number;
  id: string;
  account: string;
  /** Digits only. */
  digits: string;
  display: string;
  verifiedName: string;
  nameStatus: string;
  quality: "GREEN" | "YELLOW" | "RED" | "UNKNOWN";
  tier: string;
  status: "CONNECTED" | "FLAGGED" | "RESTRICTED" | "BANNED" | "PENDING";
  /** The staff also writes in the WhatsApp Business app. */
  isCoexistence: boolean;
  /** What its phone has given, once each. */
  synced?: Set<string>;
  /** Registered for the Cloud API. */
  isRegistered: boolean;
}
export interface Customer {
  n: number;
  name: string;
  username?: string;
  /** Digits only. */
  phone: string;
  /** Businesses see no phone number, only the business-scoped id. */
  isHidden: boolean;
  userId: string;
  parentUserId?: string;
  isOnline: boolean;
  /** Opens every message at once. */
  readsAtOnce: boolean;
  /** Ids of numbers. */
  blocked: Set<string>;
  /** Ids of numbers whose marketing they stopped. */
  optedOut: Set<string>;
}
export type Status = "accepted" | "sent" | "delivered" | "read" | "played" | "failed";

/** Content as on the wire: `{type, [type]: …}`. */
export interface Content {
  type: string;
  [name: string]: unknown;
}
export interface Message {
  /** Of the phone's page. */
  n: number;
  id: string;
  /** Unix time, ms. */
  at: number;
  from: "customer" | "business" | "staff";
  content: Content;
  medium?: Medium;
  /** The quoted message's id. */
  quote?: string;
  /** By whom. */
  reactions: Partial<Record<"customer" | "business", string>>;
  status: Status;
  error?: StatusError;
  callback?: string;
  /** Of the template, or `service`. */
  category: string;
  /** Sent by BSUID. */
  byUserId: boolean;
  isEdited: boolean;
  isRevoked: boolean;
}
export interface Chat {
  number: BusinessNumber;
  customer: Customer;
  messages: Message[];
  /** Unix time, ms; 0: never. */
  wroteAt: number;
  /** The customer came by an ad. */
  adAt: number;
  typingUntil: number;
}
export interface World {
  accounts: Map<string, Account>;
  numbers: Map<string, BusinessNumber>;
  customers: Customer[];
  /** Groups that customers write in, by id; a group counts as one customer. */
  groups: Map<string, Customer>;
  chats: Map<string, Chat>;
  messages: Map<string, { chat: Chat; message: Message }>;
  lastMessage: number;
  /** Called when a chat's view changed. */
  watchers: Set<(chat: Chat) => void>;
}

export const createWorld = (): World => ({
  accounts: new Map(),
  numbers: new Map(),
  customers: [],
  groups: new Map(),
  chats: new Map(),
  messages: new Map(),
  lastMessage: 0,
  watchers: new Set(),
});

export function chatOf(world: World, number: BusinessNumber, customer: Customer): Chat {
  const key = `${number.id}:${customer.n}`;
  const found = world.chats.get(key);
  if (found) return found;
  const chat: Chat = { number, customer, messages: [], wroteAt: 0, adAt: 0, typingUntil: 0 };
  world.chats.set(key, chat);
  return chat;
}

export type NewMessage = Pick<Message, "from" | "content" | "at"> & Partial<Message>;

export function addMessage(world: World, chat: Chat, given: NewMessage): Message {
  world.lastMessage += 1;
  const message: Message = {
    n: world.lastMessage,
    id: newWamid(chat.customer),
    reactions: {},
    status: "accepted",
    category: "service",
    byUserId: false,
    isEdited: false,
    isRevoked: false,
    ...given,
  };
  chat.messages.push(message);
  world.messages.set(message.id, { chat, message });
  return message;
}

export const changed = (world: World, chat: Chat): void => {
  for (const watcher of world.watchers) watcher(chat);
};

/** As WhatsApp's: base64 of the peer's number and a hex id. */
export function newWamid({ phone, userId, isHidden }: Customer): string {
  const peer = isHidden ? userId : phone;
  const hex = randomBytes(16).toString("hex").toUpperCase();
  const bytes = Buffer.from(
    `\x1c\x18${String.fromCharCode(peer.length)}${peer}\x15\x02\x00\x12\x18\x20${hex}\x00`,
    "latin1",
  );
  return `wamid.${bytes.toString("base64")}`;
}

export const newUserId = (random: () => number, country = "US"): string =>
  `${country}.${String(Math.floor(1e15 + random() * 8e15))}${randomText(4, random)}`;

/** A customer by what a business writes to: digits, or a BSUID. */
export function customerAt(world: World, to: string | undefined, recipient: string | undefined): Customer | undefined {
  const group = world.groups.get(to ?? "");
  if (group) return group;
  if (to === undefined)
    return world.customers.find(({ userId, parentUserId }) => [userId, parentUserId].includes(recipient));
  const digits = to.replaceAll(/\D/g, "");
  return world.customers.find(({ phone }) => phone === digits);
}

const HOUR_MS = 3_600_000;
export const WINDOW_MS = 24 * HOUR_MS;
export const AD_WINDOW_MS = 72 * HOUR_MS;

/** Until when anything but a template may be sent, Unix time, ms. */
export const windowEnd = ({ wroteAt, adAt }: Chat): number =>
  Math.max(wroteAt && wroteAt + WINDOW_MS, adAt && adAt + AD_WINDOW_MS);
