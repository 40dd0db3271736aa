import { type Clock, type Deadline, deadline } from "gangway-messenger/clock";
import { beforeSending, DeliveryError, errorText, type Verdict } from "gangway-messenger/errors";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Account } from "../../domain/account.ts";
import { REMOVED } from "../../domain/channel.ts";
import {
  type Job,
  MAX_FATAL_CRASHES,
  nextState,
  type Postponed,
  restAfterCrashMs,
  SUSPECT_CRASHES,
  untilRecorded,
} from "../../domain/delivery.ts";
import { type Counter, createCounter, createHistogram, type Distribution } from "../../domain/figures.ts";
import type { AccountId } from "../../domain/ids.ts";
import { countsAsMessage } from "../../domain/message.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Taken } from "../../store/accounts.ts";
import { GATEWAY, type Outcome } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { Breakers, Paces } from "../limits/limits.ts";
import type { Unrecovered } from "../scheduler/holdings.ts";
import type { WithSlots } from "../scheduler/slots.ts";
import { chatOfAct, WHOLE } from "../sessions/sessions.ts";
import type { Route } from "./pieces.ts";
import { createQuarantine, type WaitOutside } from "./quarantine.ts";
import { failureReport, LATE, repeatableUntil, unknownOutcome } from "./reports.ts";
import { carryOut } from "./steps.ts";
import { blockedMs, type ToGatewayDeps, toGateway } from "./to-gateway.ts";

/** Delivers one job; records only its progress. `waitOutside`: for suspects. Throws DeliveryError. */
export type Perform = (job: Job, signal: AbortSignal, waitOutside?: WaitOutside) => Promise<Outcome | Postponed>;

interface JobDeps extends ToGatewayDeps {
  store: Pick<Store, "accounts" | "channels" | "messages" | "notes" | "outbox">;
  paces: Paces;
  breakers: Breakers;
  gatewayOf(account: Account): Gateway;
}

export function createPerform(deps: JobDeps): Perform {
  return async (job, signal) => {
    const { task } = job;
    if (task.direction === "outbound") {
      const { channel } = await beforeSending(() => channelOf(deps, job));
      const to = { account: job.accountId, name: `channel ${job.channelId}`, pausesWhole: false };
      return await deps.breakers.through(to, () =>
        chatOfAct.run(task.act.chat, () => carryOut(deps, channel, job, task.act, signal)),
      );
    }
    const { channel, gatewayChannelId } = await channelOf(deps, job);
    if (task.direction === "inbound" && task.event.type !== "message") {
      const postponedMs = await blockedMs(deps, job, task.event);
      if (postponedMs > 0) return { postponedMs };
    }
    const account = await deps.store.accounts.byId(job.accountId);
    if (!account) throw channelRemoved();
    const route = { channel, gatewayChannelId, account, gateway: deps.gatewayOf(account), job };
    const to = { account: account.id, name: `gateway ${account.id} ${account.gatewayUrl}`, pausesWhole: true };
    return await deps.breakers.through(to, () =>
      deps.foreignAnswers.watch(job, WHOLE, () => toGateway(deps, route, task, signal)),
    );
  };
}

const channelRemoved = () => new DeliveryError({ type: "reject", code: "general" }, REMOVED);

async function channelOf({ store }: JobDeps, job: Job): Promise<Pick<Route, "channel" | "gatewayChannelId">> {
  const channel = await store.channels.ofJob(job.channelId);
  if (!channel) throw channelRemoved();
  job.epoch = channel.epoch;
  job.kind = channel.kind;
  const { gatewayChannelId } = channel;
  if (!gatewayChannelId) throw new DeliveryError({ type: "retry" }, "the channel is not yet known to the gateway");
  return { channel, gatewayChannelId };
}

export interface AttemptDeps extends FailureDeps {
  perform: Perform;
  withSlots: WithSlots;
  log: Log;
}

/** Deadline of one attempt, uploads included, ms. */
const ATTEMPT_MS = 150_000;

export interface Attempts {
  /** Attempts a claimed job once and records the result. Never throws. */
  run(job: Job): Promise<void>;
  /** Aborts an attempt that has no result yet; none is recorded. */
  abort(job: Job, why: string): void;
  read(): AttemptCounts;
}

type AttemptLabels = { direction: Job["direction"]; kind: string; verdict: Verdict["type"] | "done" };
/** Labels: direction and the channel's kind. */
type DeliveryLabels = { direction: "inbound" | "outbound"; kind: string };

