import type { z } from "zod";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { Explanation } from "./explanations.ts";
import type { Features, FieldWords } from "./features.ts";
import type { FormerModule, Handover } from "./former.ts";
import type { ChannelId, ChatId, CustomerId, GatewayFileId, MessengerMessageId } from "./ids.ts";
import type { InLanguages } from "./language.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "./message.ts";
import type { Capabilities, EditStep, Loss, SendStep, SentPart } from "./plan.ts";
import type { Template, TemplateDraft } from "./template.ts";

/** Version of this port, which is this package's. A messenger's package.json says which it fits: `"gangway": {"port": "^0.1.0"}`. */
export const PORT_VERSION = "0.1.0";

// The contract of every messenger. hosted.ts extends it for messengers that run in this server, apps.ts for those that
// serve many logins through one app.

/** Describes one kind of messenger. Static: none of its functions does I/O. Each messenger's package exports one. */
export interface ChannelAdapter<Settings = unknown, Server = object> {
  /** Stored with each channel and used in URLs and metrics. Never change it. */
  kind: string;
  /** Shown to people: a brand's name, or the English title. */
  title: string;
  /** The title by language, unless it is a brand's name. */
  titles?: InLanguages<string>;
  /** "Add a …": the heading of its form, where the title has to be declined or takes an article. */
  adding?: InLanguages<string>;
  /** What it is for, in one line, for people who choose a messenger. */
  about?: InLanguages<string>;
  /** Its sign on the pages: white lines, as SVG path data in a box of 24 × 24, on its brand's colour, `#rrggbb`. */
  glyph?: { color: string; path: string };
  /** Entries that people look for under another name: this kind with some settings preset. */
  variants?: Variant[];
  /** Generates the form, and parses the stored row. Field meta: `secret` (never shown again), `hidden` (made by the server). */
  settings: z.ZodType<Settings>;
  /** Label, hint and choices of each form field, by language. */
  words: InLanguages<Record<string, FieldWords>>;
  /** What a person has to do at the messenger once the channel is there, since no call can. Shown on its page. `link`: as `identify` gave it. */
  afterwards?(settings: Settings, doorUrl: string, link?: string): InLanguages<FieldWords> | undefined;
  /** How to write to it as a customer, where opening its link is not enough. Shown when somebody tries it out. */
  tryOut?(settings: Settings): InLanguages<string> | undefined;
  /** Translations of what its errors, troubles and settings say in English. */
  explanations?: readonly Explanation[];
  /**
   * The operator's settings for this kind: environment variables by name, read once at startup. Field meta (settings.ts):
   * `description`, `secret`. `prefault` gives a default as the operator would write it.
   */
  serverSettings?: z.ZodObject & z.ZodType<Server>;
  /** What the channel can do. Announced to the gateway when the channel is activated, and again after a change. */
  features(settings: Settings): Features;
  /** What fits into one call. The relay splits each message into calls by these limits, before storing it. */
  capabilities(settings: Settings): Capabilities;
  /** The messenger's rate limits; the relay enforces them. */
  pace: Pace;
  /**
   * What may happen after a call whose outcome is unknown. `native`: send again, the messenger drops duplicates of a key.
   * `lookup`: ask `session.lookup` first. `none`: the channel's policy decides (resend once, or hold for a person).
   */
  sendIdempotency: "native" | "lookup" | "none";
  /** How long `native` or `lookup` works after the first attempt, ms; then `none` applies. Absent: forever. */
  idempotencyMs?: number;
  /** `list` also returns messages from before the channel was connected, so that they can be imported. */
  listsPast?: true;
  /** Hosts that its sessions call, by name; `*.` before one means all below it. Only these may go through an operator's proxy. */
  hosts?: string[];
  /** A file with further certificate authorities (PEM), by the operator's settings: trusted for `hosts`, and for no other host. */
  caFile?(server: Server): string | undefined;
  /** Largest request body, bytes. `path` is what follows the door in the URL, without a leading slash. */
  bodyLimit(path: string): number;
  /** How it reads the `Retry-After` of an answer that asks it to come later: as an HTTP date. Absent: as seconds. */
  retryAfter?: "date";
  /** Headers that `receive` reads, except those of `proof`. Stored encrypted with the request, for `replay`. */
  keptHeaders?: string[];
  /** Headers that authenticate a stored request when it is read again. They hold secrets, so they are not stored. */
  proof?(settings: Settings, body: string, server: Server): Record<string, string>;
  /** Commands of the `gangway` program for integrators of this kind: `gangway <kind> <name>`. */
  commands?: Record<string, AdapterCommand>;
  /** Modules whose accounts can be moved here: `gangway import <name>`. Its sessions have a `handover`. */
  former?: FormerModule[];
  /** Prefixes of the keys that sessions write to `context.notes`. Absent: they write none. */
  notes?: NoteLifetimes;
  /** Makes a session, which serves until the channel changes. No I/O: `inspect` may get a session of its own. */
  open(context: ChannelContext<Settings, Server>): ChannelSession;
}

