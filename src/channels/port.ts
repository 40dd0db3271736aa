import type { z } from "zod";
import type { Call } from "../domain/call.ts";
import type { Features } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import type { ChannelId, ChatId, GatewayFileId, MessengerMessageId } from "../domain/ids.ts";
import type { ChannelEvent, Content, OpenFile, OutboundMessage } from "../domain/message.ts";

/** A messenger network: static, pure. One folder per kind exports one of these. */
export interface ChannelAdapter<Settings = unknown> {
  kind: string;
  title: string;
  /** The form is drawn from it and the stored row is parsed by it. Field meta: `secret`, `hidden`. */
  settings: z.ZodType<Settings>;
  features(settings: Settings): Features;
  pace: Pace;
  /** What the network does with the same message sent twice under one key. */
  sendIdempotency: "native" | "lookup" | "none";
  /** Most bytes of a request to the messenger door, by the path behind the door. */
  bodyLimit(path: string): number;
  /** Files served as they are, by name, from `/channels/<kind>/<name>`. */
  assets?: Record<string, { file: URL; mediaType: string }>;
  /** What the owner has to put on their own site, given the server's public address and the door. */
  snippet?(publicUrl: string, door: string): string;
  /** No I/O. */
  open(context: ChannelContext<Settings>): ChannelSession;
}

/** The network's own limits, requests per second. */
export interface Pace {
  perSecond: number;
  perChat: number;
}

export interface ChannelContext<Settings> {
  channelId: ChannelId;
  name: string;
  /** Absolute address of the messenger door, no trailing slash. */
  doorUrl: string;
  settings: Settings;
  call: Call;
  clock: Clock;
  /** For messengers whose network is this server itself. */
  journal: Journal;
  keptFiles: KeptFiles;
  /** Throws DeliveryError. */
  openGatewayFile(id: GatewayFileId, signal: AbortSignal): Promise<OpenFile>;
}

/** One login: live, owns I/O. Failures are thrown as DeliveryError. */
export interface ChannelSession {
  /** Checks the credentials and subscribes; safe to repeat. */
  connect(signal: AbortSignal): Promise<Profile>;
  /** Authenticates and parses; stores no event, calls nobody back. */
  receive(request: Request): Promise<Receipt>;
  /** Resolves when the messenger has accepted every part. Repeats under one `key` are the same message. */
  send(message: OutboundMessage, key: string, signal: AbortSignal): Promise<Sent>;
  disconnect(signal: AbortSignal): Promise<void>;
  /** Each group is present exactly when the features announce it. */
  revisions?: Revisions;
  readMarks?: ReadMarks;
  reactions?: Reactions;
  files?: { open(ref: string, signal: AbortSignal): Promise<OpenFile> };
}

export interface MessageAt {
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
}
export interface Revisions {
  edit(target: MessageAt, content: Content, signal: AbortSignal): Promise<void>;
  delete(target: MessageAt, signal: AbortSignal): Promise<void>;
}
export interface ReadMarks {
  /** An agent has read the customer's message. */
  read(target: MessageAt, signal: AbortSignal): Promise<void>;
  /** The customer's message has reached the CRM. */
  delivered(target: MessageAt, signal: AbortSignal): Promise<void>;
}
export interface Reactions {
  set(target: MessageAt, reaction: string | null, signal: AbortSignal): Promise<void>;
}

export interface Profile {
  name: string;
  avatarUrl?: string;
}

/** One id a part, in order; the first is reported to the gateway. Never empty. */
export interface Sent {
  messengerMessageIds: [MessengerMessageId, ...MessengerMessageId[]];
}

/** `reply` leaves only after events and journal entries are committed, in one transaction. */
export interface Receipt {
  events: ChannelEvent[];
  journal?: JournalEntry[];
  reply: Response;
}

/** A durable, ordered log per chat. An entry whose key is known for this channel is ignored. */
export interface Journal {
  append(entries: JournalEntry[]): Promise<void>;
  /** Entries after a position, oldest first. */
  after(chat: ChatId, position: number, most: number): Promise<JournalRecord[]>;
  /** The newest entries, oldest first. */
  latest(chat: ChatId, most: number): Promise<JournalRecord[]>;
  /** Calls back after each commit that touched the chat; the answer stops it. */
  watch(chat: ChatId, wake: () => void): () => void;
}
export interface JournalEntry {
  chat: ChatId;
  key: string;
  /** JSON. */
  entry: unknown;
}
export interface JournalRecord {
  position: number;
  at: number;
  entry: unknown;
}

/** Files this server keeps for a messenger that is this server itself. */
export interface KeptFiles {
  /** Resolves with the id once the bytes are on the disk. Throws `FileTooLarge`. */
  keep(file: OpenFile, maxBytes: number): Promise<{ id: string; size: number }>;
  open(id: string): Promise<OpenFile | undefined>;
}

export class FileTooLarge extends Error {
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`the file is larger than ${maxBytes} bytes`);
    this.name = "FileTooLarge";
    this.maxBytes = maxBytes;
  }
}

/** Keeps the settings type of one adapter while the registry holds adapters of every kind. */
export const defineChannel = <Settings>(adapter: ChannelAdapter<Settings>): ChannelAdapter =>
  adapter as unknown as ChannelAdapter;
