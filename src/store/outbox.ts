import type { ChannelId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Plan, SentPart } from "gangway-messenger/plan";
import type { RawWebhook } from "gangway-messenger/port";
import type { Lease, LedgerRow } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import type { Ack, Job, MessageDirection, NextState, Work } from "../domain/delivery.ts";
import type { AccountId, GatewayMessageId, JobId } from "../domain/ids.ts";
import type { EventOf, InboundMessage, OutboundAct, OutboundMessage } from "../domain/message.ts";
import type { Act } from "./care.ts";
import type { NewJournalRow, Note } from "./channels.ts";
import type { EndedCount, EndedFilter, EndedJob } from "./messages.ts";

/** Every message to deliver, and its state. Each function but `claim` and what only reads memory is one transaction. */
export interface Outbox {
  /**
   * Resolves with the number of new events once all is on disk. `slots`: for jobs that may leave at once. A failure
   * ends our message as undelivered, with a new ack, once it is not under way any more. Throws Overload.
   */
  acceptInbound(channel: Channel, arrival: Arrival, slots?: ReadySlots): Promise<number>;
  /** False when its key was accepted before. Throws Overload. */
  acceptOutbound(channel: Channel, acceptance: Acceptance, slots?: ReadySlots): Promise<boolean>;
  /** The keys of events that were never accepted. */
  unknown(channelId: ChannelId, direction: MessageDirection, keys: string[]): Promise<string[]>;
  /** Claims due heads and owed acks: marks them as sending, and counts the attempt. */
  claim(lease: Lease, room: Room): Promise<Job[]>;
  /** `slots`: for the ack that the message owes. False when the lease is stale: nothing was recorded. */
  done(job: Job, outcome: Outcome, slots?: ReadySlots): Promise<boolean>;
  /** Records the progress of outbound work; earlier steps are certain from here on. False as for `done`. */
  advanced(job: Job, work: Work): Promise<boolean>;
  /** For a job in doubt: its call starts, so a crash from here on raises a new doubt. False as for `done`. */
  callStarted(job: Job): Promise<boolean>;
  /** For a suspect: whether our own code runs on it, or it awaits a call. Only a crash in our code counts as fatal. */
  inOwnCode(job: Job, runs: boolean): Promise<boolean>;
  /** Unclaims a job until `runAt`; the attempt does not count. */
  postponed(job: Job, runAt: number): Promise<boolean>;
  /** Records a failure as its next state; `notices` go out when it is held or dead. */
  failed(job: Job, next: NextState, error: string, notices?: Notices): Promise<boolean>;
  /** After a crash: hands jobs in `sending` to the new holder of the lease and counts the crash. */
  takeOver(lease: Lease): Promise<Job[]>;
  /** Ends overdue outbound jobs, some at a time. Resolves with their number. */
  endOverdue(noticesFor: NoticesFor): Promise<number>;
  /** Like `endOverdue`, for all outbound jobs of a channel that is about to be removed, whatever their deadline. */
  endChannel(channelId: ChannelId, noticesFor: NoticesFor): Promise<number>;
  /** Calls made by the previous process; `recent` counts from `since`, ms. Call before `takeOver`. */
  recentCalls(since: number): Promise<RecentCalls[]>;
  /** After the wall clock was set back: jobs keep their remaining wait, and no account rests longer than `restMs`. */
  rebaseTimers(restMs: number): Promise<void>;
  /** Call before the clock is set forward by `by` ms: extends the deadlines of live messages and owed acks as much. */
  extendDeadlines(by: number): Promise<void>;
  /** Takes up work that other processes have added. Returns whether any has written since the last call. */
  refresh(): Promise<boolean>;
  /** Returns jobs no longer running because their message was erased. */
  revoked(jobs: Iterable<Job>): Promise<Job[]>;
  /** The account's next work. No I/O on PostgreSQL. */
  nextDue(accountId: AccountId): NextDue;
  /** Where the account's calls go. */
  hosts(accountId: AccountId): Hosts;
  /** Newest first. */
  ended(accountId: AccountId, limit: number, filter?: EndedFilter): Promise<EndedJob[]>;
  countEnded(accountId: AccountId): Promise<EndedCount[]>;
  /** Appends the work to the end of its lane again. False when the account has no such ended job. */
  sendAgain(accountId: AccountId, id: JobId, patienceMs: number, by?: Act): Promise<boolean>;
  /** A person confirms that a held message arrived. False when the account has no such held job, as for `givenUp`. */
  arrived(accountId: AccountId, id: JobId, how: Arrived, by?: Act): Promise<boolean>;
  /** A person gives up a held message. */
  givenUp(accountId: AccountId, id: JobId, by?: Act): Promise<boolean>;
  /** A person takes a dead letter off the list; its key stays. A batch shares `at`, ms. False if there is none. */
  discarded(accountId: AccountId, id: JobId, at: number, by?: Act): Promise<boolean>;
  /** Restorable messages that were discarded at this time, oldest first. */
  discardedAt(accountId: AccountId, at: number): Promise<JobId[]>;
  /** Puts it back on the list, unchanged. False when the account has no such message, or its content is gone. */
  restored(accountId: AccountId, id: JobId, by?: Act): Promise<boolean>;
}

