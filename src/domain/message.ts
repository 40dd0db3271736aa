import type { ChatId, CustomerId, GatewayFileId, GatewayMessageId, MessengerMessageId } from "./ids.ts";

/** Where a file's bytes are: opened by the session of the channel, or by the gateway. */
export type FileRef = { at: "messenger"; ref: string } | { at: "gateway"; id: GatewayFileId };

export interface FilePart {
  file: FileRef;
  name?: string;
  mediaType?: string;
  /** Bytes. */
  size?: number;
  width?: number;
  height?: number;
  caption?: string;
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
  cost?: Money;
  status?: string;
  items: { name: string; quantity?: number; price?: Money }[];
}

export type Content =
  | { type: "text"; text: string }
  | { type: "image" | "file" | "audio"; files: FilePart[]; note?: string }
  | { type: "product"; product: Product; text?: string }
  | { type: "order"; order: Order; text?: string };

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
      /** The page the customer was on. */
      page?: string;
    })
  | (EventBase & { type: "edited"; text: string })
  | (EventBase & { type: "deleted" })
  | (EventBase & { type: "read" })
  | (EventBase & { type: "reaction"; reaction: string | null });

/** Who speaks for the shop. */
export interface Author {
  name: string;
  avatar?: string;
  bot: boolean;
}

/** Something an agent did that the messenger must carry out. */
export type OutboundAct =
  | {
      type: "message";
      gatewayMessageId: GatewayMessageId;
      chat: ChatId;
      content: Content;
      quote?: { messengerMessageId?: MessengerMessageId; text?: string };
      suggestions: Suggestion[];
      author?: Author;
    }
  | { type: "edited"; chat: ChatId; messengerMessageId: MessengerMessageId; content: Content }
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
