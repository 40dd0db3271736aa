import type { FieldWords, InLanguages } from "../domain/channel.ts";
import type { ChatId } from "../domain/ids.ts";
import type { OpenFile } from "../domain/message.ts";
import type { Uploader } from "../domain/overload.ts";
import type { ChannelAdapter, ChannelContext, ChannelSession, Receipt } from "./port.ts";

// What only a network has that is this server itself, such as a chat on the shop's own site.

export interface HostedAdapter<Settings = unknown> extends ChannelAdapter<Settings> {
  hosted: true;
  /** Served to every site from `/channels/<kind>/<name>` (http). Read from disk once. */
  assets: Record<string, { file: URL; mediaType: string }>;
  /** What the owner puts on their own site; shown on the account page (module/visits). */
  snippet: { line(publicUrl: string, door: string): string; words: InLanguages<FieldWords> };
  /** As in the port: no I/O. */
  open(context: HostedContext<Settings>): HostedSession;
}

export const isHosted = (adapter: ChannelAdapter): adapter is HostedAdapter => "hosted" in adapter;

/** Keeps the settings type of one adapter, as `defineChannel` does. */
export const defineHosted = <Settings>(adapter: HostedAdapter<Settings>): HostedAdapter =>
  adapter as unknown as HostedAdapter;

export interface HostedContext<Settings> extends ChannelContext<Settings> {
  journal: Journal;
  keptFiles: KeptFiles;
  streams: Streams;
}

export interface HostedSession extends ChannelSession {
  receive(request: Request, address?: string): Promise<HostedReceipt>;
}

export interface HostedReceipt extends Receipt {
  /** Committed with the events. */
  journal?: JournalEntry[];
  /** The door calls it after the commit if any event was new. No I/O. */
  onStored?(): void;
}

/**
 * A durable, ordered log per chat. An entry whose key is known for this channel is ignored. The session calls it; each
 * verb is one transaction.
 */
export interface Journal {
  append(entries: JournalEntry[]): Promise<void>;
  /** Entries after a position, oldest first: as many as fit, at least one if there is any. */
  after(chat: ChatId, position: number, most: Portion): Promise<JournalRecord[]>;
  /** The newest entries, or the newest before a position; oldest first. As many as fit, at least one if there is any. */
  latest(chat: ChatId, most: Portion, before?: number): Promise<JournalRecord[]>;
  /** The entries whose key is this one, or begins with it and a colon; oldest first. */
  under(chat: ChatId, key: string): Promise<JournalRecord[]>;
  /** Calls `wake` after each commit that touched the chat, in memory; the result stops it. */
  watch(chat: ChatId, wake: () => void): () => void;
}
/** How much is read at once; `bytes` of the stored JSON. */
export interface Portion {
  entries: number;
  bytes: number;
}
export interface JournalEntry {
  chat: ChatId;
  key: string;
  /** JSON. The ids of kept files stand in it as they are: a file that no entry names within a day is deleted (store). */
  entry: unknown;
}
export interface JournalRecord {
  position: number;
  at: number;
  entry: unknown;
}

/**
 * Files that customers bring and agents send, on this server's disk. The session calls it; both verbs read or write the
 * disk.
 */
export interface KeptFiles {
  /** Resolves with the id once the bytes are on the disk. Throws `FileTooLarge`, and Overload when there is no room. */
  keep(file: OpenFile, maxBytes: number, uploader: Uploader): Promise<{ id: string; size: number }>;
  open(id: string): Promise<OpenFile | undefined>;
}

/**
 * Room for answers that stay open: each holds a socket of the server. The session asks before it answers with one. No
 * I/O.
 */
export interface Streams {
  /** The result gives the room back; undefined where address, channel or server have none left. */
  take(address: string): (() => void) | undefined;
}

export class FileTooLarge extends Error {
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`the file is larger than ${maxBytes} bytes`);
    this.name = "FileTooLarge";
    this.maxBytes = maxBytes;
  }
}
