import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { SentPart } from "gangway-messenger/plan";
import type { RawWebhook } from "gangway-messenger/port";
import type { Channel } from "../domain/channel.ts";
import type { Direction, MessageDirection, ParkedFigures } from "../domain/delivery.ts";
import type { AccountId, GatewayMessageId, JobId } from "../domain/ids.ts";
import type { Act } from "./care.ts";

/** Maps message ids between gateway and messenger. */
export interface MessageStore {
  /** The gateway's id of a messenger message, once known. */
  gatewayId(channelId: ChannelId, id: MessengerMessageId): Promise<GatewayMessageId | undefined>;
  /** Whether a message of the channel, or a part of one, has this id. */
  has(channelId: ChannelId, id: MessengerMessageId): Promise<boolean>;
  /** All parts, in order, of the message that `id` is a part of. */
  parts(channelId: ChannelId, id: MessengerMessageId): Promise<SentPart[]>;
  /** The id under which the gateway knows the message that `id` is a part of. */
  root(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** When the ack for this agent's message is due at the gateway, ms; undefined when none is owed. */
  ackDue(channelId: ChannelId, id: MessengerMessageId): Promise<number | undefined>;
  /** Like `ackDue`, for all agents' messages of a chat accepted before this event: when the last ack is due, ms. */
  acksDue(channelId: ChannelId, chat: ChatId, before: JobId): Promise<number | undefined>;
  /** Whether a customer's message has yet to reach the gateway. */
  isComing(channelId: ChannelId, id: MessengerMessageId): Promise<boolean>;
  /** Whether agents' messages of a channel are under way, wait, or owe an ack. */
  hasOutbound(channelId: ChannelId): Promise<boolean>;
  /** Whether `id` is unknown while a message to this chat may have been sent, so that `id` may be that message's. */
  mayBeUnderWay(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Promise<boolean>;
  /** The current messenger id of the message that the gateway knows as `id`; it changes when the message is resent. */
  current(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** Whether an edit under way replaces this message with a new one. */
  isBeingReplaced(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Promise<boolean>;
  /** Whether the chat has any message; by the gateway's chat id. */
  knowsChat(channelId: ChannelId, gatewayChat: ChatId): Promise<boolean>;
  /** Times of the parts sent to a chat after `since`, ms. */
  sentSince(channelId: ChannelId, chat: ChatId, since: number): Promise<number[]>;
}

export interface KeptWebhook {
  channelId: ChannelId;
  source: "messenger" | "gateway";
  receivedAt: number;
  raw: RawWebhook;
}

interface KeptWebhooks {
  /** In order of storage. */
  webhooks: KeptWebhook[];
  /** Rows that do not open: their accounts and number of webhooks are unknown. `at` is the time of the first, ms. */
  unreadable: { row: number; at: number }[];
  /** `after` of the next page; absent at the end. */
  next?: number;
}

/** Raw webhooks, kept for some days. The outbox writes them together with their events. */
export interface RawWebhookStore {
  /** Reads the next `rows` rows and returns webhooks with `from` <= time < `to`, ms; `after` is the previous `next`. */
  list(accountId: AccountId, window: { from: number; to: number; after?: number }, rows: number): Promise<KeptWebhooks>;
}

/** Where a message stands. `waiting`: for a stopped channel. `dropped`: taken off the list of undelivered ones. */
export type MessageState = "ready" | "sending" | "waiting" | "done" | "held" | "dead" | "dropped";

export interface FoundMessage {
  id: JobId;
  accountId: AccountId;
  channelId: ChannelId;
  chat?: ChatId;
  /** The customer's name, while a message of theirs is kept. */
  customer?: string;
  direction: MessageDirection;
  state: MessageState;
  /** How its text begins. */
  words?: string;
  /** When it was accepted, ms. */
  at: number;
}

/** What happened to a message; times in ms. */
export interface Story extends FoundMessage {
  /** Its whole text, while that is kept. */
  words?: string;
  /** Its content is no longer kept. */
  isEmptied?: true;
  /** False for reactions and the like, on which nobody decides. */
  isMessage: boolean;
  gatewayMessageId?: string;
  messengerMessageId?: string;
  /** Number of messages that the messenger made of it. */
  parts: number;
  attempts: number;
  /** Failed attempts, oldest first: the first one and the latest ones. */
  tries: { at: number; error: string }[];
  /** When it ended, or, of a live message, when it is tried next. */
  endedAt?: number;
  nextAt?: number;
  /** When the messenger said that it could not deliver what it had accepted; `endedAt` is when it accepted it. */
  lateAt?: number;
  /** Until when an agent may answer in the chat, as the customer's last message says. */
  replyUntil?: number;
  code?: string;
  error?: string;
  /** It was discarded, and its content is still kept. */
  isRestorable?: true;
  /** Whether the gateway knows the outcome. */
  ack?: {
    state: "due" | "sending" | "given" | "refused";
    error?: string;
    /** When it was given or refused. */
    at?: number;
    /** Failed attempts to give the ack. */
    tries: Story["tries"];
  };
  /** Edits, deletions, reactions and the first read mark that came for it. */
  later: { at: number; kind: string; direction: FoundMessage["direction"]; state: MessageState; error?: string }[];
  /** Set when `later` is cut off: time of the last entry in it, ms. */
  laterUntil?: number;
  /** People's decisions on the message. */
  acts: { at: number; actor: Act["actor"]; action: string }[];
}

export interface Search {
  found: FoundMessage[];
  /** Messages searched, time of the oldest, ms, and `before` for the next page; absent where an id was found. */
  reached?: { rows: number; since: number; next?: JobId };
}

export interface Looking {
  /** Maximum number of messages to search. */
  rows?: number;
  before?: JobId;
  /** False: searches only ids of messages and errors, not words, customers and chats. Default: true. */
  withContents?: boolean;
}

export interface ChannelName {
  channelId: ChannelId;
  name: string;
  crmUrl: string;
}

type ChannelOf = Record<"accountId" | "id", string>;

/** What became of one message, for its account's users. */
export interface Stories {
  /** Messages whose words, customer, ids or error contain the text; newest first. `shown`: how the reader sees an error. */
  find(accountId: string, text: string, shown?: (error: string) => string): Promise<FoundMessage[]>;
  /**
   * Searches all accounts: the messages with this id, of whatever kind. Else the message with this number, then as
   * `find`, among the newest `rows` messages, or those older than `before`.
   */
  findAnywhere(text: string, looking?: Looking): Promise<Search>;
  /** The messages with these ids, newest first. */
  some(ids: number[]): Promise<FoundMessage[]>;
  /** Names of channels, and of their accounts; channels that are gone are left out. */
  namesOf(ids: ChannelId[]): Promise<ChannelName[]>;
  /** For a part of an album, the album's story. Undefined when the account has no such message. */
  of(accountId: string, id: JobId): Promise<Story | undefined>;
  /** Like `of`, for a message of any account: for the vendor. */
  ofAny(id: JobId): Promise<Story | undefined>;
  /** The first message from a customer that a channel accepted since this time, ms. Reads all messages since. */
  firstSince(channel: ChannelOf, since: number): Promise<JobId | undefined>;
  /** The customer's last message in a chat. */
  lastIn(channel: ChannelOf, chat: ChatId): Promise<JobId | undefined>;
  /** The first message of an agent after this one, in its chat. */
  answerTo(accountId: string, id: JobId): Promise<JobId | undefined>;
}

/** An undelivered message, for its account's users. */
export interface EndedJob {
  id: JobId;
  channelId: ChannelId;
  direction: Direction;
  state: "dead" | "held";
  code: string;
  error: string;
  at: number;
  chat?: ChatId;
  /** The customer's name in their newest message that is still kept. */
  customer?: string;
  /** How its text begins. */
  words?: string;
}

/** With `after` the oldest come first. */
export interface EndedFilter extends Partial<Pick<DeadFilter, "state" | "code" | "after" | "to">> {
  channelId?: ChannelId;
  /** Only messages older than this one. */
  before?: JobId;
}

/** Number of undelivered messages by state, channel and code. */
export interface EndedCount extends Pick<EndedJob, "state" | "channelId" | "code"> {
  count: number;
}

export interface DeadFilter {
  state: "dead" | "held";
  accountId?: string;
  channelId?: string;
  ids?: number[];
  /** Accepted after this one. */
  after?: number;
  code?: string;
  /** The exact error text. */
  error?: string;
  /** Without reactions, read marks and the like. */
  messages?: true;
  /** When it ended, inclusive, like `to`; ms. */
  from?: number;
  to?: number;
  limit: number;
}

/** An undelivered message, without its text. */
export interface DeadLetter {
  id: number;
  accountId: string;
  channelId: string;
  channel: string;
  direction: Direction;
  state: "dead" | "held";
  /** The row is damaged: the message can only be dropped. */
  unreadable: boolean;
  /** For example `message, image, 3 files`, or `unreadable`. */
  what: string;
  chat: string;
  attempts: number;
  code: string;
  error: string;
  createdAt: number;
  endedAt: number;
}

export interface DeadLetterDetails extends DeadLetter {
  /** Idempotency key; stays the same when it is sent again. */
  key: string;
  unsure: number;
  crashes: number;
  deadlineAt: number;
  /** Of outbound work: steps done, and total. */
  steps?: { done: number; all: number };
  /** Includes the message text; absent when unreadable. */
  payload?: unknown;
}

/** Which message, whose, and when it ended, ms. */
export interface DeadRef {
  id: JobId;
  accountId: AccountId;
  endedAt: number;
  /** Attempts whose outcome is unknown; 0 when the message cannot have arrived. */
  unsure: number;
}

/** A message as the list showed it: nothing is done if it was decided on, or ended again, since. */
export type EndedRef = Pick<DeadRef, "id" | "endedAt">;

/** One reason why messages were not delivered, for an operator. */
export interface DeadReason {
  error: string;
  code: string;
  count: number;
  /** How many accounts have one. */
  accounts: number;
  /** The newest of them, and when it ended, ms. */
  last: JobId;
  endedAt: number;
}

export interface DeadLetters {
  /** In order of acceptance. */
  list(filter: DeadFilter): Promise<DeadLetter[]>;
  /** Like `list`, without reading the content. */
  refs(filter: DeadFilter): Promise<DeadRef[]>;
  /** Dead, or held, messages by reason, counted as their accounts' pages do; most frequent first, at most `limit`. */
  reasons(limit: number, state?: DeadFilter["state"]): Promise<DeadReason[]>;
  show(id: number): Promise<DeadLetterDetails | undefined>;
  /** The account of a channel, removed ones included; undefined for an unknown id. */
  accountOf(channelId: string): Promise<string | undefined>;
  /**
   * Appends each readable message to the end of its lane, in the given order. Resolves with the number appended. The
   * audit entries include `told`.
   */
  replay(refs: EndedRef[], patienceMs: number, told?: object): Promise<number>;
  /** Takes each off the lists, with an audit entry; restorable, like a user's discard. Held ones are given up first. */
  discard(refs: EndedRef[], told?: object): Promise<number>;
  /** Deletes each with an audit entry; the ledger counts them as refused. Resolves with the number deleted. */
  drop(refs: EndedRef[]): Promise<number>;
}

/** A part of a request whose channel cannot take it yet. */
export interface NewParked {
  login: string;
  request: RawWebhook;
  /** The channel's session has authenticated it. */
  proven?: boolean;
  /** Absent: no channel has the login, or none that the part is proven to be for. */
  channel?: Channel;
  /** The account whose app forwarded the part; absent: the vendor's own app. */
  from?: AccountId;
}

export interface Parked {
  position: number;
  /** Undefined when the sealed part does not open. */
  part?: { request: RawWebhook; proven: boolean };
  /** Not forwarded by another account's app. */
  isOwn: boolean;
}

/** Parts of requests, kept until their channel can take them, within bounds. */
export interface ParkedStore {
  /** Resolves once on disk, with the number of older parts dropped to make room. A repeat replaces the first. */
  park(part: NewParked): Promise<number>;
  /** Whether parts are parked that a channel of the account may read. */
  waits(login: string, accountId: AccountId): Promise<boolean>;
  /** Logins with parts. */
  logins(): Promise<string[]>;
  /** Positions of the parts that the account may read, oldest first. */
  of(login: string, accountId: AccountId): Promise<number[]>;
  read(position: number, accountId: AccountId): Promise<Parked | undefined>;
  remove(position: number): Promise<void>;
  /** Keeps strangers' parts for longer, since a channel has the login now. */
  adopt(login: string, channel: Channel): Promise<void>;
  /** Deletes parts that have waited too long; resolves with their number. */
  expire(): Promise<number>;
  figures(): Promise<ParkedFigures>;
}