/** An entry of its own in the list of what can be added; leads to the kind's form. */
export interface Variant {
  /** Lowercase, digits and hyphens; used in URLs. */
  name: string;
  title: InLanguages<string>;
  /** What it is for, what it can do and what not. */
  about: InLanguages<string>;
  /** What the form begins with. */
  settings: Record<string, unknown>;
  /** Overrides the kind's words for these fields. */
  words?: InLanguages<Record<string, FieldWords>>;
  /** What can be done in these chats, where it is less than the channel announces. */
  features?: Features;
}

export interface Pace {
  /** Calls per second of one channel. */
  perSecond: number;
  /** Calls with files among these; absent: as many. */
  filesPerSecond?: number;
  /** Calls of `list` per second; absent: one. */
  listsPerSecond?: number;
  /** At most `most` calls to one chat within `everyMs`. */
  perChat(chat: ChatId): { most: number; everyMs: number };
}

/** A command that needs no server: it runs wherever the program is. */
export interface AdapterCommand {
  /** One line of help. */
  summary: string;
  /** By name. With `value`, its name in the help, it takes a text; otherwise it is a flag. */
  options: Record<string, { value?: string; needed?: true; help: string }>;
  /** The exit code: 0 done, 1 failed. Throws an Error in words for whoever typed it. */
  run(given: Record<string, string | boolean | undefined>, io: CommandIo): Promise<number>;
}
export interface CommandIo {
  /** Reaches this machine, too. */
  call: Call;
  clock: Clock;
  /** Writes a line to standard output. */
  print(line: string): void;
}

/**
 * Erasing a customer deletes notes with keys `<prefix><chat>`; among those that expire also `<prefix><chat>:…`,
 * `<prefix><id>` of the customer or a message, and what `ofStep` names. Lasting notes may name a customer only by
 * `ofCustomer`.
 */
interface NoteLifetimes {
  /** Deleted RETAIN_NOTE_DAYS after the last change. A session must work without them. */
  expires: string[];
  /** Of those that expire: `<prefix><key of a step>`, as `send` gets it; deleted with the customer of its message. */
  ofStep?: string[];
  /** Deleted this many days after the last change, whatever RETAIN_NOTE_DAYS says. */
  lasts?: { prefix: string; days: number }[];
  /** Deleted with the channel. */
  stays: string[];
  /**
   * Lasting notes `<prefix><id of a customer>`, deleted with the customer. If the value is a customer's chat, the id is
   * one more of theirs: erasing the chat deletes everything that names this id.
   */
  ofCustomer?: string[];
}