/** Input from a messenger, stored in one transaction. */
export interface Arrival {
  events: ChannelEvent[];
  journal?: NewJournalRow[];
  notes?: Note[];
  /** The request; stored sealed if any of its events is new. */
  raw?: () => RawWebhook | undefined;
  /** A replay: its events were counted on arrival, so new ones fill the ledger's hole before they count again. */
  again?: boolean;
  /** Listed by the messenger: like a replay, it does not bring back people erased after it was written. */
  listed?: boolean;
  /** Called after the commit if there were failures of unknown messages. */
  unmatched?(failures: number): void;
}

export interface Acceptance {
  /** Equal only for repeats of the same event. */
  key: string;
  act: OutboundAct;
  /** Absent when the steps depend on the state at delivery. */
  plan?: Plan;
  /** How long the gateway waits for the outcome, ms. */
  patienceMs: number;
  /** Store nothing if the chat is no longer known. */
  toKnown?: boolean;
  /** `raw` and `again`: as in `Arrival`. */
  raw?: () => RawWebhook | undefined;
  again?: boolean;
}

/** Slots for new jobs of empty lanes: these are stored as `sending` and leave right after that commit. */
export interface ReadySlots {
  lease: Lease;
  most: number;
  /** Called right after the commit, before anybody is answered. */
  begin(jobs: Job[]): void;
}

/** Which side a job calls: the gateway for inbound jobs and acks, the messenger for outbound ones. */
export type Side = "gateway" | "messenger";

/** What a claim may take. */
export interface Room {
  /** Jobs in all. */
  most: number;
  /** Jobs toward one side, or toward one channel's messenger. */
  free(side: Side, channelId?: ChannelId): number;
  /** Takes a slot for a job that is about to be claimed; false when none is free. */
  take(side: Side, channelId: ChannelId): boolean;
}

/** The hosts that an account's calls go to; the kind of a messenger stands for its host. */
export interface Hosts {
  gateway?: string;
  /** The account's own limit of concurrent calls. */
  calls?: number;
  kindOf: ReadonlyMap<ChannelId, string>;
}

/** A kind of messenger, or the gateway. */
export type Target = string;
export const GATEWAY: Target = "the gateway";

/** Jobs that are perhaps due toward a target. */
export interface DueJobs {
  target: Target;
  jobs: number;
}

export interface NextDue {
  /** As far as is known: a claim may find nothing, or more. */
  due: DueJobs[];
  /** When the next job becomes due, ms; perhaps too early, never too late. */
  later?: number;
}

/** Calls of the previous process, by account. */
export interface RecentCalls {
  accountId: AccountId;
  /** Jobs claimed or ended since the given time. */
  recent: number;
  /** Jobs under way when the process ended. */
  sending: number;
  /** When calls to the gateway started that got no answer, ms. */
  unanswered: number[];
}

/** Notices about work that has ended. */
export interface Notices {
  /** To the gateway. */
  ack?: Ack;
  /** To the agent, as a message in the chat. */
  note?: AgentNote | InboundMessage;
}

export type AgentNote = EventOf<"note" | "unchanged">;

/** What a finished job leaves behind. */
export interface Outcome extends Notices {
  gatewayMessageId?: GatewayMessageId;
  /** Parts that were sent, or added by an edit. */
  parts?: SentPart[];
  removed?: MessengerMessageId[];
}

/** The notices about a message that has ended unsent. */
export type NoticesFor = (act: OutboundAct, why: Overdue) => Notices;

/** Why a message was not sent in time. */
export interface Overdue {
  /** It may have been sent. */
  unsure: boolean;
  /** Error text of the last attempt. */
  error?: string;
  /** The trouble that has stopped its channel. */
  stopped?: string;
  work?: Work;
  key: string;
}

export interface Arrived {
  /** For the remaining steps. */
  patienceMs: number;
  /** Text of the agent's note; sent when an ack is impossible because the messenger's id is unknown. */
  text(channelId: ChannelId, act: OutboundMessage): string;
}

/** One row per channel, removed ones included; of one account or of all. A single statement, hence one snapshot. */
export type Ledger = (accountId?: AccountId) => Promise<LedgerRow[]>;
