import { setMaxListeners } from "node:events";
import { setImmediate as tick } from "node:timers/promises";
import { pause } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import { type Job, REST_MS, STORE_REST_MS } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import { createLoop, type WallClock, watchWallClock } from "../domain/loop.ts";
import type { Taken } from "../store/accounts.ts";
import type { Store } from "../store/store.ts";
import { type AttemptCounts, type AttemptDeps, type Attempts, createAttempts, recoverAll } from "./deliver/attempt.ts";
import { overdueReport } from "./deliver/reports.ts";
import type { Holdings, Unrecovered } from "./scheduler/holdings.ts";
import {
  createSlots,
  createTurns,
  createWithSlots,
  type Slots,
  type Turns,
  type WithSlots,
} from "./scheduler/slots.ts";

/** The relay's engine: claims what scheduler/ picks, runs them through deliver/, and records the results. */
export interface Worker {
  /** Takes accounts, then starts claiming. */
  start(): Promise<void>;
  /**
   * Recovers accounts just taken, before anything is claimed: jobs under way at the last holder may have been
   * delivered. Resolves with the accounts that could not be recovered.
   */
  recover(taken: Taken[]): Promise<Unrecovered[]>;
  /** Whether nothing of the account runs. */
  isIdle(accountId: AccountId): boolean;
  /** Resolves when nothing of the account runs, so that its lease can be given away. */
  finished(accountId: AccountId): Promise<void>;
  /** Aborts everything under way: another process decides on these jobs now. */
  abandon(why: string): void;
  /** The account may have new work. */
  wake(accountId: AccountId): void;
  withSlots: WithSlots;
  attempts(): AttemptCounts;
  /** Aborts running jobs whose messages have been erased; their results would not be recorded. */
  revoke(): Promise<void>;
  /** Stops claiming; resolves when running jobs have ended, or were aborted after `ms`. */
  stop(ms: number): Promise<void>;
}

export interface WorkerParts extends Omit<AttemptDeps, "withSlots"> {
  store: Pick<Store, "channels" | "outbox" | "isAway">;
  holdings: Pick<Holdings, "start" | "leaseOf" | "take">;
  limits: { calls: number; callsPerAccount: number };
}

/** How often expired jobs are collected, ms. */
const SWEEP_MS = 5_000;

/** Accounts asked for due work per tick: the first question about an account reads the database. */
const MAX_LOOKS = 64;

/** How long an aborted attempt may take to record its end, ms. */
const ABORT_MS = 500;

interface State {
  turns: Turns;
  slots: Slots;
  running: Map<Job, Promise<void>>;
  /** Claims under way. */
  serving: Map<AccountId, Promise<void>>;
  attempts: Attempts;
  started: boolean;
  stopping: boolean;
  pumping?: Promise<void>;
  /** Work arrived while it pumped. */
  pumpAgain: boolean;
  cancelTimer?: () => void;
}

export function createWorker(parts: WorkerParts): Worker {
  const abort = new AbortController();
  // Every attempt adds a listener.
  setMaxListeners(0, abort.signal);
  const turns = createTurns(parts.clock);
  const state: State = {
    turns,
    slots: createSlots({ ...parts.limits, hostsOf: parts.store.outbox.hosts, granted: turns.granted }),
    running: new Map(),
    serving: new Map(),
    attempts: createAttempts({ ...parts, withSlots: (...args) => withSlots(...args) }, abort.signal),
    started: false,
    stopping: false,
    pumpAgain: false,
  };
  const pump = () => {
    state.pumpAgain = state.pumping !== undefined;
    if (state.pumping || state.stopping || !state.started) return;
    state.pumping = pumpOnce(parts, state, pump).finally(() => {
      state.pumping = undefined;
      if (state.pumpAgain) pump();
      else plan(parts, state, pump);
    });
  };
  const lookAt = (accountId: AccountId) => {
    turns.look(accountId);
    pump();
  };
  const { withSlots, ...promised } = createWithSlots({
    ...{ turns, slots: state.slots },
    isDue: (accountId) => parts.store.outbox.nextDue(accountId).due.length > 0,
    leaseOf: (accountId) => (state.started && !state.stopping ? parts.holdings.leaseOf(accountId) : undefined),
    run: (job) => void state.running.set(job, run(state, job, pump)),
    wake: lookAt,
  });
  /** Accounts whose lease is requested again shortly. */
  const untaken = new Set<AccountId>();
  /** Taking an account wakes it. */
  const take = (accountId: AccountId) =>
    void parts.holdings.take(accountId).catch((error) => {
      if (untaken.has(accountId)) return;
      untaken.add(accountId);
      parts.log.error("outbox.claim-failed", { account: accountId, error: errorText(error) });
      parts.clock.after(STORE_REST_MS, () => {
        untaken.delete(accountId);
        take(accountId);
      });
    });
  const wall = watchWallClock(parts.clock);
  const sweeps = createLoop({
    ...{ clock: parts.clock, everyMs: SWEEP_MS, round: () => sweepOnce(parts, state, wall).finally(pump) },
    failed: (error) => parts.log.error("outbox.sweep-failed", { error: String(error) }),
  });
  return {
    async start() {
      await parts.store.outbox.rebaseTimers(REST_MS);
      await parts.holdings.start();
      state.started = true;
      void sweeps.start();
    },
    recover: (taken) => recoverAll(parts, taken),
    isIdle: (accountId) =>
      promised.ends(accountId).length === 0 && ![...state.running.keys()].some((job) => job.accountId === accountId),
    async finished(accountId) {
      // Do not wait for the pump: it ends only when no account has due work.
      const own = () => {
        const runs = [...state.running].flatMap(([job, run]) => (job.accountId === accountId ? [run] : []));
        const claim = state.serving.get(accountId);
        return [...runs, ...(claim ? [claim] : []), ...promised.ends(accountId)];
      };
      for (let left = own(); left.length > 0; left = own()) await Promise.allSettled(left);
    },
    abandon(why) {
      promised.abandon();
      for (const job of state.running.keys()) state.attempts.abort(job, why);
    },
    wake(accountId) {
      if (!parts.holdings.leaseOf(accountId)) return take(accountId);
      lookAt(accountId);
    },
    withSlots,
    attempts: state.attempts.read,
    async revoke() {
      for (const job of await parts.store.outbox.revoked(state.running.keys()))
        state.attempts.abort(job, "its message was erased");
    },
    async stop(ms) {
      state.stopping = true;
      state.cancelTimer?.();
      const ended = async () => {
        await sweeps.stop();
        const left = () => [...state.running.values(), ...promised.ends()];
        while (left().length > 0 || state.pumping) await Promise.all([...left(), state.pumping]);
      };
      const late = async () => {
        await pause(parts.clock, ms);
        abort.abort();
        await pause(parts.clock, ABORT_MS);
      };
      await Promise.race([ended(), late()]);
    },
  };
}