/** Attempts in flight, and their results since the start. */
export interface AttemptCounts {
  inFlight: number;
  attempts: ReturnType<Counter<AttemptLabels>["read"]>;
  /** Time from storing to the other side's answer. */
  delivery: Distribution<DeliveryLabels>[];
  /** Messages only. Inbound: from the messenger's timestamp to the CRM. Outbound: from storing to the ack. */
  endToEnd: Distribution<DeliveryLabels>[];
}

export function createAttempts(deps: AttemptDeps, stop: AbortSignal): Attempts {
  const quarantine = createQuarantine(deps.store.outbox);
  const [delivery, endToEnd] = [createHistogram<DeliveryLabels>(), createHistogram<DeliveryLabels>()];
  const results = createCounter<AttemptLabels>();
  const aborts = new Map<Job, Deadline["abort"]>();

  /** Imported history does not count. */
  const observe = ({ task, kind = "", acceptedAt }: Job) => {
    const now = deps.clock.now();
    const event = task.direction === "inbound" && task.event.type === "message" ? task.event : undefined;
    if (event?.past) return;
    if (task.direction === "ack") endToEnd.observe({ direction: "outbound", kind }, now - acceptedAt);
    else delivery.observe({ direction: task.direction, kind }, now - acceptedAt);
    if (event) endToEnd.observe({ direction: "inbound", kind }, now - event.at);
  };
  /**
   * Records a result, retrying until the stop; the next holder decides on what stays unrecorded. False from `record`
   * means that another process has the job.
   */
  const recorded = async (job: Job, record: () => Promise<unknown>): Promise<void> => {
    const failed = (error: unknown) => deps.log.error("outbox.settle-failed", { job: job.id, error: errorText(error) });
    const is = await untilRecorded(deps.clock, stop, record, failed).catch(() => undefined);
    if (is === false) deps.log.warn("outbox.lease-passed", { job: job.id });
  };
  const attempt = async (job: Job, waitOutside?: WaitOutside): Promise<void> => {
    if (job.crashes >= SUSPECT_CRASHES && !waitOutside) return quarantine.run(job, (waits) => attempt(job, waits));
    const began = deps.clock.now();
    // Expired before the sweep collected it, as after an outage.
    if (job.direction === "outbound" && job.deadlineAt <= began)
      return recorded(job, () => recordFailure(deps, job, { verdict: { type: "retry" }, message: LATE }));
    const { signal, abort, end } = deadline(deps.clock, ATTEMPT_MS, stop);
    aborts.set(job, abort);
    let outcome: Outcome | Postponed = {};
    let failure: Failure | undefined;
    let error: string | undefined;
    try {
      outcome = await deps.perform(job, signal, waitOutside);
    } catch (thrown) {
      failure = failureOf(job, thrown);
      error = errorText(thrown);
    }
    end();
    aborts.delete(job);
    // The process survived the attempt: earlier crashes were not this message's fault.
    job.crashes = 0;
    job.fatalCrashes = 0;
    if ("postponedMs" in outcome) {
      const runAt = deps.clock.now() + outcome.postponedMs;
      return recorded(job, () => deps.store.outbox.postponed(job, runAt));
    }
    const verdict = failure?.verdict.type ?? "done";
    results.add({ direction: job.direction, kind: job.kind ?? "", verdict });
    if (!failure) observe(job);
    deps.log[failure ? "warn" : "info"]("delivery.attempted", {
      account: job.accountId,
      channel: job.channelId,
      job: job.id,
      direction: job.direction,
      attempt: job.attempts,
      verdict,
      error,
      ms: deps.clock.now() - began,
    });
    await recorded(job, () => (failure ? recordFailure(deps, job, failure) : recordDone(deps, job, outcome)));
  };
  return {
    run: attempt,
    abort: (job, why) => aborts.get(job)?.(why),
    read: () => ({
      inFlight: aborts.size,
      attempts: results.read(),
      delivery: delivery.read(),
      endToEnd: endToEnd.read(),
    }),
  };
}

/** The ack leaves with the commit that records the end, if there is a slot. */
async function recordDone({ store, withSlots }: AttemptDeps, job: Job, outcome: Outcome): Promise<boolean> {
  if (!outcome.ack) return store.outbox.done(job, outcome);
  const { result } = await withSlots(job.accountId, GATEWAY, 1, (slots) => store.outbox.done(job, outcome, slots));
  return result;
}

type Failure = Pick<DeliveryError, "verdict" | "message" | "hindrance">;

