import { errorText } from "./errors.ts";
import type { AccountId, ChannelId, GatewayMessageId, JobId, MessengerMessageId } from "./ids.ts";
import type { ChannelEvent, Hindrance, OutboundAct } from "./message.ts";
import type { Work } from "./plan.ts";

/** The gateway's own codes for a message that could not be delivered (contract: SendingErrorCode). */
export type ErrorCode = "general" | "customer_not_exists" | "reply_timed_out" | "spam_suspicion" | "access_restricted";

export type Verdict =
  /** Surely not delivered. `afterMs` is the other side's own wish: obeyed, and costs no attempt. */
  | { type: "retry"; afterMs?: number }
  /** Surely refused. */
  | { type: "reject"; code: ErrorCode; externalCode?: string }
  /** Perhaps delivered. `asked`: the messenger cannot tell either. `afterMs`: not before, and it costs no attempt. */
  | { type: "unsure"; asked?: true; afterMs?: number }
  /** The credentials died: the lanes that need them rest until a person acts. */
  | { type: "reconnect" };

/** Refusals that say "later", and nothing of the message. */
const LATER = [408, 425, 429];

/** A delivery that did not happen. The message is for people and logs: no tokens, no message text. */
export class DeliveryError extends Error {
  readonly verdict: Verdict;
  /** It was not the side that the job goes to: what it brings could not be fetched. */
  elsewhere = false;
  /** The status of an answer outside the other side's contract that may be meant for this message, if it comes back again and again. */
  stray?: number;
  /** Of a refused change: what stands in its way. */
  hindrance?: Hindrance;
  constructor(verdict: Verdict, message: string) {
    super(message);
    this.name = "DeliveryError";
    this.verdict = verdict;
  }

  /** Of an answer that nobody knows whose it is: not delivered, and no refusal either. */
  static stray(message: string, status: number): DeliveryError {
    const error = new DeliveryError({ type: "retry" }, message);
    if (status < 500 && !LATER.includes(status)) error.stray = status;
    return error;
  }
}

/** Runs what comes before anything is sent: whatever it throws is at worst a retry. */
export async function before<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    throw new DeliveryError({ type: "retry" }, errorText(error));
  }
}

/** No attempt yet: the job goes back for this long, ms, as if it had not been claimed. */
export interface Postponed {
  postponedMs: number;
}

/** First delay and longest delay of the retry schedule, ms (reliability figures: base 1 s, cap 10 min). */
const BASE_MS = 1_000;
const CAP_MS = 600_000;

/**
 * How long an inbound job keeps trying: 72 h, since a message that comes late is worth more than one that is lost, and a
 * whole day's outage is survived. The outbound time is configured (the gateway's patience is unknown).
 */
export const INBOUND_PATIENCE_MS = 72 * 3_600_000;

/** After the gateway refused an account's token, how long what needs it rests, unless a probe finds it good before, ms. */
export const REST_MS = 60_000;

/** A job that was under way in this many crashes is a suspect: our code runs on one suspect at a time, marked on the disk. */
export const SUSPECT_CRASHES = 2;
/** A suspect is parked when the process went down this often in a row while our own code ran on it. */
export const MOST_FATAL_CRASHES = 3;

/** First and longest rest of a suspect, ms: the longest leaves the server to all others half a minute at a time. */
const SUSPECT_REST_MS = 1_000;
const LONGEST_SUSPECT_REST_MS = 30_000;

/** How long a job rests after a crash that it was under way in, ms. `crashes` counts this one. */
export const restAfterCrashMs = (crashes: number): number =>
  crashes < SUSPECT_CRASHES
    ? 0
    : Math.min(LONGEST_SUSPECT_REST_MS, SUSPECT_REST_MS * 2 ** Math.min(crashes - SUSPECT_CRASHES, 10));

/** At the longest delay a third of it is always waited: else a day's outage would cost a message 290 tries, not 225. */
const CAPPED_FLOOR_MS = CAP_MS / 3;

/** Exponential with full jitter. `attempt` counts from 1; `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt - 1, 20));
  const floor = ceiling === CAP_MS ? CAPPED_FLOOR_MS : 0;
  return Math.round(floor + random * (ceiling - floor));
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
  /** Crashes that it was under way in since it was last settled; and how many in a row were in our own code on it. */
  crashes: number;
  fatalCrashes: number;
  /** Of a job in doubt: its call had begun, and it was not only claimed. */
  begun: boolean;
  fence: number;
  /** When the step under way was begun, at the earliest; ms. */
  triedAt: number;
  task: Task;
  /** Of outbound work: its steps, and how far they went. Absent until it has been planned. */
  work?: Work;
  /** Of the channel as it was when the call was made: what is saved while the call lasts does not die with it. */
  epoch?: number;
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
  /** Until when a repeat is harmless, ms: the messenger knows the message again, or is asked for it first. 0: never. */
  repeatableUntil: number;
  policy: "resend" | "hold";
}

/** The one place where a failure becomes a state. */
export function nextState(job: JobHistory, verdict: Verdict, at: Circumstances): NextState {
  const later = (afterMs: number | undefined, unsure: number): NextState => {
    const runAt = at.now + (afterMs ?? retryDelayMs(job.attempts, at.random));
    // A person decides also where the time is over: nobody else can tell whether it arrived.
    const inDoubt = job.direction === "outbound" && unsure > 0;
    if (runAt >= job.deadlineAt)
      return inDoubt && at.policy === "hold" ? { state: "held", unsure } : { state: "dead", code: "general" };
    return { state: "ready", runAt, countAttempt: afterMs === undefined, unsure };
  };
  switch (verdict.type) {
    case "reject":
      return { state: "dead", code: verdict.code, externalCode: verdict.externalCode };
    case "retry":
      return later(verdict.afterMs, job.unsure);
    case "reconnect":
      // Its lanes rest: an outbound job for a person, one toward the gateway until the token is good again.
      if (job.direction !== "outbound" && at.now >= job.deadlineAt) return { state: "dead", code: "general" };
      return { state: "ready", runAt: at.now, countAttempt: false, unsure: job.unsure, stopLanes: true };
    case "unsure":
      return afterDoubt(job, verdict, at, later);
  }
}

function afterDoubt(
  job: JobHistory,
  { asked, afterMs }: Extract<Verdict, { type: "unsure" }>,
  at: Circumstances,
  later: (afterMs: number | undefined, unsure: number) => NextState,
): NextState {
  const unsure = job.unsure + 1;
  const next = later(afterMs, unsure);
  if (job.direction !== "outbound") return next;
  if (!asked && next.state === "ready" && next.runAt < at.repeatableUntil) return next;
  if (at.policy === "hold") return { state: "held", unsure };
  return job.unsure >= 1 ? { state: "dead", code: "general" } : next;
}
