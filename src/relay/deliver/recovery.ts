import { type Job, MAX_FATAL_CRASHES, restAfterCrashMs } from "../../domain/delivery/delivery.ts";
import type { Taken } from "../../store/leases.ts";
import type { Unrecovered } from "../scheduler/holdings.ts";
import { ATTEMPT_MS, type FailureParts, recordFailure } from "./attempt.ts";
import { repeatableUntil } from "./doubt.ts";

/** Makes good what the last holders left undone. Concurrently, so that all accounts share a few commits. */
export async function recoverAll(parts: FailureParts, taken: Taken[]): Promise<Unrecovered[]> {
  const ends = await Promise.allSettled(taken.map((each) => recover(parts, each)));
  return taken.flatMap(({ lease: { accountId } }, n) => {
    const end = ends[n];
    return end?.status === "rejected" ? [{ accountId, error: end.reason }] : [];
  });
}

/** A job that cannot be recorded does not block the others. Rejects with its error. */
async function recover(parts: FailureParts, { lease, lost }: Taken): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const job of await parts.store.outbox.takeOver(lease))
    await recoverJob(parts, job, lost).catch((error: unknown) => {
      failure ??= { error };
    });
  if (failure) throw failure.error;
}

async function recoverJob(parts: FailureParts, job: Job, lost: boolean): Promise<void> {
  const callMs = lost && job.direction === "outbound" ? await restAfterLossMs(parts, job) : 0;
  const afterMs = Math.max(restAfterCrashMs(job.crashes), callMs);
  if (job.fatalCrashes >= MAX_FATAL_CRASHES)
    await recordFailure(parts, job, { type: "reject", code: "general" }, POISON);
  // A job only claimed was not sent: postpone it, since another doubt would end it.
  else if (job.unsure > 0 && !job.begun) await parts.store.outbox.postponed(job, parts.clock.now() + afterMs);
  else await recordFailure(parts, job, { type: "unsure", afterMs }, "the server stopped in the middle");
}

/**
 * A holder that is only paused may still await its call's answer, and until then a messenger may say that it knows nothing of
 * the message. Half of the time that is left stays for asking and sending. Only messengers with a lookup benefit.
 */
async function restAfterLossMs({ store, adapter, clock }: FailureParts, job: Job): Promise<number> {
  const channel = await store.channels.ofJob(job.channelId);
  const asked = channel && adapter(channel.kind);
  if (asked?.sendIdempotency !== "lookup") return 0;
  const until = Math.min(job.deadlineAt, repeatableUntil(asked, job.doubtAt ?? job.triedAt));
  return Math.max(0, Math.min(ATTEMPT_MS, Math.floor((until - clock.now()) / 2)));
}

/** Error of a message that crashed the process each time. */
const POISON = "the server crashed each time it worked on this message";
