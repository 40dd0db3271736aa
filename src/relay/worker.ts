import { setMaxListeners } from "node:events";
import type { Lease } from "../domain/account.ts";
import { pause } from "../domain/clock.ts";
import { type Job, MAX_FATAL_CRASHES, REST_MS, restAfterCrashMs } from "../domain/delivery.ts";
import { errorText } from "../domain/errors.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import { type AttemptParts, createAttempt, STORE_REST_MS } from "./deliver/attempt.ts";
import { recordFailure } from "./deliver/failures.ts";
import { overdueReport } from "./deliver/reports.ts";
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

export interface WorkerParts extends AttemptParts {
  store: Pick<Store, "accounts" | "channels" | "outbox">;
  /** Names this process in the leases. */
  owner: string;
  limits: { calls: number; callsPerAccount: number };
}

/** How often expired jobs are collected, ms. */
const SWEEP_MS = 5_000;

/** How long an aborted attempt may take to record its end, ms. */
const ABORT_MS = 500;

interface State {
  turns: Turns;
  slots: Slots;
  hosts: KnownHosts;
  leases: Map<AccountId, Promise<Lease>>;
  running: Set<Promise<void>>;
  attempt(job: Job): Promise<void>;
  /** Set after the recovery: before it, a new job could be mistaken for an interrupted one. */
  started: boolean;
  stopping: boolean;
  pumping?: Promise<void>;
  /** There was something to do while it pumped. */
  pumpAgain: boolean;
  sweeping?: Promise<void>;
  cancelTimer?: () => void;
}

export function createWorker(parts: WorkerParts): Worker {
  const abort = new AbortController();
  // Every attempt adds a listener.
  setMaxListeners(0, abort.signal);
  const turns = createTurns(parts.clock);
  const hosts = createHosts(parts);
  const wake = (accountId: AccountId) => turns.due(accountId, parts.clock.now());
  const state: State = {
    turns,
    hosts,
    slots: createSlots({ ...parts.limits, hostsOf: hosts.of, wake }),
    leases: new Map(),
    running: new Set(),
    attempt: createAttempt(parts, abort.signal),
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
        abort.abort();
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
      const dealt = state.turns.deal(state.slots.keep);
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
    const run = state.attempt(job).finally(() => {
      state.running.delete(run);
      slots.leave(job);
      nextTurn(parts, state, accountId);
      pump();
    });
    state.running.add(run);
  }
  // There may be more: ask for twice as much.
  if (jobs.length === room.most) turns.due(accountId, parts.clock.now(), 2 * room.most);
  else nextTurn(parts, state, accountId);
}

/** Sets the account's next due time. Due work without a slot is woken when one is freed. */
function nextTurn(parts: WorkerParts, state: State, accountId: AccountId): void {
  try {
    setNextTurn(parts, state, accountId);
  } catch (error) {
    restAll(parts, state, error);
  }
}

function setNextTurn({ store, clock }: WorkerParts, { turns, slots }: State, accountId: AccountId): void {
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
  const at = state.turns.earliest();
  if (at !== undefined) state.cancelTimer = parts.clock.after(Math.max(0, at - parts.clock.now()), pump);
  // Accounts with unknown hosts have no slot, and so no due time here: load them.
  if (state.hosts.hasPending()) pump();
}
