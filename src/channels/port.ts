import type { z } from "zod";
import type { Call } from "../domain/call.ts";
import type { Features, FieldWords, InLanguages } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import type { ChannelId, ChatId, CustomerId, GatewayFileId, MessengerMessageId } from "../domain/ids.ts";
import type { Loss } from "../domain/loss.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "../domain/message.ts";
import type { Bringer } from "../domain/overload.ts";
import type { EditStep, Manner, SendStep, SentPart } from "../domain/plan.ts";

/** A messenger network: static, pure. One folder per kind exports one of these. */
export interface ChannelAdapter<Settings = unknown, Server = object> {
  kind: string;
  title: string;
  /** The form is drawn from it and the stored row is parsed by it. Field meta: `secret`, `hidden`. */
  settings: z.ZodType<Settings>;
  /** Of each field of the form. */
  words: InLanguages<Record<string, FieldWords>>;
  /** The operator's settings of this kind: environment variables by their names, read at the start (config.ts). */
  serverSettings?: z.ZodObject & z.ZodType<Server>;
  features(settings: Settings): Features;
  /** What fits into one call; messages are planned by it before they are stored. */
  manner(settings: Settings): Manner;
  pace: Pace;
  /** The same message sent twice under one key: the network knows it again, the session can look for it, or neither. */
  sendIdempotency: "native" | "lookup" | "none";
  /** How long after the first try that holds, ms; absent: always. Later it is as `none`. */
  idempotencyMs?: number;
  /** Most bytes of a request to the messenger door, by the path behind the door. */
  bodyLimit(path: string): number;
  /** Headers, besides those of `proof`, that `receive` reads. They are kept with the request, sealed, for some days. */
  keptHeaders?: string[];
  /** What makes a kept request genuine again: secrets of the network are not kept with it. */
  proof?(settings: Settings): Record<string, string>;
  /** Files served as they are, by name, from `/channels/<kind>/<name>`. */
  assets?: Record<string, { file: URL; mediaType: string }>;
  /** What the owner has to put on their own site, given the server's public address and the door. */
  snippet?: { line(publicUrl: string, door: string): string; words: InLanguages<FieldWords> };
  /** What its sessions note, by the beginnings of the keys; absent: nothing. */
  notes?: NoteLives;
  /** No I/O. */
  open(context: ChannelContext<Settings, Server>): ChannelSession;
}

/** The network's own limits. */
export interface Pace {
  /** Calls a second of one channel. */
  perSecond: number;
  /** Calls to one chat. */
  perChat(chat: ChatId): { most: number; everyMs: number };
}

