import type { ChannelAdapter } from "../../channels/port.ts";
import type { Clock } from "../../domain/clock.ts";
import { DeliveryError, type Job, nextState, type Verdict } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Hindrance } from "../../domain/message.ts";
import type { Store } from "../../store/store.ts";
import { repeatableUntil } from "./doubt.ts";
import { failureReport, unknownOutcome } from "./reports.ts";

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
export function verdictOf(job: Job, error: unknown): Verdict {
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
  const failure = { verdict, next, message, unsure, error, hindrance, removed: channel === undefined, at: clock.now() };
  await store.outbox.failed(job, next, next.state === "dead" ? message : error, failureReport(job, failure));
}
