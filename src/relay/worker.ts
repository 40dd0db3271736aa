import { setMaxListeners } from "node:events";
import type { Lease } from "../domain/account.ts";
import { deadline, pause } from "../domain/clock.ts";
import {
  DeliveryError,
  type Job,
  MAX_FATAL_CRASHES,
  REST_MS,
  restAfterCrashMs,
  SUSPECT_CRASHES,
} from "../domain/delivery.ts";
import { errorText } from "../domain/errors.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../store/outbox.ts";
import type { Store } from "../store/store.ts";
import { type FailureParts, recordFailure, verdictOf } from "./deliver/failures.ts";
import type { Perform } from "./deliver/jobs.ts";
import { createQuarantine, type Excuse, type Quarantine } from "./deliver/quarantine.ts";
import { LATE, overdueReport } from "./deliver/reports.ts";
import { createHosts, type KnownHosts } from "./dispatch/hosts.ts";
import { createSlots, SIDES, type Slots } from "./dispatch/slots.ts";
import { createTurns, type Turns } from "./dispatch/turns.ts";
import { type WallClock, watchWallClock } from "./dispatch/wall-clock.ts";

/** The relay's engine: claims the jobs that dispatch/ picks, runs them through deliver/, and records the results. */
export interface Worker {
  /** Recovers interrupted jobs, then starts claiming. */
  start(): Promise<void>;
  /** The account may have new work. */
  wake(accountId: AccountId): void;
  /** Stops claiming; resolves when running jobs have ended, or were aborted after `ms`. */
  stop(ms: number): Promise<void>;
}

export interface WorkerParts extends FailureParts {
  store: Pick<Store, "accounts" | "channels" | "outbox">;
  perform: Perform;
  log: Log;
  /** Names this process in the leases. */
  owner: string;
  limits: { calls: number; callsPerAccount: number };
}

/** How often expired jobs are collected, ms. */
const SWEEP_MS = 5_000;
/** Deadline of one attempt, uploads included, ms. */
const ATTEMPT_MS = 150_000;
/** How long claiming rests after the database refused a write, ms. */
const STORE_REST_MS = 1_000;

/** How long an aborted attempt may take to record its end, ms. */
const ABORT_MS = 500;

interface State {
  turns: Turns;
  slots: Slots;
  hosts: KnownHosts;
  leases: Map<AccountId, Promise<Lease>>;
  running: Set<Promise<void>>;
  abort: AbortController;
  quarantine: Quarantine;
  /** Set after the recovery: before it, a new job could be mistaken for an interrupted one. */
  started: boolean;
  stopping: boolean;
  pumping?: Promise<void>;
  sweeping?: Promise<void>;
  cancelTimer?: () => void;
}

export function createWorker(parts: WorkerParts): Worker {
  const abort = new AbortController();
  // Every attempt adds a listener.
  setMaxListeners(0, abort.signal);
  const turns = createTurns();
  const hosts = createHosts(parts);
  const wake = (accountId: AccountId) => turns.due(accountId, parts.clock.now());
  const state: State = {
    turns,
    hosts,
    slots: createSlots({ ...parts.limits, hostsOf: hosts.of, wake }),
    leases: new Map(),
    running: new Set(),
    abort,
    quarantine: createQuarantine(parts.store.outbox),
    started: false,
    stopping: false,
  };
  const pump = () => {
    if (state.pumping || state.stopping || !state.started) return;
    state.pumping = pumpOnce(parts, state, pump).finally(() => {
      state.pumping = undefined;
      plan(parts, state, pump);
    });
  };
  const wall = watchWallClock(parts.clock);
  const sweep = async () => {
    if (state.stopping) return;
    state.sweeping = sweepOnce(parts, state, wall).catch((error) =>
      parts.log.error("outbox.sweep-failed", { error: String(error) }),
    );
    await state.sweeping;
    pump();
    parts.clock.after(SWEEP_MS, () => void sweep());
  };
  return {
    async start() {
      await parts.store.outbox.rebaseTimers(REST_MS);
      const accounts = await parts.store.accounts.list();
      // Concurrently, so that all accounts' leases share a few commits.
      await Promise.all(accounts.map((account) => recover(parts, state, account.id)));
      for (const account of accounts) state.turns.due(account.id, parts.clock.now());
      state.started = true;
      void sweep();
    },
    wake(accountId) {
      wake(accountId);
      pump();
    },
    async stop(ms) {
      state.stopping = true;
      state.cancelTimer?.();
      const ended = async () => {
        await state.sweeping;
        while (state.running.size > 0 || state.pumping) await Promise.all([...state.running, state.pumping]);
      };
      const late = async () => {
        await pause(parts.clock, ms);
        state.abort.abort();
        await pause(parts.clock, ABORT_MS);
      };
      await Promise.race([ended(), late()]);
    },
  };
}

function leaseOf(parts: WorkerParts, state: State, accountId: AccountId): Promise<Lease> {
  const known = state.leases.get(accountId);
  if (known) return known;
  const taking = parts.store.accounts.takeLease(accountId, parts.owner);
  state.leases.set(accountId, taking);
  taking.catch(() => state.leases.delete(accountId));
  return taking;
}

/** A job under way when the last process ended was perhaps delivered. */
async function recover(parts: WorkerParts, state: State, accountId: AccountId): Promise<void> {
  const lease = await leaseOf(parts, state, accountId);
  for (const job of await parts.store.outbox.takeOver(lease)) {
    const afterMs = restAfterCrashMs(job.crashes);
    if (job.fatalCrashes >= MAX_FATAL_CRASHES)
      await recordFailure(parts, job, { type: "reject", code: "general" }, POISON);
    // A job only claimed was not sent: postpone it, since another doubt would end it.
    else if (job.unsure > 0 && !job.begun) await parts.store.outbox.postponed(job, parts.clock.now() + afterMs);
    else await recordFailure(parts, job, { type: "unsure", afterMs }, "the server stopped in the middle");
  }
}