export interface ChannelContext<Settings, Server = object> {
  channelId: ChannelId;
  name: string;
  /** Absolute address of the messenger door, no trailing slash. */
  doorUrl: string;
  settings: Settings;
  server: ServerOptions & Server;
  call: Call;
  clock: Clock;
  notes: Notes;
  /** For messengers whose network is this server itself. */
  journal: Journal;
  keptFiles: KeptFiles;
  lines: Lines;
  /** Aborts when the channel is changed or removed. Answers that stay open end then, and their clients reconnect. */
  closed: AbortSignal;
  /** Asks what a file is, without its bytes. Throws DeliveryError. */
  gatewayFile(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
}

/** How the operator has set the server up; its adapter's `serverSettings` stand beside. */
export interface ServerOptions {
  /** How updates come where the channel does not say. */
  updates: "webhook" | "polling";
}

/** `expires`: deleted RETAIN_NOTE_DAYS after the last change, since a session can do without; `stays`: kept as long as the channel. */
interface NoteLives {
  expires: string[];
  stays: string[];
}

/** What a session has to remember: small texts by key. */
export interface Notes {
  get(key: string): Promise<string | undefined>;
  set(notes: Note[]): Promise<void>;
}
/** An empty value stands for none. */
export interface Note {
  key: string;
  value: string;
}

/** One login: live, owns I/O. Failures are thrown as DeliveryError. */
export interface ChannelSession {
  /**
   * Whose login this is, asked of the messenger; no two channels may have the same. Changes nothing. It is asked again before
   * a step is repeated that was perhaps carried out and cannot be looked for.
   */
  identify?(signal: AbortSignal): Promise<Identity>;
  /** Checks the credentials and subscribes; safe to repeat. What it did is undone when a later step of it fails. */
  connect(signal: AbortSignal): Promise<Profile>;
  /** Authenticates and parses; stores no event, calls nobody but for what the request cannot be read without. `address`: who asks, as far as that is known. */
  receive(request: Request, address?: string): Promise<Receipt>;
  /** Carries out one step, whole or not at all. Repeats under one `key` are the same message. */
  send(step: SendStep, at: SendingTo, signal: AbortSignal): Promise<Sent>;
  /** Whether a step that was perhaps carried out has arrived. Present exactly when `sendIdempotency` is `lookup`. */
  lookup?(step: SendStep, at: LookupAt, signal: AbortSignal): Promise<Found>;
  disconnect(signal: AbortSignal): Promise<void>;
  /** Looks whether messages still come: resolves with the trouble in words, if there is one. */
  inspect?(signal: AbortSignal): Promise<string | undefined>;
  /** Each group is present exactly when the features announce it. */
  revisions?: Revisions;
  readMarks?: ReadMarks;
  reactions?: Reactions;
  files?: { open(ref: string, signal: AbortSignal): Promise<OpenFile> };
  /** Pictures of customers. `version` is equal as long as the picture is. */
  avatars?: {
    find(customer: CustomerId, signal: AbortSignal): Promise<{ version: string; ref: string } | undefined>;
  };
  /** For networks that are asked instead of calling: present exactly when this channel's updates come so. */
  feed?: Feed;
}

export interface SendingTo {
  chat: ChatId;
  key: string;
}
export interface LookupAt extends SendingTo {
  /** Not sent before this, by our clock; ms. */
  since: number;
}
/** `absent` is a promise: the step is then sent again. What cannot be told for sure is `unknown`. */
export type Found = (Sent & { found: "arrived" }) | { found: "absent" } | { found: "unknown" };
export interface MessageAt {
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
}
export interface Revisions {
  edit(step: EditStep, chat: ChatId, signal: AbortSignal): Promise<void>;
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
export interface Feed {
  /** Asks until `signal` aborts; what came is gone at the messenger only after `save` has resolved. Throws DeliveryError. */
  run(save: (receipt: Brought) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export interface Brought extends Omit<Receipt, "reply"> {
  /** What is wrong although messages come, in words, as `inspect` tells it. */
  trouble?: string;
}

export interface Identity {
  /** Unique over all messengers, for example `telegram:1234567890`. */
  id: string;
  name: string;
}
export interface Profile {
  name: string;
  avatarUrl?: string;
}

/** What the messenger made of a step, in order; the first part of a message is reported to the gateway. Never empty. */
export interface Sent {
  parts: [SentPart, ...SentPart[]];
  /** What could not be carried out as planned. */
  losses?: Loss[];
}

/** `reply` leaves only after events, journal entries and notes are committed, in one transaction. */
export interface Receipt {
  events: ChannelEvent[];
  journal?: JournalEntry[];
  notes?: Note[];
  /** The kind of a thing that this version does not know and has left aside, for the log. */
  unknown?: string;
  reply: Response;
  /** Called once the events are on the disk, if any of them was new. */
  onStored?(): void;
}

/** A durable, ordered log per chat. An entry whose key is known for this channel is ignored. */
export interface Journal {
  append(entries: JournalEntry[]): Promise<void>;
  /** Entries after a position, oldest first: as many as fit, at least one if there is any. */
  after(chat: ChatId, position: number, most: Portion): Promise<JournalRecord[]>;
  /** The newest entries, or the newest before a position; oldest first. As many as fit, at least one if there is any. */
  latest(chat: ChatId, most: Portion, before?: number): Promise<JournalRecord[]>;
  /** The entries whose key is this one, or begins with it and a colon; oldest first. */
  under(chat: ChatId, key: string): Promise<JournalRecord[]>;
  /** Calls back after each commit that touched the chat; the answer stops it. */
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
  /** Resolves with the id once the bytes are on the disk. Throws `FileTooLarge`, and Overload when there is no room. */
  keep(file: OpenFile, maxBytes: number, bringer: Bringer): Promise<{ id: string; size: number }>;
  open(id: string): Promise<OpenFile | undefined>;
}

/** Places for answers that stay open: each holds a socket of the server. */
export interface Lines {
  /** The answer gives the place back; undefined where address, channel or server have none left. */
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

/** Keeps the settings type of one adapter while the registry holds adapters of every kind. */
export const defineChannel = <Settings, Server = object>(adapter: ChannelAdapter<Settings, Server>): ChannelAdapter =>
  adapter as unknown as ChannelAdapter;
