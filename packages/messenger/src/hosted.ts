import type { FieldWords } from "./features.ts";
import type { ChatId, CustomerId } from "./ids.ts";
import type { InLanguages } from "./language.ts";
import type { OpenFile } from "./message.ts";
import type { ChannelAdapter, ChannelContext, ChannelSession, RawWebhook, Receipt } from "./port.ts";

export type Uploader = "customer" | "agent";

// Extends port.ts for messengers that run in this server, such as a chat widget on the shop's own site.

export interface HostedAdapter<Settings = unknown> extends ChannelAdapter<Settings> {
  hosted: true;
  /** Files served to any site at `/channels/<kind>/<name>`, by name. Each is read, or made, once. */
  assets?: Record<string, { mediaType: string } & ({ file: URL } | { text(): string })>;
  /** HTML that the shop's owner puts on their site. The account page shows it (module/account/visits.ts). */
  snippet?: {
    html(publicUrl: string, door: string): string;
    words: InLanguages<FieldWords>;
    /** The same for a page with the settings form, in the element whose `id` is given: shows what is typed there. */
    design?(publicUrl: string, door: string, form: string): string;
  };
  /**
   * The note in which the session records the sites that run the snippet, and its parser. Shown on the account page.
   */
  seen?: { note: string; read(note: string | undefined): SeenSite[] };
  /** Its sessions know what customers do on the shop's site: the CRM is told that it may ask. */
  siteVisits?: true;
  /**
   * A customer played by the account's users: the account page writes as them and shows their chat
   * (module/messages/rehearsals.ts).
   */
  standIn?: StandIn;
  /** No I/O, as in the port. */
  open(context: HostedContext<Settings>): HostedSession;
}

export interface StandIn {
  /** Their only chat; its journal is what they see. */
  chat: ChatId;
  /** Longest text they can write, code points. */
  maxLength: number;
  /** A request at the door with a new message. `proof` authenticates it, as for a replay. */
  says(text: string): RawWebhook;
  /** What an entry of the journal shows them. */
  read(entry: unknown): Said | undefined;
}

export interface Said {
  from: "customer" | "agent";
  text: string;
  /** The agent's name. */
  author?: string;
}

/** A site with the snippet. */
export interface SeenSite {
  /** As browsers send it, such as `https://shop.example`. */
  origin: string;
  /** When it was seen last, ms. */
  at: number;
  /** It is not among the sites that the settings allow. */
  refused: boolean;
}

export const isHosted = (adapter: ChannelAdapter): adapter is HostedAdapter => "hosted" in adapter;

/** Erases the adapter's type of settings, as `defineChannel` does. */
export const defineHosted = <Settings>(adapter: HostedAdapter<Settings>): HostedAdapter =>
  adapter as unknown as HostedAdapter;

export interface HostedContext<Settings> extends ChannelContext<Settings> {
  journal: Journal;
  keptFiles: KeptFiles;
  streams: Streams;
}

export interface HostedSession extends ChannelSession {
  receive(request: Request, address?: string): Promise<HostedReceipt>;
  /** The customer's last visit of the site; undefined: none is known. */
  siteVisit?(customer: CustomerId): Promise<SiteVisit | undefined>;
}

/** A customer on the shop's site. Times in ms. */
export interface SiteVisit {
  beganAt: number;
  /** When they were last seen. */
  seenAt: number;
  /** Whether they have left. */
  ended: boolean;
  /** Pages, oldest first. */
  pages: { at: number; url: string; title?: string }[];
  /** Origin of the site that led them here; empty: none is known. */
  source: string;
  utm?: { source?: string; medium?: string; campaign?: string };
  /** Empty where unknown. */
  device: { language: string; browser: string; os: string };
  /** Number of visits, this one included. */
  count: number;
}

export interface HostedReceipt extends Receipt {
  /** Committed in the same transaction as the events. */
  journal?: JournalEntry[];
  /** A customer who asks for the erasure of what this server has of them. With the same `proof` it is the same request. */
  erase?: { customer: CustomerId; proof: string };
  /** Called after the commit if any event was new. No I/O. */
  onStored?(): void;
}

/** A durable, ordered log per chat, in the database. The session calls it; each method is one transaction. */
export interface Journal {
  /** Ignores entries whose key this channel has already. */
  append(entries: JournalEntry[]): Promise<void>;
  /** Entries after `position`, oldest first: as many as `limit` allows, but at least one if there is any. */
  after(chat: ChatId, position: number, limit: PageLimit): Promise<JournalRecord[]>;
  /** The newest entries (before position `before`), oldest first: as many as `limit` allows, but at least one. */
  latest(chat: ChatId, limit: PageLimit, before?: number): Promise<JournalRecord[]>;
  /** Entries whose key is `key` or starts with `<key>:`, oldest first; `of`: as they were appended. */
  under(chat: ChatId, key: string, of?: ChatId): Promise<JournalRecord[]>;
  /** Calls `wake` after each commit of entries in this chat, perhaps once too often. The result stops it. */
  watch(chat: ChatId, wake: () => void): () => void;
}
export interface PageLimit {
  entries: number;
  /** Of the stored JSON. */
  bytes: number;
}
export interface JournalEntry {
  chat: ChatId;
  key: string;
  /** For a log shared by several chats: the chat whose customer the entry is about, and with whom it is erased. */
  of?: ChatId;
  /** JSON. Write ids of kept files unchanged: a file whose id no entry contains within a day is deleted (store). */
  entry: unknown;
}
export interface JournalRecord {
  /** Ascends within the chat. */
  position: number;
  /** When it was written; ms since 1970. */
  at: number;
  entry: unknown;
}

/** Who has uploaded a file, and the chat with which it is erased. */
export interface FileOwner {
  uploader: Uploader;
  chat: ChatId;
}

/** Files that customers and agents send, on this server's disk. The session calls it. */
export interface KeptFiles {
  /** Resolves with the id once the bytes are on the disk. Throws FileTooLarge, and Overload when there is no room. */
  keep(file: OpenFile, maxBytes: number, of: FileOwner): Promise<{ id: string; size: number }>;
  /** Undefined: no such file. */
  open(id: string): Promise<OpenFile | undefined>;
}

/**
 * Limits open streams, since each holds a socket. Ask `hasRoom` before answering with a stream, and `take` when it
 * opens: the answer may never be read. No I/O.
 */
export interface Streams {
  hasRoom(address: string): boolean;
  /** Returns a function that releases the stream; undefined if the address, the channel or the server has too many. */
  take(address: string): (() => void) | undefined;
}

const FILE_TOO_LARGE = Symbol.for("gangway-messenger/FileTooLarge");

/** A file has more than `maxBytes` bytes. Another copy of this package makes the same. */
export class FileTooLarge extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && FILE_TOO_LARGE in value;
  }
  readonly [FILE_TOO_LARGE] = true;
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`the file is larger than ${maxBytes} bytes`);
    this.name = "FileTooLarge";
    this.maxBytes = maxBytes;
  }
}