/** Error of a message that crashed the process each time. */
const POISON = "the server crashed each time it worked on this message";

async function sweepOnce(parts: WorkerParts, state: State, wall: WallClock): Promise<void> {
  const putBackMs = wall.putBackMs();
  if (putBackMs > 0) {
    parts.log.warn("clock.put-back", { ms: putBackMs });
    await parts.store.outbox.rebaseTimers(REST_MS);
    wall.reset();
  }
  let ended = 0;
  for (let more = 1; more > 0; ended += more)
    more = await parts.store.outbox.expire((act, why) => overdueReport(act, why, parts.clock.now()));
  if (ended > 0) parts.log.warn("outbox.expired", { jobs: ended });
  if (!(await parts.store.outbox.touched()) && ended === 0 && putBackMs === 0) return;
  for (const accountId of state.turns.accounts()) state.turns.due(accountId, parts.clock.now());
}

async function pumpOnce(parts: WorkerParts, state: State, pump: () => void): Promise<void> {
  try {
    while (!state.stopping) {
      const dealt = state.turns.deal(parts.clock.now(), state.slots.keep);
      const loading = state.hosts.load();
      // Concurrently, so that all claims share one commit; if one fails, each frees its own reservation.
      const served = dealt.map((accountId) => serve(parts, state, accountId, pump));
      for (const end of await Promise.allSettled([loading, ...served])) if (end.status === "rejected") throw end.reason;
      if (dealt.length === 0 && !(await loading)) break;
    }
  } catch (error) {
    restAll(parts, state, error);
  }
}

function restAll({ log, clock }: WorkerParts, { turns }: State, error: unknown): void {
  log.error("outbox.claim-failed", { error: errorText(error) });
  for (const accountId of turns.accounts()) turns.due(accountId, clock.now() + STORE_REST_MS);
}

/** Claims for one account at most what it was dealt. */
async function serve(parts: WorkerParts, state: State, accountId: AccountId, pump: () => void): Promise<void> {
  const { turns, slots } = state;
  const room = slots.kept(accountId);
  const claiming = leaseOf(parts, state, accountId).then((lease) => parts.store.outbox.claim(lease, room.most, room));
  const jobs = await claiming.catch((error) => {
    slots.enter(accountId, []);
    throw error;
  });
  slots.enter(accountId, jobs);
  for (const job of jobs) {
    const run = attempt(parts, state, job).finally(() => {
      state.running.delete(run);
      slots.leave(job);
      turns.due(accountId, parts.clock.now());
      pump();
    });
    state.running.add(run);
  }
  if (jobs.length === room.most) turns.due(accountId, parts.clock.now());
  else nextTurn(parts, state, accountId);
}

/** Sets the account's next due time. Due work without a slot is woken when one is freed. */
function nextTurn({ store, clock }: WorkerParts, { turns, slots }: State, accountId: AccountId): void {
  const { nextDue } = store.outbox;
  const full = slots.full(accountId);
  const next = nextDue(accountId, full);
  for (const side of SIDES) {
    const at = next[side];
    if (at !== undefined && (at > clock.now() || slots.open(accountId, side))) turns.due(accountId, at);
  }
  if (full.length === 0) return;
  const { messenger: at } = nextDue(accountId);
  if (at === undefined) return;
  // Check every kind: a full one enlists the account to be woken.
  const open = full.filter((kind) => slots.open(accountId, "messenger", kind));
  if (at > clock.now() || open.length > 0) turns.due(accountId, at);
}

function plan(parts: WorkerParts, state: State, pump: () => void): void {
  state.cancelTimer?.();
  if (state.stopping) return;
  const at = state.turns.earliest(state.slots.may);
  if (at !== undefined) state.cancelTimer = parts.clock.after(Math.max(0, at - parts.clock.now()), pump);
  // Accounts with unknown hosts have no slot, and so no due time here: load them.
  if (state.hosts.hasPending()) pump();
}

const attempt = (parts: WorkerParts, state: State, job: Job): Promise<void> =>
  job.crashes < SUSPECT_CRASHES
    ? attemptNow(parts, state, job)
    : state.quarantine.run(job, (excuse) => attemptNow(parts, state, job, excuse));

async function attemptNow(parts: WorkerParts, state: State, job: Job, excuse?: Excuse): Promise<void> {
  const began = parts.clock.now();
  // Expired before the sweep collected it, as after an outage.
  if (job.direction === "outbound" && job.deadlineAt <= began)
    return untilRecorded(parts, state, job, () => recordFailure(parts, job, { type: "retry" }, LATE));
  const { signal, end } = deadline(parts.clock, ATTEMPT_MS, state.abort.signal);
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
    return untilRecorded(parts, state, job, () => parts.store.outbox.postponed(job, runAt));
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
  await untilRecorded(parts, state, job, () =>
    failed
      ? recordFailure(parts, job, result.verdict, result.message, result.hindrance)
      : parts.store.outbox.done(job, result.outcome as Outcome),
  );
}

/** Retries until recorded: a full disk must not make a delivered message look undelivered. */
async function untilRecorded(
  parts: WorkerParts,
  state: State,
  job: Job,
  record: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    try {
      if ((await record()) === false) parts.log.warn("outbox.lease-passed", { job: job.id });
      return;
    } catch (error) {
      parts.log.error("outbox.settle-failed", { job: job.id, error: errorText(error) });
      if (state.abort.signal.aborted) return;
      await pause(parts.clock, STORE_REST_MS, state.abort.signal);
    }
  }
}