/** An unexpected error says nothing about delivery; toward the gateway a repeat is harmless. Its text is for the log only. */
function failureOf({ direction }: Job, error: unknown): Failure {
  if (error instanceof DeliveryError) return error;
  const type = direction === "outbound" ? "unsure" : "retry";
  return { verdict: { type }, message: "something went wrong in the server" };
}

interface FailureDeps {
  store: Pick<Store, "channels" | "outbox">;
  adapter(kind: string): ChannelAdapter | undefined;
  /** Called when the gateway refuses the account's token. */
  rest(accountId: AccountId, why: string): Promise<void>;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
}

/** Records a failed attempt, with notices if it ends the job. */
async function recordFailure(
  deps: FailureDeps,
  job: Job,
  { verdict, message: error, hindrance }: Failure,
): Promise<void> {
  const { store, clock } = deps;
  const channel = await store.channels.ofJob(job.channelId);
  // Keep the first time: the messenger's memory of the key is measured from it.
  if (verdict.type === "unsure" && job.direction === "outbound") job.doubtAt ??= job.triedAt;
  const next = nextState(job, verdict, {
    now: clock.now(),
    random: deps.random(),
    repeatableUntil: repeatableUntil(channel && deps.adapter(channel.kind), job.doubtAt ?? job.triedAt),
    // A person decides on messages only: repeating a reaction or a read mark does no harm.
    policy:
      job.task.direction === "outbound" && countsAsMessage(job.task.act.type)
        ? (channel?.unsure ?? "resend")
        : "resend",
  });
  const unsure =
    job.direction === "outbound" && verdict.type !== "reject" && (verdict.type === "unsure" || job.unsure > 0);
  const message = unsure ? unknownOutcome(error) : error;
  // Stop first, then settle: after a crash in between, the job meets the stop again instead of waiting forever.
  if (verdict.type === "reconnect" && job.direction === "outbound")
    await store.channels.setState(job.channelId, "stopped", error, { epoch: job.epoch });
  else if (verdict.type === "reconnect") await deps.rest(job.accountId, error);
  const ending = { verdict, next, unsure, error, hindrance, removed: channel === undefined, at: clock.now() };
  await store.outbox.failed(job, next, next.state === "dead" ? message : error, failureReport(job, ending));
}

/** Recovers the jobs of the last holders. Concurrent, so that all accounts share a few commits. */
export async function recoverAll(deps: FailureDeps, taken: Taken[]): Promise<Unrecovered[]> {
  const ends = await Promise.allSettled(taken.map((each) => recover(deps, each)));
  return taken.flatMap(({ lease: { accountId } }, n) => {
    const end = ends[n];
    return end?.status === "rejected" ? [{ accountId, error: end.reason }] : [];
  });
}

/** A job that cannot be recorded does not block the others. Rejects with its error. */
async function recover(deps: FailureDeps, { lease, lost }: Taken): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const job of await deps.store.outbox.takeOver(lease))
    await recoverJob(deps, job, lost).catch((error: unknown) => {
      failure ??= { error };
    });
  if (failure) throw failure.error;
}

async function recoverJob(deps: FailureDeps, job: Job, lost: boolean): Promise<void> {
  const callMs = lost && job.direction === "outbound" ? await restAfterLossMs(deps, job) : 0;
  const afterMs = Math.max(restAfterCrashMs(job.crashes), callMs);
  if (job.fatalCrashes >= MAX_FATAL_CRASHES)
    await recordFailure(deps, job, { verdict: { type: "reject", code: "general" }, message: POISON });
  // A job only claimed was not sent: postpone it, since another doubt would end it.
  else if (job.unsure > 0 && !job.begun) await deps.store.outbox.postponed(job, deps.clock.now() + afterMs);
  else await recordFailure(deps, job, { verdict: { type: "unsure", afterMs }, message: STOPPED });
}

/**
 * A paused holder's call may still be under way, and a lookup meanwhile would not find the message. Wait for up to half
 * of the remaining time; the other half is for asking and sending. Only for messengers with a lookup.
 */
async function restAfterLossMs({ store, adapter, clock }: FailureDeps, job: Job): Promise<number> {
  const channel = await store.channels.ofJob(job.channelId);
  const asked = channel && adapter(channel.kind);
  if (asked?.sendIdempotency !== "lookup") return 0;
  const until = Math.min(job.deadlineAt, repeatableUntil(asked, job.doubtAt ?? job.triedAt));
  return Math.max(0, Math.min(ATTEMPT_MS, Math.floor((until - clock.now()) / 2)));
}

const STOPPED = "the server stopped in the middle";

/** Error of a message that crashed the process each time. */
const POISON = "the server crashed each time it worked on this message";
