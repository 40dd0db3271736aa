import type { Direction } from "../domain/delivery/delivery.ts";
import type { ChannelId, ChatId, JobId } from "../domain/ids.ts";

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

export interface EndedFilter {
  state?: EndedJob["state"];
  channelId?: ChannelId;
  code?: string;
  /** Older than this one. */
  before?: JobId;
  /** Newer than this one; then the oldest come first. */
  after?: JobId;
}

/** How many undelivered messages there are, by what they can be filtered by. */
export interface EndedCount extends Pick<EndedJob, "state" | "channelId" | "code"> {
  count: number;
}

export interface DeadFilter {
  state: "dead" | "held";
  accountId?: string;
  channelId?: string;
  ids?: number[];
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
  /** Of outbound work: steps done, and total. */
  steps?: { done: number; all: number };
  /** Includes the message text; absent when unreadable. */
  payload?: unknown;
}

/** Undelivered messages of all accounts, for an operator. */
export interface DeadLetters {
  /** In order of acceptance. */
  list(filter: DeadFilter): Promise<DeadLetter[]>;
  show(id: number): Promise<DeadLetterDetails | undefined>;
  /** The account of a channel, removed ones included; undefined for an unknown id. */
  accountOf(channelId: string): Promise<string | undefined>;
  /**
   * Appends each to the end of its lane, in the given order, with an audit entry; skips unreadable ones. Resolves with the
   * number of jobs appended.
   */
  replay(ids: number[], patienceMs: number): Promise<number>;
  /** Deletes each with an audit entry; the ledger counts them as refused. Resolves with the number deleted. */
  drop(ids: number[]): Promise<number>;
}
