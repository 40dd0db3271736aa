import type { ChatId, CustomerId, GatewayFileId, GatewayMessageId, MessengerMessageId } from "./ids.ts";

/** Where a file's bytes are: opened by the session of the channel, by the gateway, or fetched by the messenger itself. */
export type FileRef =
  | { at: "messenger"; ref: string }
  | { at: "gateway"; id: GatewayFileId }
  | { at: "web"; url: string };

export interface FilePart {
  file: FileRef;
  name?: string;
  mediaType?: string;
  /** Bytes. */
  size?: number;
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  caption?: string;
}

/** Formatting of a stretch of text; `offset` and `length` count UTF-16 units. */
export interface Mark {
  type: "bold" | "italic" | "underline" | "strikethrough" | "code" | "pre" | "link";
  offset: number;
  length: number;
  /** Of a link. */
  url?: string;
  /** Of a block of code, where it is told. */
  language?: string;
}

export interface Money {
  value: number;
  /** ISO 4217. */
  currency: string;
}
export interface Product {
  id: number;
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
  /** As the gateway wrote it: a date and time in ISO 8601. */
  date?: string;
  cost?: Money;
  discount?: Money;
  status?: string;
  items: { name: string; quantity?: number; unit?: string; price?: Money; url?: string }[];
  delivery?: { name?: string; address?: string; comment?: string; price?: Money };
  payments?: { name?: string; status?: string; amount?: Money }[];
}

/** `marks` are those of the text or note. */
export type Content =
  | { type: "text"; text: string; marks?: Mark[] }
  | { type: "image" | "file" | "audio"; files: FilePart[]; note?: string; marks?: Mark[] }
  | { type: "product"; product: Product; text?: string; marks?: Mark[] }
  | { type: "order"; order: Order; text?: string; marks?: Mark[] };

export interface Suggestion {
  type: "text" | "phone" | "email" | "url";
  title: string;
  payload?: string;
}

export interface Customer {
  id: CustomerId;
  nickname: string;
  firstName?: string;
  lastName?: string;
  language?: string;
  phone?: string;
  email?: string;
  profileUrl?: string;
  /** The messenger has, or may have, a picture of them: the session's `avatars` finds it. */
  hasAvatar?: boolean;
  /** Where the customer came from. */
  utm?: Partial<Record<"source" | "medium" | "campaign" | "term" | "content", string>>;
}

/** What keeps a message that is there from being changed, where the messenger's words for it are known. */
export interface Hindrance {
  code: "too-old" | "fixed" | "gone" | "blocked" | "forbidden" | "late";
  /** Of `too-old`: how many hours the messenger allows. */
  about?: string;
}

/** An agent's change of a message that did not reach the customer as it was made. */
export interface Unchanged {
  act: "edited" | "deleted";
  /** What the customer sees: all as it was, something of both, no message at all, or nobody knows. */
  seen: "before" | "partly" | "nothing" | "unknown";
  /** How the message begins that they saw before. */
  words?: string;
  hindrance?: Hindrance;
  /** The messenger's own words. */
  said?: string;
}

/** What an edit has made of a message; the id is that of the message that tells it. */
export interface Anew {
  messengerMessageId: MessengerMessageId;
  originator: "customer" | "channel";
  customer: Customer;
  content: Content;
}

/** Something that happened at the messenger. `key` is equal exactly when the messenger repeats the same event. */
interface EventBase {
  key: string;
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
  /** When it happened there; ms since 1970. */
  at: number;
}
export type ChannelEvent =
  | (EventBase & {
      type: "message";
      /** `channel`: written by staff in the messenger itself. */
      originator: "customer" | "channel";
      customer: Customer;
      content: Content;
      quote?: MessengerMessageId;
      /** What it answers, in words before its own: `always`, or only where the gateway does not take the quote. */
      quoted?: { head: string; always: boolean };
      /** The page the customer was on. */
      page?: string;
      /** Parts of one album share it; they are gathered into one message when they come close together. */
      album?: string;
      /** Of a gathered album: its parts as they came, in order; the event's own id and content are those of all. */
      pieces?: { messengerMessageId: MessengerMessageId; content: Content }[];
    })
  /** `anew` is told in a message of its own where the gateway refuses the edit. */
  | (EventBase & { type: "edited"; text: string; marks?: Mark[]; anew?: Anew })
  | (EventBase & { type: "deleted" })
  | (EventBase & { type: "read" })
  | (EventBase & { type: "reaction"; reaction: string | null })
  /** A line for the agent about the chat, said by nobody in it: written in the channel's name, under an id of ours. */
  | (EventBase & { type: "note"; text: string })
  /** The same, of an agent's change that did not reach the customer; put into words when it is told. */
  | (EventBase & { type: "unchanged"; of: MessengerMessageId; change: Unchanged });

/** Who speaks for the shop. */
export interface Author {
  name: string;
  avatar?: string;
  bot: boolean;
}

/** What a message answers, as far as it is known. */
export interface Quote {
  messengerMessageId?: MessengerMessageId;
  text?: string;
}

/** Something an agent did that the messenger must carry out. */
export type OutboundAct =
  | {
      type: "message";
      gatewayMessageId: GatewayMessageId;
      chat: ChatId;
      content: Content;
      quote?: Quote;
      suggestions: Suggestion[];
      author?: Author;
    }
  | {
      type: "edited";
      chat: ChatId;
      messengerMessageId: MessengerMessageId;
      content: Content;
      suggestions: Suggestion[];
    }
  | { type: "deleted"; chat: ChatId; messengerMessageId: MessengerMessageId }
  | { type: "read"; chat: ChatId; messengerMessageId: MessengerMessageId }
  | { type: "reaction"; chat: ChatId; messengerMessageId: MessengerMessageId; reaction: string | null };

export type OutboundMessage = Extract<OutboundAct, { type: "message" }>;

/** A file on its way: bytes stream, nothing is held whole. */
export interface OpenFile {
  body: ReadableStream<Uint8Array>;
  name?: string;
  mediaType: string;
  /** Bytes, when the source tells. */
  size?: number;
}

/** A file at the gateway, known before its bytes come. `open` throws DeliveryError. */
export interface GatewayFile extends Omit<OpenFile, "body"> {
  url: string;
  open(signal: AbortSignal): Promise<OpenFile>;
}
