/** Types shared by widget and server; the server validates with `wire.ts`. */
export interface ShownFile {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  image: boolean;
  width?: number;
  height?: number;
}
export interface Suggestion {
  type: "text" | "phone" | "email" | "url";
  title: string;
  payload?: string;
}
export interface Money {
  value: number;
  currency: string;
}
export interface Product {
  name: string;
  article?: string;
  url?: string;
  image?: string;
  cost?: Money;
  unit?: string;
}
export interface Order {
  number?: string;
  url?: string;
  date?: string;
  cost?: Money;
  discount?: Money;
  status?: string;
  items: { name: string; quantity?: number; unit?: string; price?: Money; url?: string }[];
  delivery?: { name?: string; address?: string; price?: Money };
}
export interface MessageEntry {
  type: "message";
  from: "visitor" | "agent";
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id?: string; text?: string };
  suggestions?: Suggestion[];
  author?: { name: string; bot: boolean; avatar?: string };
  /** Shown in place of the text, after the agent's own `words`. */
  item?: { product: Product } | { order: Order };
  words?: string;
  at: number;
}
export type Entry =
  | MessageEntry
  | { type: "edited"; id: string; text: string }
  | { type: "deleted" | "delivered" | "read"; id: string }
  /** A visitor's token has ended. */
  | { type: "ended"; id: string };

/** A page of the history, oldest first. */
export interface HistoryPage {
  history: Entry[];
  /** Position of the oldest entry on the page, if there are older ones. */
  older?: number;
}
export interface Opened extends HistoryPage {
  visitor: string;
  /** Absent in answers of older servers. */
  language?: string;
  title: string;
  greeting: string;
  accent: string;
  limits: { text: number; files: number; image: number; file: number };
  cursor: number;
}
export type Utm = Partial<Record<"source" | "medium" | "campaign" | "term" | "content", string>>;
export type Contact = Partial<Record<"name" | "email" | "phone", string>>;
/** A shop's own customer. */
export interface SignedUser {
  id: string;
  signature: string;
}
/** A message that is not sent yet. Every retry uses the same `id`. */
export interface Draft {
  id: string;
  /** Its author; absent until the chat is open. Only they send it. */
  visitor?: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: string; text?: string };
  /** What the agent asked for, if the text is the answer. */
  answers?: "phone" | "email";
  page: string;
  title?: string;
  contact?: Contact;
  utm?: Utm;
  at: number;
  /** Why the server refused it. */
  refused?: string;
}

/** Id of the message once it is stored. */
export const messageId = (visitor: string, draft: string): string => `${visitorIn(visitor)}.${draft}`;

/** The visitor's id in a token. */
export const visitorIn = (token: string): string => token.split(".")[0] ?? "";

/** Whether one token is the other, or its renewal: they end together. */
export const isKin = (token: string, other: string | null): boolean => serialIn(token) === serialIn(other ?? "");
const serialIn = (token: string) => token.split(/[.~]/).slice(0, 2).join();

/** Whether the token is of a shop's own customer: their serial numbers are longer. */
export const isSigned = (token: string): boolean => token.split(/[.~]/)[1]?.length === SIGNED_LENGTH;
const SIGNED_LENGTH = 13;

/** The server is overloaded, or this visitor is rate limited. Retry after `afterMs`. */
export class Busy extends Error {
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** The server rejected the request; a retry is useless. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The chat does not exist, or is not allowed on this site. */
export class Closed extends Error {
  readonly why: "closed" | "elsewhere";
  constructor(why: Closed["why"], message: string) {
    super(message);
    this.why = why;
  }
}
