import type { Medium } from "../media.ts";

/** A page, or a professional account of Instagram. */
export interface Account {
  /** Of the phone's page. */
  n: number;
  id: string;
  name: string;
  username?: string;
  /** Fields by subscribed app. */
  subscribed: Map<string, Set<string>>;
  /** A block of Meta's, by the code that refuses its messages. */
  restriction?: "368" | "1893063";
}
export interface Person {
  n: number;
  firstName: string;
  lastName: string;
  username: string;
  /** Messages reach the phone. */
  isOnline: boolean;
  /** Opens every message at once. */
  readsAtOnce: boolean;
  /** The profile no longer exists. */
  isGone: boolean;
}
/** As on the wire: `{type, payload}`. */
export interface Attachment {
  type: string;
  payload?: Record<string, unknown>;
  [name: string]: unknown;
}
export interface Reaction {
  reaction: string;
  emoji?: string;
}
export type ReplyTo = { mid: string; is_self_reply?: boolean } | { story: { id: string; url: string } };
export interface Choice {
  title: string;
  payload: string;
  /** Address of the picture beside the title. */
  image?: string;
}
export interface Message {
  n: number;
  mid: string;
  /** Unix time, ms. */
  at: number;
  from: "customer" | "account";
  /** The app that sent it; absent: staff, or the customer. */
  app?: string;
  text?: string;
  attachments: Attachment[];
  /** Quick replies, and buttons of a template, below it. */
  choices: Choice[];
  buttons: Choice[];
  /** The payload of the quick reply that this is. */
  quickReply?: string;
  replyTo?: ReplyTo;
  metadata?: string;
  /** How the phone announces it. */
  notification?: "REGULAR" | "SILENT_PUSH" | "NO_PUSH";
  /** More fields of its webhook, e.g. `referral`. */
  more?: object;
  reactions: Partial<Record<"customer" | "account", Reaction>>;
  edits: number;
  isDeleted: boolean;
  isDelivered: boolean;
  isRead: boolean;
}
export interface Chat {
  account: Account;
  person: Person;
  /** What this account knows the person by. */
  scopedId: string;
  /** Of the conversation. */
  thread: string;
  messages: Message[];
  /** When the customer last opened the window, Unix time, ms; 0: never. */
  wroteAt: number;
  /** The app that controls the thread; absent: any may write. */
  owner?: string;
  isBlocked: boolean;
  /** The person turned this account's messages off. */
  isMuted: boolean;
  typingUntil: number;
  /** The account has seen what came until then. */
  seenAt: number;
}
/** A comment on a post. */
export interface Comment {
  id: string;
  account: Account;
  person: Person;
  text: string;
  at: number;
  hasReply: boolean;
}
/** An upload that messages can name. */
export interface Upload {
  account: string;
  type: string;
  medium: Medium;
}
export interface World {
  accounts: Account[];
  people: Person[];
  chats: Chat[];
  comments: Map<string, Comment>;
  uploads: Map<string, Upload>;
  /** Profile pictures by the id they belong to. */
  pictures: Map<string, Medium>;
  lastMessage: number;
}

export const createWorld = (): World => ({
  accounts: [],
  people: [],
  chats: [],
  comments: new Map(),
  uploads: new Map(),
  pictures: new Map(),
  lastMessage: 0,
});

export const accountById = (world: World, id: string): Account | undefined =>
  world.accounts.find((account) => account.id === id);

export function findMessage(world: World, mid: string): { chat: Chat; message: Message } | undefined {
  for (const chat of world.chats) {
    const message = chat.messages.find((each) => each.mid === mid);
    if (message) return { chat, message };
  }
  return undefined;
}

/** What a person's profile holds, for quick replies that ask for it. */
export const phoneOf = ({ n }: Person): string => `+346001112${String(n).padStart(2, "0")}`;
export const emailOf = ({ n, username }: Person): string => `${username || `person${n}`}@people.example`;

export const nameOf = ({ firstName, lastName }: Person): string => [firstName, lastName].filter(Boolean).join(" ");

const HOUR_MS = 3_600_000;
export const WINDOW_MS = 24 * HOUR_MS;
export const HUMAN_AGENT_MS = 7 * 24 * HOUR_MS;
