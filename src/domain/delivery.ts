import { type Clock, pause } from "gangway-messenger/clock";
import { DeliveryError, type ErrorCode, type Hindrance, notSent, type Verdict } from "gangway-messenger/errors";
import type { Uploader } from "gangway-messenger/hosted";
import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Loss, Plan, SentPart } from "gangway-messenger/plan";
import { reachesPowerOfTen } from "./counts.ts";
import type { AccountId, GatewayMessageId, JobId } from "./ids.ts";
import type { OutboundAct, RelayedEvent } from "./message.ts";

export interface RefusedStep {
  step: number;
  /** The messenger's own message. */
  said: string;
  hindrance?: Hindrance;
}

export interface Work {
  plan: Plan;
  /** Progress, stored with the plan, so that a crash repeats at most one step. */
  progress: {
    /** Number of finished steps. */
    done: number;
    /** The parts that the messenger created. */
    parts: SentPart[];
    losses: Loss[];
    /** Of a change: the steps the messenger refused. */
    refused?: RefusedStep[];
  };
}

export const newWork = (plan: Plan): Work => ({ plan, progress: { done: 0, parts: [], losses: plan.losses } });

/** Dead credentials of a messenger must not rest the account's lanes toward the gateway. */
export function blameMessenger(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const blamed = error.verdict.type === "reconnect" ? new DeliveryError({ type: "retry" }, error.message) : error;
  blamed.fromOtherSide = true;
  throw blamed;
}

/** Asks an adapter or session, which may be missing or have unfit settings; blames the messenger. */
export function blamingMessenger<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    return blameMessenger(notSent(error));
  }
}

/** Time to the next try after the database refused a write, ms. */
export const STORE_REST_MS = 1_000;

/**
 * Repeats `record` while the store fails: a full disk must not make a sent message look unsent. Rejects after a stop.
 * `failed` is called for the 1st, 10th, 100th … failure, since a row may be locked for hours.
 */
export async function untilRecorded<T>(
  clock: Clock,
  stop: AbortSignal,
  record: () => Promise<T>,
  failed?: (error: unknown) => void,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await record();
    } catch (error) {
      if (reachesPowerOfTen(failures)) failed?.(error);
      if (stop.aborted) throw error;
      await pause(clock, STORE_REST_MS, stop);
    }
  }
}

/** No attempt was made: the job returns to the outbox for this long, ms. */
export interface Postponed {
  postponedMs: number;
}

/** First and longest delay of the retry schedule, ms (reliability figures: base 1 s, cap 10 min). */
const BASE_MS = 1_000;

const CAP_MS = 600_000;

/**
 * How long an inbound job keeps trying, ms: 72 h, which survives an outage of a whole day; late is better than lost.
 * The outbound time is a setting, since the gateway's patience is unknown.
 */
export const INBOUND_PATIENCE_MS = 72 * 3_600_000;

/** How long a customer's file is tried for after its message went without it, ms. */
export const LATE_FILE_MS = 24 * 3_600_000;

/** How long work toward the gateway rests after it refused the token, unless a probe passes earlier, ms. */
export const REST_MS = 60_000;

/** A job under way in this many crashes is a suspect: our code runs on one suspect at a time, recorded on disk. */
export const SUSPECT_CRASHES = 2;

/** A suspect becomes a dead letter after this many crashes in a row while our own code ran on it. */
export const MAX_FATAL_CRASHES = 3;

/** First and longest rest of a suspect, ms: the longest gives all other jobs half a minute of uptime at a time. */
const SUSPECT_REST_MS = 1_000;

const MAX_SUSPECT_REST_MS = 30_000;

/** How long a job rests after a crash it was under way in, ms. `crashes` includes this crash. */
export const restAfterCrashMs = (crashes: number): number =>
  crashes < SUSPECT_CRASHES
    ? 0
    : Math.min(MAX_SUSPECT_REST_MS, SUSPECT_REST_MS * 2 ** Math.min(crashes - SUSPECT_CRASHES, 10));

/** Minimum wait at the cap, ms: without it, an outage of a day would cost 290 attempts instead of 225. */
const CAPPED_FLOOR_MS = CAP_MS / 3;

/** Exponential with full jitter. `attempt` counts from 1; `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt - 1, 20));
  const floor = ceiling === CAP_MS ? CAPPED_FLOOR_MS : 0;
  return Math.round(floor + random * (ceiling - floor));
}

export type MessageDirection = "inbound" | "outbound";
export type Direction = MessageDirection | "ack";

/** The final result of an outbound message, for the gateway. */
export interface Ack {
  gatewayMessageId: GatewayMessageId;
  messengerMessageId?: MessengerMessageId;
  error?: { code: ErrorCode; message: string; externalCode?: string };
}

