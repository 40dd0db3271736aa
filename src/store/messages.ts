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
  /** Latest due time, ms, of acks owed for the chat's messages accepted before this event; undefined if none. */
  acksDue(channelId: ChannelId, chat: ChatId, before: JobId): Promise<number | undefined>;
  /** Whether a customer's message has yet to reach the gateway. */
  isComing(channelId: ChannelId, id: MessengerMessageId): Promise<boolean>;
  /** Whether agents' messages of a channel are under way, wait, or owe an ack. */
  hasOutbound(channelId: ChannelId): Promise<boolean>;
  /** Whether `id` is unknown and a message to this chat is under way: the id may turn out to be that message's. */
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
  /** Its content has been removed. */
  isEmptied?: true;
  /** False for reactions and the like, which nobody decides on. */
  isMessage: boolean;
  gatewayMessageId?: string;
  messengerMessageId?: string;
  /** Number of messages it became at the messenger. */
  parts: number;
  attempts: number;
  /** Failed attempts, oldest first: the first and the latest. */
  tries: { at: number; error: string }[];
  /** When it ended; for a live message, when it is tried next. */
  endedAt?: number;
  nextAt?: number;
  /** When the messenger reported a late failure; `endedAt` is when it had accepted the message. */
  lateAt?: number;
  /** Until when an agent may answer in the chat, according to the customer's last message. */
  replyUntil?: number;
  code?: string;
  error?: string;
  /** Discarded, but its content is still kept. */
  isRestorable?: true;
  /** Whether the gateway knows the outcome. */
  ack?: {
    state: "due" | "sending" | "given" | "refused";
    error?: string;
    /** When the gateway accepted or refused it. */
    at?: number;
    /** Failed attempts, like the message's. */
    tries: Story["tries"];
  };
  /** Edits, deletions, reactions and the first read mark that came for it. */
  later: { at: number; kind: string; direction: FoundMessage["direction"]; state: MessageState; error?: string }[];
  /** Where reading stopped, if there were more than one pass reads. */
  laterUntil?: number;
  /** Decisions on it. */
  acts: { at: number; actor: Act["actor"]; action: string }[];
}

export interface Search {
  found: FoundMessage[];
  /** Progress: messages read, oldest time reached, ms, and where to continue. Absent when an id matched. */
  reached?: { rows: number; since: number; next?: JobId };
}

export interface Looking {
  /** Number of newest messages to search. */
  rows?: number;
  before?: JobId;
  /** False: match ids and errors only, not texts, customers and chats. Default true. */
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
   * Searches all accounts: first by any id, then by our own number, then like `find` among the newest `rows` messages
   * or those older than `before`.
   */
  findAnywhere(text: string, looking?: Looking): Promise<Search>;
  /** The messages with these ids, newest first. */
  some(ids: number[]): Promise<FoundMessage[]>;
  /** Names of channels and their accounts; deleted channels are omitted. */
  namesOf(ids: ChannelId[]): Promise<ChannelName[]>;
  /** Undefined when the account has no such message. For a part of an album, the album's story. */
  of(accountId: string, id: JobId): Promise<Story | undefined>;
  /** The same for any account: for the vendor. */
  ofAny(id: JobId): Promise<Story | undefined>;
  /** The first message from a customer that the channel accepted since then, ms. Reads all messages since. */
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

/** With `after`, oldest first. */
export interface EndedFilter extends Partial<Pick<DeadFilter, "state" | "code" | "after" | "to">> {
  channelId?: ChannelId;
  /** Only messages older than this one. */
  before?: JobId;
}

/** Number of undelivered messages for each combination of filters. */
export interface EndedCount extends Pick<EndedJob, "state" | "channelId" | "code"> {
  count: number;
}

export interface DeadFilter {
  state: "dead" | "held";
  accountId?: string;
  channelId?: string;
  ids?: number[];
  /** Only messages accepted after this one. */
  after?: number;
  code?: string;
  /** The exact error. */
  error?: string;
  /** Only messages: no reactions, read marks and the like. */
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
  /** Its row is damaged: it can only be dropped. */
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
  /** Outbound only: steps done, and total. */
  steps?: { done: number; all: number };
  /** Includes the message text; absent when unreadable. */
  payload?: unknown;
}

/** Identifies an undelivered message as it was listed; `endedAt` in ms. */
export interface DeadRef {
  id: JobId;
  accountId: AccountId;
  endedAt: number;
  /** Attempts whose outcome is unknown: 0 when it cannot have arrived. */
  unsure: number;
}

/** A message as it was listed. Decisions skip it if it has since been decided on or has ended again. */
export type EndedRef = Pick<DeadRef, "id" | "endedAt">;

/** Undelivered messages of all accounts, for an operator. */
export interface DeadReason {
  error: string;
  code: string;
  count: number;
  /** Number of accounts affected. */
  accounts: number;
  /** The newest message, and when it ended, ms. */
  last: JobId;
  endedAt: number;
}

export interface DeadLetters {
  /** In order of acceptance. */
  list(filter: DeadFilter): Promise<DeadLetter[]>;
  /** The same without contents. */
  refs(filter: DeadFilter): Promise<DeadRef[]>;
  /** Dead messages, or held ones, by reason, as the pages of their accounts count them; the most frequent first, at most `limit`. */
  reasons(limit: number, state?: DeadFilter["state"]): Promise<DeadReason[]>;
  show(id: number): Promise<DeadLetterDetails | undefined>;
  /** The account of a channel, removed ones included; undefined for an unknown id. */
  accountOf(channelId: string): Promise<string | undefined>;
  /**
   * Requeues each at the end of its lane, in the given order; skips unreadable ones. Audited, with `told` in the
   * details. Resolves with the number requeued.
   */
  replay(refs: EndedRef[], patienceMs: number, told?: object): Promise<number>;
  /** Takes each off the list; held ones are given up first. Users can restore it. Audited. */
  discard(refs: EndedRef[], told?: object): Promise<number>;
  /** Deletes each with an audit entry; the ledger counts them as refused. Resolves with the number deleted. */
  drop(refs: EndedRef[]): Promise<number>;
}

/** A part of a request whose channel cannot take it yet. */
export interface NewParked {
  login: string;
  request: RawWebhook;
  /** Authenticated by the channel's session. */
  proven?: boolean;
  /** Absent: no channel has the login, or the part is not proven to be for it. */
  channel?: Channel;
  /** Whose app forwarded it; absent: the vendor's own. */
  from?: AccountId;
}

export interface Parked {
  position: number;
  /** Undefined when it does not open. */
  part?: { request: RawWebhook; proven: boolean };
  /** Came by the vendor's app or the account's own, not by another account's. */
  isOwn: boolean;
}

/** Parts of requests, kept until their channel can take them, within bounds. */
export interface ParkedStore {
  /** Resolves, once the part is on disk, with the number of older ones dropped for it. A repeat replaces the first. */
  park(part: NewParked): Promise<number>;
  /** Whether parts wait that the account's channel may read. */
  waits(login: string, accountId: AccountId): Promise<boolean>;
  /** Logins with parked parts. */
  logins(): Promise<string[]>;
  /** Positions of the parts that the account may read, oldest first. */
  of(login: string, accountId: AccountId): Promise<number[]>;
  read(position: number, accountId: AccountId): Promise<Parked | undefined>;
  remove(position: number): Promise<void>;
  /** A channel now has the login: keeps its unclaimed parts for longer. */
  adopt(login: string, channel: Channel): Promise<void>;
  /** Deletes expired parts; resolves with their number. */
  expire(): Promise<number>;
  figures(): Promise<ParkedFigures>;
}
