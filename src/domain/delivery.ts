import type { AccountId, ChannelId, GatewayMessageId, JobId, MessengerMessageId } from "./ids.ts";
import type { ChannelEvent, OutboundAct } from "./message.ts";
import type { Work } from "./plan.ts";

/** The gateway's own codes for a message that could not be delivered (contract: SendingErrorCode). */
export type ErrorCode = "general" | "customer_not_exists" | "reply_timed_out" | "spam_suspicion" | "access_restricted";

export type Verdict =
  /** Surely not delivered. `afterMs` is the other side's own wish: obeyed, and costs no attempt. */
  | { type: "retry"; afterMs?: number }
  /** Surely refused. */
  | { type: "reject"; code: ErrorCode; externalCode?: string }
  /** Perhaps delivered. */
  | { type: "unsure" }
  /** The credentials died: the lanes that need them rest until a person acts. */
  | { type: "reconnect" };

/** A delivery that did not happen. The message is for people and logs: no tokens, no message text. */
export class DeliveryError extends Error {
  readonly verdict: Verdict;
  /** It was not the side that the job goes to: what it brings could not be fetched. */
  elsewhere = false;
  constructor(verdict: Verdict, message: string) {
    super(message);
    this.name = "DeliveryError";
    this.verdict = verdict;
  }
}

/** First delay and longest delay of the retry schedule, ms (reliability figures: base 1 s, cap 10 min). */
const BASE_MS = 1_000;
const CAP_MS = 600_000;

/** How long an inbound job keeps trying: 24 h. The outbound time is configured (the gateway's patience is unknown). */
export const INBOUND_PATIENCE_MS = 24 * 3_600_000;

/** After the gateway or CRM refused an account's credentials, how long its jobs rest before they ask again, ms. */
export const REST_MS = 60_000;

/** A job that took the process down with it this often is parked. */
export const MOST_CRASHES = 5;

/** Exponential with full jitter. `attempt` counts from 1; `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  return Math.round(random * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt - 1, 20)));
}

export type Direction = "inbound" | "outbound" | "ack";

/** What the gateway is told of an outbound message at the end. */
export interface Ack {
  gatewayMessageId: GatewayMessageId;
  messengerMessageId?: MessengerMessageId;
  error?: { code: ErrorCode; message: string; externalCode?: string };
}

export type Task =
  | { direction: "inbound"; event: ChannelEvent }
  | { direction: "outbound"; act: OutboundAct }
  | { direction: "ack"; ack: Ack };

/** One claimed unit of work. */
export interface Job extends JobHistory {
  id: JobId;
  accountId: AccountId;
  channelId: ChannelId;
  lane: string;
  /** Equal for every try of the same work, also when it is sent again later. */
  key: string;
  crashes: number;
  fence: number;
  task: Task;
  /** Of outbound work: its steps, and how far they went. Absent until it has been planned. */
  work?: Work;
}

/** What a job remembers that decides its next state. */
export interface JobHistory {
  direction: Direction;
  attempts: number;
  /** How often its outcome was unknown. */
  unsure: number;
  deadlineAt: number;
}

export type NextState =
  | { state: "ready"; runAt: number; countAttempt: boolean; unsure: number }
  /** A person decides. */
  | { state: "held"; unsure: number }
  | { state: "dead"; code: ErrorCode; externalCode?: string }
  /** Waits for a person to mend the credentials; then it runs again. */
  | { state: "ready"; runAt: number; countAttempt: false; unsure: number; stopLanes: true };

interface Circumstances {
  now: number;
  random: number;
  /** The messenger or gateway knows the same message again, so that a repeat is harmless. */
  repeatable: boolean;
  policy: "resend" | "hold";
}

/** The one place where a failure becomes a state. */
export function nextState(job: JobHistory, verdict: Verdict, at: Circumstances): NextState {
  const later = (afterMs: number | undefined, unsure: number): NextState => {
    const runAt = at.now + (afterMs ?? retryDelayMs(job.attempts, at.random));
    if (runAt >= job.deadlineAt) return { state: "dead", code: "general" };
    return { state: "ready", runAt, countAttempt: afterMs === undefined, unsure };
  };
  switch (verdict.type) {
    case "reject":
      return { state: "dead", code: verdict.code, externalCode: verdict.externalCode };
    case "retry":
      return later(verdict.afterMs, job.unsure);
    case "reconnect": {
      // An outbound job waits for a person; toward the gateway it asks again later, as long as any other would.
      const runAt = job.direction === "outbound" ? at.now : at.now + REST_MS;
      if (job.direction !== "outbound" && runAt >= job.deadlineAt) return { state: "dead", code: "general" };
      return { state: "ready", runAt, countAttempt: false, unsure: job.unsure, stopLanes: true };
    }
    case "unsure":
      if (at.repeatable || job.direction !== "outbound") return later(undefined, job.unsure + 1);
      if (at.policy === "hold") return { state: "held", unsure: job.unsure + 1 };
      if (job.unsure >= 1) return { state: "dead", code: "general" };
      return later(undefined, job.unsure + 1);
  }
}