/** The ack for an act; the gateway expects one for messages only. */
export function ackOf(act: OutboundAct, result: Omit<Ack, "gatewayMessageId">): Ack | undefined {
  return act.type === "message" ? { gatewayMessageId: act.gatewayMessageId, ...result } : undefined;
}

export type Task =
  | { direction: "inbound"; event: RelayedEvent }
  | { direction: "outbound"; act: OutboundAct }
  | { direction: "ack"; ack: Ack };

/** One claimed unit of work. */
export interface Job {
  id: JobId;
  accountId: AccountId;
  channelId: ChannelId;
  direction: Direction;
  /** Idempotency key, the same for every attempt, until the messenger gives the work up. */
  key: string;
  attempts: number;
  /** How often its outcome was unknown. */
  unsure: number;
  deadlineAt: number;
  /** Crashes while it was under way since it last settled; and crashes in a row while our own code ran on it. */
  crashes: number;
  fatalCrashes: number;
  /** For a job in doubt: its call had started; it was not merely claimed. */
  begun: boolean;
  fence: number;
  /** When its message was stored, ms. */
  acceptedAt: number;
  /** Earliest time at which the current step may have started, ms. */
  triedAt: number;
  task: Task;
  /** Outbound only: the steps and their progress. Absent until planned. */
  work?: Work;
  /** Set if the next step was perhaps carried out: the earliest time of that, ms. */
  doubtAt?: number;
  /** Number of outcomes reported or owed to the gateway; for an ack, the one it reports. */
  ackVersion?: number;
  /** The channel's epoch when the call was made: an expired login must not stop a channel that was saved meanwhile. */
  epoch?: number;
  /** The channel's kind, once looked up. */
  kind?: string;
}

/** Code of a message whose time ended in a stopped channel. The gateway is told `access_restricted`. */
export const WAS_STOPPED = "was_stopped";

export type NextState =
  /** `stopLanes`: it runs again once a person has fixed the credentials. */
  | { state: "ready"; runAt: number; countAttempt: boolean; unsure: number; stopLanes?: true }
  /** A person decides. */
  | { state: "held"; unsure: number }
  /** `unsure`: absent when it is as before. */
  | { state: "dead"; code: ErrorCode; externalCode?: string; unsure?: number };

interface Context {
  now: number;
  random: number;
  /** Until when a repeat is harmless, ms: the messenger detects it, or is asked first. 0: never. */
  repeatableUntil: number;
  policy: "resend" | "hold";
}

/** The only function that turns a failure into a state. */
export function nextState(job: Job, verdict: Verdict, at: Context): NextState {
  const later = (afterMs: number | undefined, unsure: number): NextState => {
    const runAt = at.now + (afterMs ?? retryDelayMs(job.attempts, at.random));
    // A person also decides after the deadline: nobody else can find out whether it arrived.
    const inDoubt = job.direction === "outbound" && unsure > 0;
    if (runAt >= job.deadlineAt)
      return { unsure, ...(inDoubt && at.policy === "hold" ? { state: "held" } : { state: "dead", code: "general" }) };
    return { state: "ready", runAt, countAttempt: afterMs === undefined, unsure };
  };
  switch (verdict.type) {
    case "reject":
      return { state: "dead", code: verdict.code, externalCode: verdict.externalCode };
    case "retry":
      return later(verdict.afterMs, job.unsure);
    case "reconnect":
      // The lanes rest: outbound until a person acts, toward the gateway until the token is good again.
      if (job.direction !== "outbound" && at.now >= job.deadlineAt) return { state: "dead", code: "general" };
      return { state: "ready", runAt: at.now, countAttempt: false, unsure: job.unsure, stopLanes: true };
    case "unsure": {
      const unsure = job.unsure + 1;
      const next = later(verdict.afterMs, unsure);
      if (job.direction !== "outbound") return next;
      if (!verdict.asked && next.state === "ready" && next.runAt < at.repeatableUntil) return next;
      if (at.policy === "hold") return { state: "held", unsure };
      return job.unsure >= 1 ? { state: "dead", code: "general", unsure } : next;
    }
  }
}

/** Parts of requests that no channel could take yet. */
export interface ParkedFigures {
  parts: number;
  bytes: number;
  /** Of them, those whose login no channel has. */
  strangers: number;
  /** Dropped since the start, by reason. */
  dropped: Record<ParkedLoss, number>;
}

/** `full`: the room was used up; `expired`: it waited too long. */
export type ParkedLoss = "full" | "expired";

