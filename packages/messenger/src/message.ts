import type { ErrorCode, Hindrance } from "./errors.ts";
import type { ChatId, CustomerId, GatewayFileId, MessengerMessageId } from "./ids.ts";

/** Who opens the file: the channel's session, the gateway, or the messenger itself (a web URL). */
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
  /** Only its bytes tell whether it is a picture or something else. */
  mayBePicture?: true;
}

/** Formatting of a range of text; `offset` and `length` count UTF-16 units. */
export interface Mark {
  type: "bold" | "italic" | "underline" | "strikethrough" | "code" | "pre" | "link";
  offset: number;
  length: number;
  /** Of a link. */
  url?: string;
  /** Of a code block, if given. */
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
  /** As sent by the gateway: ISO 8601 date and time. */
  date?: string;
  cost?: Money;
  discount?: Money;
  status?: string;
  items: { name: string; quantity?: number; unit?: string; price?: Money; url?: string }[];
  delivery?: { name?: string; address?: string; comment?: string; price?: Money };
  payments?: { name?: string; status?: string; amount?: Money }[];
}

/** `marks` apply to the text or note. */
export type Content =
  | { type: "text"; text: string; marks?: Mark[] }
  | { type: "image" | "file" | "audio"; files: FilePart[]; note?: string; marks?: Mark[] }
  | { type: "product"; product: Product; text?: string; marks?: Mark[] }
  | { type: "order"; order: Order; text?: string; marks?: Mark[] };
export type FilesContent = Extract<Content, { files: FilePart[] }>;

export interface Suggestion {
  type: "text" | "phone" | "email" | "url";
  title: string;
  payload?: string;
}

export interface Customer {
  id: CustomerId;
  /** Other ids by which the messenger knew them, such as a phone number. */
  otherIds?: CustomerId[];
  nickname: string;
  firstName?: string;
  lastName?: string;
  language?: string;
  phone?: string;
  email?: string;
  profileUrl?: string;
  /** The messenger has, or may have, a picture of the customer; the session's `avatars` fetches it. */
  hasAvatar?: boolean;
  utm?: Partial<Record<"source" | "medium" | "campaign" | "term" | "content", string>>;
}

/** A template in a message, with the values of its variables. */
export interface TemplateUse {
  code: string;
  category?: string;
  header?: { type: "text" | "image" | "video" | "document"; values: string[]; files: FilePart[] };
  body: string[];
  buttons: { type: "plain" | "url" | "phone"; title: string; values: string[] }[];
}

/** An agent's edit or deletion that did not, or not fully, reach the customer. */
export interface Unchanged {
  act: "edited" | "deleted";
  /** What the customer sees: the old message, a mix of both, no message at all, or it is not known. */
  seen: "before" | "partly" | "nothing" | "unknown";
  /** How the old message begins. */
  words?: string;
  hindrance?: Hindrance;
  /** The messenger's own message. */
  said?: string;
}

/** A customer's message after an edit; the id belongs to the new message that replaces it. */
export interface Anew {
  messengerMessageId: MessengerMessageId;
  originator: "customer" | "channel";
  customer: Customer;
  content: Content;
}

/** What an album says after an edit of one part. The edit's own text is that of all parts; not all may be in one message. */
export interface AlbumWords {
  /** Lines above. */
  head: string;
  /** In the messenger's order. */
  captions: { messengerMessageId: MessengerMessageId; text: string; marks: Mark[] }[];
  /** What the edited part's message says if none of its parts has a caption. */
  otherwise: { text: string; marks: Mark[] };
}

/** Why the messenger did not deliver what it had accepted. `message` is for the agent. */
export interface LateError {
  code: ErrorCode;
  message: string;
  externalCode?: string;
}

/** Something that happened at the messenger. `key` is equal exactly if the messenger repeats the same event. */
interface EventBase {
  key: string;
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
  /** When it happened; ms since 1970. */
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
      /** The quoted message as text before its own: `always`, or only if the gateway does not take the quote. */
      quoted?: { head: string; always: boolean };
      /** The page the customer was on. */
      page?: string;
      /** Until when an agent may answer freely; ms since 1970. */
      replyUntil?: number;
      /** Files of an earlier message, which it quotes: they could not be fetched in time. `words` name that message. */
      late?: { words: string };
      /** Set by the relay: no webhook brought it, but the session's `list`. It leaves after what came by itself. */
      recovered?: true;
      /**
       * Written before the channel was connected: it goes to the chat's history, nobody is notified, and it leaves after what is
       * new. Set by the relay on what `list` gives of that time, and by a session whose messenger pushes it.
       */
      past?: true;
      /** Shared by the parts of one album; parts that arrive close together become one message. */
      album?: string;
      /** Of a merged album: its parts in the messenger's order; the event's own id and content cover all of them. */
      pieces?: { messengerMessageId: MessengerMessageId; content: Content }[];
    })
  /** `anew` is sent as a new message if the gateway refuses the edit, or the deletion. `album`: of an album's part. */
  | (EventBase & { type: "edited"; text: string; marks?: Mark[]; album?: AlbumWords; anew?: Anew })
  | (EventBase & { type: "deleted"; anew?: Anew })
  | (EventBase & { type: "read" })
  /** The customer has read all that was sent to them until `at`. The id is of no message: any stable text. */
  | (EventBase & { type: "read-until"; customer: CustomerId })
  /**
   * The messenger had accepted our message, of which this is the id or a part's, and could not deliver it. May come before the
   * answer to our call; then `chat` must be the one that we wrote to.
   */
  | (EventBase & { type: "failed"; error: LateError })
  | (EventBase & { type: "reaction"; reaction: string | null })
  /** A note for the agent, written by nobody in the chat: sent in the channel's name, under an id of ours. */
  | (EventBase & { type: "note"; text: string })
  /** A note about an agent's change that failed; its text is composed when it is sent. */
  | (EventBase & { type: "unchanged"; of: MessengerMessageId; change: Unchanged });

export interface Author {
  name: string;
  avatar?: string;
  bot: boolean;
}

/** The message that is answered, as far as it is known. */
export interface Quote {
  messengerMessageId?: MessengerMessageId;
  text?: string;
}

/** A file in transit: streamed, never buffered whole. */
export interface OpenFile {
  body: ReadableStream<Uint8Array>;
  name?: string;
  mediaType: string;
  /** Bytes, if the source states it. */
  size?: number;
}

/** A file at the gateway; its bytes are fetched on `open`, which throws DeliveryError. */
export interface GatewayFile extends Omit<OpenFile, "body"> {
  url: string;
  open(signal: AbortSignal): Promise<OpenFile>;
}

export interface MarkedText {
  text: string;
  marks: Mark[];
}
