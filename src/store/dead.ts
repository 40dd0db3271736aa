import type { Direction } from "../domain/delivery.ts";
import type { ChannelId, JobId } from "../domain/ids.ts";

export interface EndedJob {
  id: JobId;
  channelId: ChannelId;
  direction: Direction;
  state: "dead" | "held";
  code: string;
  error: string;
  at: number;
}

export interface DeadFilter {
  state: "dead" | "held";
  accountId?: string;
  channelId?: string;
  ids?: number[];
  /** When it ended; both ends are in it, ms. */
  from?: number;
  to?: number;
  most: number;
}

/** A message that was not delivered, without its words. */
export interface DeadLetter {
  id: number;
  accountId: string;
  channelId: string;
  channel: string;
  direction: Direction;
  state: "dead" | "held";
  /** Its row is damaged: neither what it is nor its chat is known, and it can only be dropped. */
  unreadable: boolean;
  /** What it is, for example `message, image, 3 files`; `unreadable` where nobody knows. */
  what: string;
  chat: string;
  attempts: number;
  code: string;
  error: string;
  createdAt: number;
  endedAt: number;
}

export interface DeadLetterWhole extends DeadLetter {
  /** The idempotency key that it keeps when it is sent again. */
  key: string;
  unsure: number;
  crashes: number;
  deadlineAt: number;
  /** Of outbound work: steps that are done, and all. */
  steps?: { done: number; all: number };
  /** With the words of the message; absent where they cannot be read. */
  payload?: unknown;
}

/** Messages that were not delivered: for an operator, over all accounts. */
export interface DeadLetters {
  /** In the order in which they were accepted. */
  list(filter: DeadFilter): Promise<DeadLetter[]>;
  show(id: number): Promise<DeadLetterWhole | undefined>;
  /** The account of a channel, also of one that was removed; undefined when there never was one. */
  accountOf(channelId: string): Promise<string | undefined>;
  /**
   * Appends these at the end of their lanes, in the order given, with a line in the audit each; resolves with how many.
   * One that cannot be read stays as it is.
   */
  replay(ids: number[], patienceMs: number): Promise<number>;
  /** Deletes these, with a line in the audit each; they stay counted as refused. */
  drop(ids: number[]): Promise<number>;
}
