import type { ChannelId, ChatId, JobId } from "../domain/ids.ts";
import type { Act } from "./audit.ts";

/** Where a message stands. `waiting`: for a stopped channel. `dropped`: taken off the list of undelivered ones. */
export type Standing = "ready" | "sending" | "waiting" | "done" | "held" | "dead" | "dropped";

export interface FoundMessage {
  id: JobId;
  channelId: ChannelId;
  chat?: ChatId;
  /** The customer's name, while a message of theirs is kept. */
  customer?: string;
  direction: "inbound" | "outbound";
  state: Standing;
  /** How its text begins. */
  words?: string;
  /** When it was accepted, ms. */
  at: number;
}

/** What happened to a message, without its text; times in ms. */
export interface Story extends FoundMessage {
  gatewayMessageId?: string;
  messengerMessageId?: string;
  /** Messages that it became at the messenger. */
  parts: number;
  attempts: number;
  /** Failed attempts, oldest first: the first and the latest. */
  tries: { at: number; error: string }[];
  /** When it ended; of one that is live: when it is tried next. */
  endedAt?: number;
  nextAt?: number;
  /** When the messenger said that it could not deliver what it had accepted; `endedAt` is when it accepted it. */
  lateAt?: number;
  /** Until when an agent may answer in the chat, as the customer's last message says. */
  replyUntil?: number;
  code?: string;
  error?: string;
  /** Whether the gateway knows the outcome. */
  ack?: {
    state: "due" | "sending" | "given" | "refused";
    error?: string;
    /** When it was given or refused. */
    at?: number;
    /** Failed attempts, as of the message. */
    tries: Story["tries"];
  };
  /** Edits, deletions, reactions and the first read mark that came for it. */
  later: { at: number; kind: string; direction: FoundMessage["direction"]; state: Standing }[];
  /** Decisions on it. */
  acts: { at: number; actor: Act["actor"]; action: string }[];
}

type ChannelOf = Record<"accountId" | "id", string>;

/** What became of one message, for its account's users. */
export interface Stories {
  /** Messages whose words, customer, ids or error contain the text; newest first. `shown`: how the reader sees an error. */
  find(accountId: string, text: string, shown?: (error: string) => string): Promise<FoundMessage[]>;
  /** Undefined when the account has no such message. Of a part of an album: the album's. */
  of(accountId: string, id: JobId): Promise<Story | undefined>;
  /** The first message of a customer that a channel accepted since then, ms. Reads all messages since. */
  firstSince(channel: ChannelOf, since: number): Promise<JobId | undefined>;
  /** The customer's last message in a chat. */
  lastIn(channel: ChannelOf, chat: ChatId): Promise<JobId | undefined>;
  /** The first message of an agent after this one, in its chat. */
  answerTo(accountId: string, id: JobId): Promise<JobId | undefined>;
}
