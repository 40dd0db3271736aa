import { deadline, pause } from "../../domain/clock.ts";
import { DeliveryError, type Job, SUSPECT_CRASHES } from "../../domain/delivery.ts";
import { errorText } from "../../domain/errors.ts";
import type { Log } from "../../log.ts";
import type { Outcome } from "../../store/outbox.ts";
import { type FailureParts, recordFailure, verdictOf } from "./failures.ts";
import type { Perform } from "./jobs.ts";
import { createQuarantine, type Excuse } from "./quarantine.ts";
import { LATE } from "./reports.ts";

export interface AttemptParts extends FailureParts {
  perform: Perform;
  log: Log;
}

/** Deadline of one attempt, uploads included, ms. */
const ATTEMPT_MS = 150_000;
/** Time to the next try after the database refused a write, ms. */
export const STORE_REST_MS = 1_000;

/** Performs a claimed job once and records the result. Never throws. */
export function createAttempt(parts: AttemptParts, stop: AbortSignal): (job: Job) => Promise<void> {
  const quarantine = createQuarantine(parts.store.outbox);
  return (job) =>
    job.crashes < SUSPECT_CRASHES
      ? attempt(parts, stop, job)
      : quarantine.run(job, (excuse) => attempt(parts, stop, job, excuse));
}

async function attempt(parts: AttemptParts, stop: AbortSignal, job: Job, excuse?: Excuse): Promise<void> {
  const began = parts.clock.now();
  // Expired before the sweep collected it, as after an outage.
  if (job.direction === "outbound" && job.deadlineAt <= began)
    return untilRecorded(parts, stop, job, () => recordFailure(parts, job, { type: "retry" }, LATE));
  const { signal, end } = deadline(parts.clock, ATTEMPT_MS, stop);
  const result = await parts.perform(job, signal, excuse).then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({
      error: errorText(error),
      // Errors of our own code are for the log, not for agents and shop owners.
      message: error instanceof DeliveryError ? error.message : "something went wrong in the server",
      verdict: verdictOf(job, error),
      hindrance: error instanceof DeliveryError ? error.hindrance : undefined,
    }),
  );
  end();
  // The process survived the attempt: earlier crashes were not this message's fault.
  Object.assign(job, { crashes: 0, fatalCrashes: 0 });
  if ("outcome" in result && "postponedMs" in result.outcome) {
    const runAt = parts.clock.now() + result.outcome.postponedMs;
    return untilRecorded(parts, stop, job, () => parts.store.outbox.postponed(job, runAt));
  }
  const failed = "error" in result;
  parts.log[failed ? "warn" : "info"]("delivery.attempted", {
    account: job.accountId,
    channel: job.channelId,
    job: job.id,
    direction: job.direction,
    attempt: job.attempts,
    verdict: failed ? result.verdict.type : "done",
    error: failed ? result.error : undefined,
    ms: parts.clock.now() - began,
  });
  await untilRecorded(parts, stop, job, () =>
    failed
      ? recordFailure(parts, job, result.verdict, result.message, result.hindrance)
      : parts.store.outbox.done(job, result.outcome as Outcome),
  );
}

/** Retries until recorded: a full disk must not make a delivered message look undelivered. */
async function untilRecorded(
  parts: AttemptParts,
  stop: AbortSignal,
  job: Job,
  record: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    try {
      if ((await record()) === false) parts.log.warn("outbox.lease-passed", { job: job.id });
      return;
    } catch (error) {
      parts.log.error("outbox.settle-failed", { job: job.id, error: errorText(error) });
      if (stop.aborted) return;
      await pause(parts.clock, STORE_REST_MS, stop);
    }
  }
}
