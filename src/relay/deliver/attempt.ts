import type { ChannelAdapter } from "../../channels/port.ts";
import {
  DeliveryError,
  type Job,
  nextState,
  type Postponed,
  SUSPECT_CRASHES,
  type Verdict,
} from "../../domain/delivery/delivery.ts";
import { errorText } from "../../domain/errors.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Hindrance } from "../../domain/message/message.ts";
import { type Clock, type Deadline, deadline } from "../../domain/time/clock.ts";
import type { Log } from "../../log.ts";
import { GATEWAY, type Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { Hold } from "../scheduler/slots.ts";
import { repeatableUntil } from "./doubt.ts";
import type { Perform } from "./jobs.ts";
import { createQuarantine, type Excuse } from "./quarantine.ts";
import { untilRecorded } from "./recording.ts";
import { failureReport, LATE, unknownOutcome } from "./reports.ts";

export interface AttemptParts extends FailureParts {
  perform: Perform;
  hold: Hold;
  log: Log;
}

/** Deadline of one attempt, uploads included, ms. */
export const ATTEMPT_MS = 150_000;

export interface Attempts {
  /** Performs a claimed job once and records the result. Never throws. */
  run(job: Job): Promise<void>;
  /** Its result will not be recorded, if it has none yet. */
  abort(job: Job, why: string): void;
  read(): AttemptCounts;
}

/** Attempts in flight, and their results since the start. */
export interface AttemptCounts {
  inFlight: number;
  attempts: { direction: Job["direction"]; verdict: Verdict["type"] | "done"; count: number }[];
}

interface Under {
  stop: AbortSignal;
  aborts: Map<Job, Deadline["abort"]>;
  results: Map<string, AttemptCounts["attempts"][number]>;
}

export function createAttempts(parts: AttemptParts, stop: AbortSignal): Attempts {
  const quarantine = createQuarantine(parts.store.outbox);
  const under: Under = { stop, aborts: new Map(), results: new Map() };
  return {
    run: (job) =>
      job.crashes < SUSPECT_CRASHES
        ? attempt(parts, under, job)
        : quarantine.run(job, (excuse) => attempt(parts, under, job, excuse)),
    abort: (job, why) => under.aborts.get(job)?.(why),
    read: () => ({ inFlight: under.aborts.size, attempts: [...under.results.values()] }),
  };
}

function count({ results }: Under, { direction }: Job, verdict: Verdict["type"] | "done"): void {
  const name = `${direction} ${verdict}`;
  const known = results.get(name) ?? { direction, verdict, count: 0 };
  known.count += 1;
  results.set(name, known);
}

async function attempt(parts: AttemptParts, under: Under, job: Job, excuse?: Excuse): Promise<void> {
  const { stop, aborts } = under;
  const began = parts.clock.now();
  // Expired before the sweep collected it, as after an outage.
  if (job.direction === "outbound" && job.deadlineAt <= began)
    return recorded(parts, stop, job, () => recordFailure(parts, job, { type: "retry" }, LATE));
  const { signal, abort, end } = deadline(parts.clock, ATTEMPT_MS, stop);
  aborts.set(job, abort);
  let outcome: Outcome | Postponed | undefined;
  let failure: Failure | undefined;
  try {
    outcome = await parts.perform(job, signal, excuse);
  } catch (error) {
    failure = failureOf(job, error);
  }
  end();
  aborts.delete(job);
  // The process survived the attempt: earlier crashes were not this message's fault.
  job.crashes = 0;
  job.fatalCrashes = 0;
  if (outcome && "postponedMs" in outcome) {
    const runAt = parts.clock.now() + outcome.postponedMs;
    return recorded(parts, stop, job, () => parts.store.outbox.postponed(job, runAt));
  }
  const verdict = failure?.verdict.type ?? "done";
  count(under, job, verdict);
  parts.log[failure ? "warn" : "info"]("delivery.attempted", {
    account: job.accountId,
    channel: job.channelId,
    job: job.id,
    direction: job.direction,
    attempt: job.attempts,
    verdict,
    error: failure?.error,
    ms: parts.clock.now() - began,
  });
  await recorded(parts, stop, job, () =>
    failure
      ? recordFailure(parts, job, failure.verdict, failure.message, failure.hindrance)
      : recordDone(parts, job, outcome ?? {}),
  );
}

/** The ack leaves with the commit that records the end, if there is a slot. */
async function recordDone({ store, hold }: AttemptParts, job: Job, outcome: Outcome): Promise<boolean> {
  const held = outcome.ack && hold(job.accountId, GATEWAY, 1);
  try {
    return await store.outbox.done(job, outcome, held);
  } finally {
    held?.release();
  }
}

interface Failure {
  error: string;
  message: string;
  verdict: Verdict;
  hindrance?: Hindrance;
}

function failureOf(job: Job, error: unknown): Failure {
  const verdict = verdictOf(job, error);
  const text = errorText(error);
  if (error instanceof DeliveryError)
    return { error: text, message: error.message, verdict, hindrance: error.hindrance };
  // Errors of our own code are for the log, not for agents and shop owners.
  return { error: text, message: "something went wrong in the server", verdict };
}

/** False: the job is another process's. If a stop leaves a result unrecorded, whoever takes the job over decides. */
async function recorded(
  { clock, log }: AttemptParts,
  stop: AbortSignal,
  job: Job,
  record: () => Promise<unknown>,
): Promise<void> {
  const failed = (error: unknown) => log.error("outbox.settle-failed", { job: job.id, error: errorText(error) });
  const is = await untilRecorded({ clock, stop, failed }, record).catch(() => undefined);
  if (is === false) log.warn("outbox.lease-passed", { job: job.id });
}

export interface FailureParts {
  store: Pick<Store, "channels" | "outbox">;
  adapter(kind: string): ChannelAdapter | undefined;
  /** Called when the gateway refuses the account's token. */
  rest(accountId: AccountId, why: string): Promise<void>;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
}

/** An unexpected error says nothing about delivery; toward the gateway a repeat is harmless. */
function verdictOf(job: Job, error: unknown): Verdict {
  if (error instanceof DeliveryError) return error.verdict;
  return job.direction === "outbound" ? { type: "unsure" } : { type: "retry" };
}

/** Records a failed attempt, with the notices that its end gives. */
export async function recordFailure(
  parts: FailureParts,
  job: Job,
  verdict: Verdict,
  error: string,
  hindrance?: Hindrance,
): Promise<void> {
  const { store, clock } = parts;
  const channel = await store.channels.ofJob(job.channelId);
  // The first time stays: the messenger's memory is measured from it.
  if (verdict.type === "unsure" && job.direction === "outbound") job.doubtAt ??= job.triedAt;
  const next = nextState(job, verdict, {
    now: clock.now(),
    random: parts.random(),
    repeatableUntil: repeatableUntil(channel && parts.adapter(channel.kind), job.doubtAt ?? job.triedAt),
    policy: channel?.unsure ?? "resend",
  });
  const unsure =
    job.direction === "outbound" && verdict.type !== "reject" && (verdict.type === "unsure" || job.unsure > 0);
  const message = unsure ? unknownOutcome(error) : error;
  // Stop first, then settle: after a crash in between, the job meets the stop again instead of waiting forever.
  if (verdict.type === "reconnect" && job.direction === "outbound")
    await store.channels.setState(job.channelId, "stopped", error, { epoch: job.epoch });
  else if (verdict.type === "reconnect") await parts.rest(job.accountId, error);
  const failure = { verdict, next, unsure, error, hindrance, removed: channel === undefined, at: clock.now() };
  await store.outbox.failed(job, next, next.state === "dead" ? message : error, failureReport(job, failure));
}
