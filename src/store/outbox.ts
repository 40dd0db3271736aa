import type { Channel } from "../domain/channel.ts";
import type { Ack, Job, NextState } from "../domain/delivery.ts";
import type { AccountId, ChannelId, GatewayMessageId, JobId, MessengerMessageId } from "../domain/ids.ts";
import type { LedgerRow } from "../domain/ledger.ts";
import type { ChannelEvent, OutboundAct, OutboundMessage } from "../domain/message.ts";
import type { Plan, SentPart, Work } from "../domain/plan.ts";
import type { RawWebhook } from "../domain/raw-webhook.ts";
import type { Act } from "./audit.ts";
import type { NewJournalRow, Note } from "./channels.ts";
import type { EndedJob } from "./dead.ts";

/** The truth of what has to be carried where. Each function is one transaction. */
export interface Outbox {
  /** Resolves with the number of events that were new, once everything is on the disk. Throws Overload. */
  acceptInbound(channel: Channel, arrival: Arrival): Promise<number>;
  /** False when its key was accepted before. Throws Overload. */
  acceptOutbound(channel: Channel, acceptance: Acceptance): Promise<boolean>;
  /** Which of these events have never been accepted. */
  unknown(channelId: ChannelId, source: Source, keys: string[]): Promise<string[]>;
  /** Marks due heads of lanes as being sent, and counts the attempt. */
  claim(lease: Lease, most: number, sides?: Omit<Room, "most">): Promise<Job[]>;
  /** False when the lease has passed on: then nothing was recorded. */
  done(job: Job, outcome: Outcome): Promise<boolean>;
  /** Records how far outbound work has come; what went before is certain from here on. False as for `done`. */
  advanced(job: Job, work: Work): Promise<boolean>;
  /** Of a job in doubt: its call begins, so that a crash from here on is another doubt. False as for `done`. */
  begins(job: Job): Promise<boolean>;
  /** Of a suspect: our own code runs on it, or waits for somebody else. A crash counts as fatal only while it runs. False as for `done`. */
  inOwnCode(job: Job, runs: boolean): Promise<boolean>;
  /** Gives a job back until `runAt`, as if it had not been claimed. */
  postponed(job: Job, runAt: number): Promise<boolean>;
  /** Records a failure as its next state; `told` goes out with the last one. */
  failed(job: Job, next: NextState, error: string, told?: Told): Promise<boolean>;
  /** After a crash: hands what was being sent to the new holder of the lease, with the crash counted. */
  takeOver(lease: Lease): Promise<Job[]>;
  /** Ends outbound jobs whose time is over; resolves with how many. `toTold` makes of each what the gateway is told. */
  expire(toTold: (act: OutboundAct, why: Overdue) => Told): Promise<number>;
  /** What the process before this one has called; `recent` counts since then, ms. To be asked before anything is taken over. */
  calledBefore(since: number): Promise<Called[]>;
  /** The wall clock was put back: what waits goes on waiting as long as it had to, and no account rests longer than this, ms. */
  waitAnew(restMs: number): Promise<void>;
  /** Whether another process has written since this was last asked: it may have added work. */
  touched(): Promise<boolean>;
  /** When the account has its next work on this side, but for these kinds of messengers, if it has any and may do it. */
  nextDue(accountId: AccountId, but?: string[]): Promise<NextDue>;
  ended(accountId: AccountId, most: number): Promise<EndedJob[]>;
  /** Appends the work again at the end of its lane. False when the account has no such ended job. */
  sendAgain(accountId: AccountId, id: JobId, patienceMs: number, by?: Act): Promise<boolean>;
  /** A person has seen that a held message arrived. False when the account holds no such job; so for `dropped`. */
  arrived(accountId: AccountId, id: JobId, how: Arrived, by?: Act): Promise<boolean>;
  /** A person has given a held message up. */
  dropped(accountId: AccountId, id: JobId, by?: Act): Promise<boolean>;
}

export type Source = "messenger" | "gateway";

/** What came from a messenger, to be kept in one transaction. */
export interface Arrival {
  events: ChannelEvent[];
  journal?: NewJournalRow[];
  notes?: Note[];
  /** The request, kept sealed when something of it is new. */
  raw?: () => RawWebhook | undefined;
  /** Runs again what was counted when it came: it fills a hole of the ledger before it counts anew. */
  again?: boolean;
}

export interface Acceptance {
  /** Equal exactly when the gateway repeats the same event. */
  key: string;
  act: OutboundAct;
  /** Absent where the steps depend on what is there when it is carried out. */
  plan?: Plan;
  /** How long the gateway waits for the outcome, ms. */
  patienceMs: number;
  /** As of an `Arrival`. */
  raw?: () => RawWebhook | undefined;
  again?: boolean;
}

export interface Lease {
  accountId: AccountId;
  fence: number;
}

/** Where a job's call goes: inbound jobs and acks to the gateway, outbound ones to the messenger. */
export type Side = "gateway" | "messenger";

/** How many jobs may be claimed, at most how many of them on each side, and for each kind of messenger where it is told. */
export type Room = Record<Side | "most", number> & { kinds?: ReadonlyMap<string, number> };

/** When there is work on a side, ms. */
export type NextDue = Partial<Record<Side, number>>;

/** What a process before this one has called. */
export interface Called {
  accountId: AccountId;
  /** Jobs that were claimed or have ended just now. */
  recent: number;
  /** Jobs that were under way when the process ended. */
  sending: number;
  /** Calls toward the gateway that got no answer while the process lived, and when that was last so, ms. */
  unanswered: number;
  unansweredAt: number;
}

/** What is said of work that has ended. */
export interface Told {
  /** To the gateway. */
  ack?: Ack;
  /** To the agent, as a line in the chat. */
  note?: LineForAgent;
}

export type LineForAgent = Extract<ChannelEvent, { type: "note" | "unchanged" }>;

/** What a finished job leaves behind. */
export interface Outcome extends Told {
  gatewayMessageId?: GatewayMessageId;
  /** Parts of a message that was sent, or that an edit has added. */
  parts?: SentPart[];
  /** Parts that are there no more. */
  removed?: MessengerMessageId[];
}

/** Why a message was not sent in its time. */
export interface Overdue {
  /** It was perhaps sent. */
  unsure: boolean;
  /** What its last try met, in words. */
  error?: string;
  /** The trouble that has stopped its channel. */
  stopped?: string;
  /** How far it came, and the key of its job. */
  work?: Work;
  key: string;
}

export interface Arrived {
  /** For the steps that are left. */
  patienceMs: number;
  /** What the agent is told in the chat where no ack can be: it needs the messenger's id. */
  text(channelId: ChannelId, act: OutboundMessage): string;
}

/** A line for each channel, also for removed ones; of one account, or of all. One statement, so one state of the database. */
export type Ledger = (accountId?: AccountId) => Promise<LedgerRow[]>;