/** Everything a session may use: its only access to the network, the database and the gateway. */
export interface ChannelContext<Settings, Server = object> {
  channelId: ChannelId;
  name: string;
  /** Absolute URL of the channel's public endpoint, without a trailing slash. */
  doorUrl: string;
  settings: Settings;
  server: ServerOptions & Server;
  /** The HTTP client. */
  call: Call;
  clock: Clock;
  /** When the session was opened, or the one that it stands in for; ms since 1970. */
  openedAt: number;
  notes: Notes;
  /** Aborts when the channel is changed or removed. End open streams then; their clients reconnect. */
  closed: AbortSignal;
  /** Fetches a file's URL and metadata from the gateway, without its bytes. Throws DeliveryError. */
  gatewayFile(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
}

/** The operator's settings that every kind shares. */
export interface ServerOptions {
  /** How updates arrive, unless the channel's settings choose. */
  updates: "webhook" | "polling";
}

/** A key-value store per channel, in the database: for small values. */
export interface Notes {
  get(key: string): Promise<string | undefined>;
  /** One transaction. */
  set(notes: Note[]): Promise<void>;
}
/** An empty value deletes the note. */
export interface Note {
  key: string;
  value: string;
  /**
   * The value is a JSON object to merge into the stored one: concurrent requests must not overwrite each other's keys.
   */
  merge?: true;
}

/** A subscription shared by the logins of a group: before its holder disconnects, another one connects. */
export interface Sharing {
  group: string;
  /** The door of this server that it points to; undefined: elsewhere, or nobody has subscribed. */
  door?: string;
}

/**
 * One login at the messenger; does the I/O. Failures are thrown as DeliveryError, whose verdict decides what happens
 * next. Every signal but that of `feed` has a deadline.
 */
export interface ChannelSession {
  /**
   * Asks the messenger which login this is; changes nothing there. Two channels cannot have the same login. Called while
   * the form is filled, before `connect`, and before a step that may have arrived is repeated: an outage leaves no duplicates.
   */
  identify?(signal: AbortSignal): Promise<Identity>;
  /**
   * Called when the channel is added, changed or resumed. Checks the credentials and subscribes. Safe to repeat; if a
   * later step fails, it undoes the earlier ones.
   */
  connect(signal: AbortSignal): Promise<Profile>;
  /**
   * Called for each request at the door, and again when a stored request is replayed. Authenticates (401 if forged),
   * parses and answers; stores nothing, and calls the network only for what it needs to parse. If it throws, the door
   * answers 503. `address`: the client's IP address, if known.
   */
  receive(request: Request, address?: string): Promise<Receipt>;
  /**
   * Called for each step of a plan, one at a time per chat. Carries it out completely or not at all. The same `key` again
   * means the same message. Any error but a DeliveryError leaves the outcome open: run what precedes the call in
   * `beforeSending`.
   */
  send(step: SendStep, target: SendTarget, signal: AbortSignal): Promise<Sent>;
  /** Called before a step is repeated: did it arrive? Present exactly when `sendIdempotency` is `lookup`. */
  lookup?(step: SendStep, target: LookupTarget, signal: AbortSignal): Promise<LookupResult>;
  /** Called when the channel is removed or changes its login. Ends the subscription that `connect` made, and no other. */
  disconnect(signal: AbortSignal): Promise<void>;
  /**
   * Called every 30 s (module/health/watch.ts). Checks that messages still arrive. Resolves with a description of the problem,
   * or undefined. A `reconnect` error stops the channel; any other is only logged.
   */
  inspect?(signal: AbortSignal): Promise<string | undefined>;
  /** Present where `former` is. */
  handover?: Handover;
  /**
   * What a person has yet to do at the messenger before messages arrive, in words; not an error. Asked by connection
   * tests.
   */
  unfinished?(): Promise<string | undefined>;
  /**
   * Called every hour. Renews credentials that expire, when it is time. Resolves with the new settings, which are stored
   * before the next call; undefined: nothing to do.
   */
  renew?(signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
  /** Facts the messenger reports about this login, for the account page. */
  standing?(signal: AbortSignal): Promise<LoginFacts>;
  /**
   * Called after `connect` and every hour. Names of groups this login belongs to, by which an app's requests reach it
   * (apps.ts).
   */
  groups?(signal: AbortSignal): Promise<string[]>;
  /** Present when logins share one subscription: its holder forwards the others' parts. */
  sharing?(signal: AbortSignal): Promise<Sharing | undefined>;
  /** Revisions, read marks and reactions are present exactly when the features announce them. */
  revisions?: Revisions;
  readMarks?: ReadMarks;
  reactions?: Reactions;
  /** Present when customers can send files. */
  files?: Files;
  avatars?: Avatars;
  /** Present exactly when the features announce templates. */
  templates?: Templates;
  /** Present exactly when this channel's updates are polled. */
  feed?: Feed;
  /**
   * A page of what was written since then, ms; called every few minutes, page by page, where webhooks bring updates
   * (module/health/comparing.ts). `after`: the `next` of the page before. Gives messages as `receive` would, without those that we sent as far as that is known: what
   * both bring has the same `key`. One call to the network, or a few that its pace leaves room for, besides those that `receive` makes.
   */
  list?(since: number, after: string | undefined, signal: AbortSignal): Promise<Listed>;
}

export interface SendTarget {
  chat: ChatId;
  /** Idempotency key of the step. */
  key: string;
}
export interface LookupTarget extends SendTarget {
  /** Earliest time of the first attempt, by our clock; ms since 1970. */
  since: number;
}

/**
 * `absent` must be certain: the step is then sent again. In doubt answer `unknown`; the channel's policy decides, or with
 * `askAgainMs` only once the messenger has had that long to say so, or the message's time is nearly over.
 */
export type LookupResult =
  | (Sent & { found: "arrived" })
  | { found: "absent" }
  | { found: "unknown"; askAgainMs?: number };
export interface MessageRef {
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
}

/** Called when an agent edits or deletes a message. One call to the network each. */
export interface Revisions {
  edit(step: EditStep, chat: ChatId, signal: AbortSignal): Promise<void>;
  delete(target: MessageRef, signal: AbortSignal): Promise<void>;
}
/** Shows customers the status of their messages. One call to the network each. */
export interface ReadMarks {
  /** An agent has read it. */
  read(target: MessageRef, signal: AbortSignal): Promise<void>;
  /** The CRM has it. Errors are ignored. */
  delivered(target: MessageRef, signal: AbortSignal): Promise<void>;
}
/** Called when an agent sets a reaction, or removes it (`null`). One call to the network. */
export interface Reactions {
  set(target: MessageRef, reaction: string | null, signal: AbortSignal): Promise<void>;
}
/** Called when a customer's file is uploaded to the gateway. `ref` is the adapter's own, from an event's FileRef. */
export interface Files {
  /** Streams the bytes: a file is never held in memory as a whole. */
  open(ref: string, signal: AbortSignal): Promise<OpenFile>;
}

/**
 * Called when a customer with `hasAvatar` writes: once a day, or 10 minutes after a failure. The message waits 5 s for
 * the picture, then goes without.
 */
export interface Avatars {
  /** `version` changes with the picture; `files` opens `ref`. Undefined: no picture. */
  find(customer: CustomerId, signal: AbortSignal): Promise<{ version: string; ref: string } | undefined>;
}
export interface Feed {
  /**
   * Runs while the channel is active, and is restarted when it ends. Polls until `signal` aborts (it has no deadline).
   * Acknowledge a batch to the messenger only after `save` resolves. Throws DeliveryError; `reconnect` stops the channel.
   */
  run(save: (batch: FeedBatch) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Messages that the messenger must approve before they can be sent. One call to the network a page of the list. */
export interface Templates {
  /** All of them, whatever their status. */
  list(signal: AbortSignal): Promise<Template[]>;
  /** Submits the template for review. Throws a `reject` whose words say what to change. */
  create(draft: TemplateDraft, signal: AbortSignal): Promise<Template>;
  edit(code: string, draft: TemplateDraft, signal: AbortSignal): Promise<Template>;
  /** A missing template counts as deleted. */
  delete(code: string, signal: AbortSignal): Promise<void>;
}

/** Facts for people, each in the language of the page, and what the gateway wants to know of a WhatsApp number. */
export interface LoginFacts {
  facts: { name: InLanguages<string>; value: InLanguages<string> | string; isBad?: true }[];
  whatsapp?: Features["whatsapp"];
}

export interface Listed extends Pick<Receipt, "events" | "notes"> {
  /**
   * Cursor of the next page, valid even hours later; absent at the end. If the messenger no longer knows it, the list
   * begins anew.
   */
  next?: string;
  /** The messenger's list ends here: messages older than this, ms, may be missing. */
  completeFrom?: number;
  /** Do not list again for this long: calls are scarce, and sending needs them. */
  restMs?: number;
}

export interface FeedBatch extends Omit<Receipt, "reply"> {
  /** A problem to show although messages arrive, as `inspect` describes it. */
  trouble?: string;
}

export interface Identity {
  /** `<kind>:<id of the login>`, unique over all kinds. */
  id: string;
  name: string;
  /** HTTPS address at which customers start a chat with it, if the messenger has one. */
  link?: string;
}
export interface Profile {
  name: string;
  avatarUrl?: string;
}

/**
 * The messages that a step produced, in order, at least one. The first part of a message is reported to the gateway.
 */
export interface Sent {
  parts: [SentPart, ...SentPart[]];
  /** What was not sent as planned. */
  losses?: Loss[];
}

/** What a request contained. `reply` is sent only after events and notes are committed, in one transaction. */
export interface Receipt {
  events: ChannelEvent[];
  notes?: Note[];
  /** Short name of what this version did not understand and ignored; logged. */
  unknown?: string;
  /** Parts for other channels: one app may serve many logins behind one address. */
  others?: Forwarded[];
  /** With `others`: the channel's own part, kept in place of the request. Absent: nothing is kept. */
  kept?: RawWebhook;
  /** The messenger has reviewed a template, or somebody changed one there: the list is read again. */
  templatesChanged?: true;
  reply: Response;
}

/**
 * The part of a request that belongs to one login, preferably one part per login. The session of its channel reads and
 * authenticates it like a request at its own door, so its headers carry a proof, such as a signature of this part.
 */
export interface Forwarded {
  /** `Identity.id`. */
  login: string;
  request: RawWebhook;
}

/** Erases the adapter's type of settings, so that the registry can hold adapters of every kind. */
export const defineChannel = <Settings, Server = object>(adapter: ChannelAdapter<Settings, Server>): ChannelAdapter =>
  adapter as unknown as ChannelAdapter;

/** An incoming POST with something new, kept so that it can be replayed. */
export interface RawWebhook {
  /** Path after the messenger's door, with the query; empty for the gateway's webhook. */
  path: string;
  /** Only the headers that a session reads; never those that authenticate the messenger. */
  headers: Record<string, string>;
  body: string;
}