/** How much may wait before senders are told to retry later. */
export interface Bounds {
  /** Live jobs: of one account, of one chat toward its messenger, and in total. */
  perAccount: number;
  perLane: number;
  all: number;
  /** Bytes to keep free on the data folder's file system. */
  diskFloor: number;
  /** Bytes of files stored for one channel, by uploader: on one day (UTC), and in total. */
  files: Record<Uploader, { day: number; all: number }>;
}

const GIB = 1024 ** 3;

export const DEFAULT_BOUNDS: Bounds = {
  perAccount: 10_000,
  perLane: 1_000,
  all: 200_000,
  diskFloor: 256 * 1024 ** 2,
  // A busy shop's customers send a few hundred pictures a day. Their limit leaves room for agents' files.
  files: {
    customer: { day: GIB, all: 15 * GIB },
    agent: { day: Number.POSITIVE_INFINITY, all: 20 * GIB },
  },
};

/** For operators' commands, which people run next to the server. */
export const UNLIMITED: Bounds = {
  perAccount: Number.POSITIVE_INFINITY,
  perLane: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
  diskFloor: 0,
  files: {
    customer: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
    agent: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
  },
};

export type Bound = "account" | "channel" | "lane" | "process" | "disk" | "files" | "bucket" | "loss";

/** The text of each, and when to retry, s. */
const WORDS: Record<Bound, { words: string; retryAfter: number }> = {
  lane: { words: "Too many messages of this chat are waiting", retryAfter: 5 },
  channel: { words: "Too many messages of this channel are waiting", retryAfter: 10 },
  account: { words: "Too many messages of this account are waiting", retryAfter: 10 },
  process: { words: "The server has too much to do", retryAfter: 15 },
  files: { words: "This chat takes no more files for now", retryAfter: 3_600 },
  bucket: { words: "Files can be neither stored nor read now", retryAfter: 30 },
  disk: { words: "The server's disk is nearly full", retryAfter: 30 },
  loss: { words: "The server waits for its operator", retryAfter: 30 },
};

/** Nothing was stored: the sender must send it again. */
export class Overload extends Error {
  readonly bound: Bound;
  /** Seconds. */
  readonly retryAfter: number;
  /** Refusals so far, this one included: of the account; of the channel for `channel` and `files`; of all for the others. */
  readonly count: number;
  constructor(bound: Bound, count: number) {
    const { words, retryAfter } = WORDS[bound];
    super(`${words}; send it again later`);
    this.name = "Overload";
    this.bound = bound;
    this.retryAfter = retryAfter;
    this.count = count;
  }
}

/** Throws Overload, which counts refusals: of the account; of the channel for `channel` and `files`; of all else for the bound. */
type Refuse = (bound: Bound, of?: { accountId?: string; channelId?: string }) => never;

export function refusing(): Refuse {
  const refused = new Map<string, number>();
  return (bound, { accountId, channelId } = {}) => {
    const name = nameOf(bound, accountId, channelId);
    const count = (refused.get(name) ?? 0) + 1;
    refused.set(name, count);
    throw new Overload(bound, count);
  };
}

function nameOf(bound: Bound, accountId = "", channelId = ""): string {
  switch (bound) {
    case "account":
    case "lane":
      return accountId;
    case "channel":
      return channelId;
    case "files":
      return `files of ${channelId}`;
    default:
      return bound;
  }
}

// Each late file has a lane of its own, and so has what a chat imports: neither waits for its chat nor delays it.

const MARK = "\n";
/** No id begins so. */
const PAST = " past";

interface Laned {
  type: string;
  chat: ChatId;
  messengerMessageId?: MessengerMessageId;
  late?: object;
  past?: true;
}

export function laneOf({ type, chat, messengerMessageId, late, past }: Laned): ChatId {
  if (type !== "message") return chat;
  if (late) return `${chat}${MARK}${messengerMessageId}` as ChatId;
  return past ? pastLaneOf(chat) : chat;
}

/** Names by which an event counts as erased. Imported history stays erased even if the customer writes again. */
export const namesIn = (event: ChannelEvent): string[] =>
  event.type === "message" ? [...new Set([event.chat, event.customer.id, laneOf(event)])] : [event.chat];

/** The lane of imported history, given a chat or one of its lanes. */
export const pastLaneOf = (chat: string): ChatId => `${chatOfLane(chat)}${MARK}${PAST}` as ChatId;

/** The chat that a lane belongs to. */
export const chatOfLane = (lane: string): ChatId => (lane.split(MARK)[0] ?? lane) as ChatId;

/** SQL pattern of side lanes: late files and imported history. */
export const SIDE_LANE = `%${MARK}%`;

/** Key range of a chat's side lanes. */
export const sideLanesOf = (chat: string) => ({ from: `${chat}${MARK}`, to: `${chat}\v` });