/** Time that the clock skips counts as no delay. */
async function adoptStep({ clock, store, log }: WorkerParts): Promise<void> {
  const ms = clock.step?.() ?? 0;
  if (ms === 0) return;
  log.warn("clock.stepped", { ms });
  if (ms > 0) await store.outbox.extendDeadlines(ms);
  clock.adopt?.(ms);
}

async function sweepOnce(parts: WorkerParts, state: State, wall: WallClock): Promise<void> {
  await adoptStep(parts);
  const putBackMs = wall.putBackMs();
  if (putBackMs > 0) {
    parts.log.warn("clock.put-back", { ms: putBackMs });
    await parts.store.outbox.rebaseTimers(REST_MS);
    wall.reset();
  }
  let ended = 0;
  for (let more = 1; more > 0; ended += more)
    more = await parts.store.outbox.endOverdue((act, why) => overdueReport(act, why, parts.clock.now()));
  if (ended > 0) parts.log.warn("outbox.expired", { jobs: ended });
  if (!(await parts.store.outbox.refresh()) && ended === 0 && putBackMs === 0) return;
  for (const accountId of state.turns.accounts()) state.turns.look(accountId);
}

async function pumpOnce(parts: WorkerParts, state: State, pump: () => void): Promise<void> {
  try {
    while (!state.stopping) {
      const unseen = state.turns.toLookAt(MAX_LOOKS);
      for (const accountId of unseen) look(parts, state, accountId);
      const dealt = state.turns.deal(state.slots.reserve);
      // Looking may have found more due work: stop only after a round without looks.
      if (dealt.length === 0 && unseen.length === 0) break;
      if (dealt.length === 0 && unseen.length === MAX_LOOKS) await tick();
      // Concurrently, so that all claims share one commit; if one fails, each frees its own reservation.
      const served = dealt.map((accountId) => {
        const claim = serve(parts, state, accountId, pump)
          .catch((error) => restOne(parts, state, accountId, error))
          .finally(() => state.serving.delete(accountId));
        state.serving.set(accountId, claim);
        return claim;
      });
      for (const end of await Promise.allSettled(served)) if (end.status === "rejected") throw end.reason;
    }
  } catch (error) {
    restAll(parts, state, error);
  }
}

/** The database fails for all of them. */
function restAll({ log, clock }: WorkerParts, { turns }: State, error: unknown): void {
  log.error("outbox.claim-failed", { error: errorText(error) });
  for (const accountId of turns.accounts()) turns.look(accountId, clock.now() + STORE_REST_MS);
}

/** The claim of this account failed: rests it alone. Throws the error if the database is away. */
function restOne({ log, clock, store }: WorkerParts, { turns }: State, account: AccountId, error: unknown): void {
  if (store.isAway(error)) throw error;
  log.error("outbox.claim-failed", { account, error: errorText(error) });
  turns.found(account, { due: [], later: clock.now() + STORE_REST_MS });
}

/** Claims for one account at most what it was dealt. */
async function serve(parts: WorkerParts, state: State, accountId: AccountId, pump: () => void): Promise<void> {
  const { slots } = state;
  const room = slots.reserved(accountId);
  let jobs: Job[] = [];
  try {
    const lease = parts.holdings.leaseOf(accountId);
    if (lease) jobs = await parts.store.outbox.claim(lease, room);
    // The account was given away meanwhile.
    else return state.turns.found(accountId, { due: [] });
  } finally {
    slots.enter(accountId, jobs);
  }
  for (const job of jobs) state.running.set(job, run(state, job, pump));
  look(parts, state, accountId);
}

async function run(state: State, job: Job, pump: () => void): Promise<void> {
  try {
    await state.attempts.run(job);
  } finally {
    state.running.delete(job);
    state.slots.leave(job);
    state.turns.look(job.accountId);
    pump();
  }
}

/** Asks the store for the account's due work. */
function look({ store }: WorkerParts, { turns }: State, accountId: AccountId): void {
  turns.found(accountId, store.outbox.nextDue(accountId));
}

function plan(parts: WorkerParts, state: State, pump: () => void): void {
  state.cancelTimer?.();
  if (state.stopping) return;
  const at = state.turns.earliest();
  if (at !== undefined) state.cancelTimer = parts.clock.after(Math.max(0, at - parts.clock.now()), pump);
}
