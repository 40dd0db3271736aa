import type { z } from "zod";
import type { Call } from "../domain/call.ts";
import type { Features, FieldWords, InLanguages } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import type { ChannelId, ChatId, CustomerId, GatewayFileId, MessengerMessageId } from "../domain/ids.ts";
import type { Loss } from "../domain/loss.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "../domain/message.ts";
import type { Capabilities, EditStep, SendStep, SentPart } from "../domain/plan.ts";

// What every messenger network has. What only one has that is this server itself stands in hosted.ts.

/** A network: static, and none of its functions does I/O. One folder per kind exports one of these. */
export interface ChannelAdapter<Settings = unknown, Server = object> {
  /** Stored with each channel, and part of addresses and metrics: never changed. */
  kind: string;
  title: string;
  /** The form is drawn from it and the stored row is parsed by it. Field meta: `secret`, `hidden`. */
  settings: z.ZodType<Settings>;
  /** Of each field of the form. */
  words: InLanguages<Record<string, FieldWords>>;
  /** The operator's settings of this kind: environment variables by their names, read at the start (config.ts). */
  serverSettings?: z.ZodObject & z.ZodType<Server>;
  /** Announced to the gateway when the channel is activated, and again when they have changed. */
  features(settings: Settings): Features;
  /** What fits into one call; messages are planned by it before they are stored. */
  capabilities(settings: Settings): Capabilities;
  /** The network's own limits; the relay keeps to them. */
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
  /** What its sessions note, by the beginnings of the keys; absent: nothing. */
  notes?: NoteLives;
  /** One session serves until the channel's settings change. No I/O: a session is also opened for a look in passing. */
  open(context: ChannelContext<Settings, Server>): ChannelSession;
}

export interface Pace {
  /** Calls a second of one channel. */
  perSecond: number;
  /** Calls to one chat. */
  perChat(chat: ChatId): { most: number; everyMs: number };
}

/**
 * `expires`: deleted RETAIN_NOTE_DAYS after the last change, since a session can do without; `stays`: kept as long as
 * the channel.
 */
interface NoteLives {
  expires: string[];
  stays: string[];
}

/** What a session is given; its only ways to the rest of the house and to the network. */
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
  /** Aborts when the channel is changed or removed. Answers that stay open end then, and their clients reconnect. */
  closed: AbortSignal;
  /** Asks the gateway what a file is, without its bytes. Throws DeliveryError. */
  gatewayFile(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
}

/** How the operator has set the server up; its adapter's `serverSettings` stand beside. */
export interface ServerOptions {
  /** How updates come where the channel does not say. */
  updates: "webhook" | "polling";
}

/** What a session has to remember: small texts by key, in the database. */
export interface Notes {
  get(key: string): Promise<string | undefined>;
  set(notes: Note[]): Promise<void>;
}
/** An empty value stands for none. */
export interface Note {
  key: string;
  value: string;
}

/** One login: live, owns I/O. Failures are thrown as DeliveryError; every signal has a deadline. */
export interface ChannelSession {
  /**
   * Whose login this is, asked of the network; no two channels may have the same. Changes nothing. Called before `connect`, and
   * before a step is repeated that was perhaps carried out and cannot be looked for.
   */
  identify?(signal: AbortSignal): Promise<Identity>;
  /**
   * Called when the channel is added, changed or resumed. Checks the credentials and subscribes; safe to repeat. Undoes
   * its work when a later step fails.
   */
  connect(signal: AbortSignal): Promise<Profile>;
  /**
   * Called for each request at the door. Authenticates and parses; stores no event, calls nobody but for what the
   * request cannot be read without. `address`: who asks, as far as that is known.
   */
  receive(request: Request, address?: string): Promise<Receipt>;
  /**
   * Called for each step of a plan, one at a time in a chat. Carries it out, whole or not at all. Repeats under one
   * `key` are the same message.
   */
  send(step: SendStep, at: SendingTo, signal: AbortSignal): Promise<Sent>;
  /** Called before a step is repeated: whether it has arrived. Present exactly when `sendIdempotency` is `lookup`. */
  lookup?(step: SendStep, at: LookupAt, signal: AbortSignal): Promise<Found>;
  /**
   * Called when the channel is removed or has another login now. Ends the subscription that `connect` made, and no
   * other.
   */
  disconnect(signal: AbortSignal): Promise<void>;
  /**
   * Called every half minute (module/watch). Looks whether messages still come: resolves with the trouble in words, if
   * there is one.
   */
  inspect?(signal: AbortSignal): Promise<string | undefined>;
  /** Each group below is present exactly when the features announce it. */
  revisions?: Revisions;
  readMarks?: ReadMarks;
  reactions?: Reactions;
  files?: Files;
  avatars?: Avatars;
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

/** Called when an agent has changed or deleted a message that was sent. One call to the network each. */
export interface Revisions {
  edit(step: EditStep, chat: ChatId, signal: AbortSignal): Promise<void>;
  delete(target: MessageAt, signal: AbortSignal): Promise<void>;
}
/** Tells the customer what became of their message. One call to the network each. */
export interface ReadMarks {
  /** An agent has read it. */
  read(target: MessageAt, signal: AbortSignal): Promise<void>;
  /** It has reached the CRM. */
  delivered(target: MessageAt, signal: AbortSignal): Promise<void>;
}
/** Called when an agent has set a reaction, or taken it back. One call to the network. */
export interface Reactions {
  set(target: MessageAt, reaction: string | null, signal: AbortSignal): Promise<void>;
}
/** Called when a customer's file goes to the gateway, which reads the bytes as they come. */
export interface Files {
  open(ref: string, signal: AbortSignal): Promise<OpenFile>;
}
/**
 * Pictures of customers: called once a day for each who writes. `ref` is one of `files`; `version` is equal as long as
 * the picture is.
 */
export interface Avatars {
  find(customer: CustomerId, signal: AbortSignal): Promise<{ version: string; ref: string } | undefined>;
}
/**
 * For networks that are asked instead of calling: present exactly when this channel's updates come so. Runs as long as
 * the channel does.
 */
export interface Feed {
  /**
   * Asks until `signal` aborts; what came is gone at the network only after `save` has resolved. Throws DeliveryError.
   */
  run(save: (receipt: Brought) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export interface Brought extends Omit<Receipt, "reply"> {
  /** What is wrong although messages come, in words, as `inspect` tells it. */
  trouble?: string;
}

export interface Identity {
  /** Unique over all kinds, so it begins with the kind: `<kind>:<id of the login>`. */
  id: string;
  name: string;
}
export interface Profile {
  name: string;
  avatarUrl?: string;
}

/** What the network made of a step, in order; the first part of a message is reported to the gateway. Never empty. */
export interface Sent {
  parts: [SentPart, ...SentPart[]];
  /** What could not be carried out as planned. */
  losses?: Loss[];
}

/** `reply` leaves only after events and notes are committed, in one transaction. */
export interface Receipt {
  events: ChannelEvent[];
  notes?: Note[];
  /** The kind of a thing that this version does not know and has left aside, for the log. */
  unknown?: string;
  reply: Response;
}

/** Keeps the settings type of one adapter while the registry holds adapters of every kind. */
export const defineChannel = <Settings, Server = object>(adapter: ChannelAdapter<Settings, Server>): ChannelAdapter =>
  adapter as unknown as ChannelAdapter;
