import { works } from "../../domain/account/account.ts";
import { DeliveryError, type Postponed, REST_MS } from "../../domain/delivery/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { type Clock, deadline, pause } from "../../domain/time/clock.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/**
 * A circuit breaker: while a destination does not answer, its jobs are postponed without an attempt, except for a probe
 * now and then. It drops nothing; deadlines still apply. Not a library: it runs on our clock, and must return jobs
 * instead of queueing them in memory.
 */
export interface Breakers {
  /** Runs `act`, unless the destination's circuit is open. */
  through<T extends object>(to: Destination, act: () => Promise<T>): Promise<T | Postponed>;
  /** The account has just been taken: calls that were cut off with the last lease say nothing about their destinations. */
  taken(account: AccountId): void;
}
interface Destination {
  account: AccountId;
  /** Account and gateway URL, or channel. */
  name: string;
  /** A "too many requests" applies to all calls, not only to one chat. */
  pausesWhole: boolean;
}

/** Failures in a row that open the circuit, and the time between probes, ms (reliability figures). */
const MAX_FAILURES = 10;
const PROBE_MS = 15_000;
/** Time between postponed jobs, ms: spread to the gateway's own pace of 30 a second. */
const SPACING_MS = 34;

interface Circuit {
  failures: number;
  open: boolean;
  /** No call before this time, ms. */
  blockedUntil: number;
  /** When the last postponed job is due again, ms. */
  lastDueAt: number;
  account: AccountId;
}

export function createBreakers(clock: Clock, log: Log): Breakers {
  const circuits = new Map<string, Circuit>();
  const circuitOf = ({ name, account }: Destination): Circuit => {
    const circuit = circuits.get(name) ?? { failures: 0, open: false, blockedUntil: 0, lastDueAt: 0, account };
    circuits.set(name, circuit);
    return circuit;
  };
  const answered = (name: string) => {
    if (circuits.get(name)?.open) log.info("breaker.closed", { destination: name });
    circuits.delete(name);
  };
  const failed = (to: Destination) => {
    const { name } = to;
    const circuit = circuitOf(to);
    circuit.failures += 1;
    if (circuit.failures < MAX_FAILURES) return;
    if (!circuit.open) log.warn("breaker.opened", { destination: name, failures: circuit.failures });
    circuit.open = true;
    circuit.blockedUntil = Math.max(circuit.blockedUntil, clock.monotonic() + PROBE_MS);
  };
  const judge = (to: Destination, error: unknown) => {
    if (!(error instanceof DeliveryError) || error.fromOtherSide) return;
    const { verdict } = error;
    const afterMs = verdict.type === "retry" ? verdict.afterMs : undefined;
    if (verdict.type === "unsure" || (verdict.type === "retry" && afterMs === undefined)) return failed(to);
    // A refusal is an answer too.
    answered(to.name);
    if (afterMs !== undefined && to.pausesWhole) circuitOf(to).blockedUntil = clock.monotonic() + afterMs;
  };
  return {
    async through(to, act) {
      const circuit = circuits.get(to.name);
      const now = clock.monotonic();
      if (circuit && circuit.blockedUntil > now) {
        circuit.lastDueAt = Math.max(circuit.blockedUntil, circuit.lastDueAt + SPACING_MS);
        return { postponedMs: circuit.lastDueAt - now };
      }
      // This job is the probe; the others wait for the next.
      if (circuit?.open) circuit.blockedUntil = now + PROBE_MS;
      try {
        const result = await act();
        if (!("postponedMs" in result)) answered(to.name);
        return result;
      } catch (error) {
        judge(to, error);
        throw error;
      }
    },
    taken(account) {
      for (const [name, circuit] of circuits) if (circuit.account === account) circuits.delete(name);
    },
  };
}

/** Rests work that needs an account's gateway token while it is refused; resumes once a harmless call passes. */
export interface Resting {
  /** The gateway refuses the token, for this reason. */
  rest(accountId: AccountId, why: string): Promise<void>;
  /** The account may have been resting before a restart, or before it was switched off or frozen. */
  resume(accountId: AccountId): void;
  stop(): void;
}

interface Parts {
  store: Pick<Store, "accounts">;
  gatewayOf(account: NonNullable<Awaited<ReturnType<Store["accounts"]["byId"]>>>): Pick<Gateway, "check">;
  clock: Clock;
  log: Log;
  wake(accountId: AccountId): void;
}

/** First and longest gap between probes, which doubles each time, and the deadline of one probe; ms. */
const FIRST_GAP_MS = 1_000;
const MAX_GAP_MS = 60_000;
const REST_PROBE_MS = 30_000;
/** A rest outlasts the next probe, ms; without probes, as after a crash, it ends on its own. */
const MARGIN_MS = MAX_GAP_MS + REST_PROBE_MS;

export function createResting({ store, gatewayOf, clock, log, wake }: Parts): Resting {
  const abort = new AbortController();
  const probed = new Set<AccountId>();
  const trouble = (text: string) => ({ text, restUntil: clock.now() + REST_MS + MARGIN_MS });

  /** `refused` includes unknown; `idle`: the account does nothing that needs a token. */
  const probeOnce = async (id: AccountId): Promise<"good" | "refused" | "idle"> => {
    const account = await store.accounts.byId(id);
    if (!account || !works(account)) return "idle";
    const { signal, end } = deadline(clock, REST_PROBE_MS, abort.signal);
    try {
      await gatewayOf(account).check(signal);
      return "good";
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const why = error.verdict.type === "reconnect" ? error.message : account.trouble;
      // A success or a reconnect during the probe may have ended the trouble.
      if (why !== undefined) await store.accounts.prolongTrouble(id, trouble(why));
      return "refused";
    } finally {
      end();
    }
  };
  /** True once a probe passes; false if the server stops or the account is switched off first. */
  const untilGood = async (id: AccountId): Promise<boolean> => {
    for (let gap = FIRST_GAP_MS; ; gap = Math.min(MAX_GAP_MS, gap * 2)) {
      await pause(clock, gap, abort.signal);
      if (abort.signal.aborted) return false;
      const found = await probeOnce(id).catch((error) => {
        log.warn("gateway.not-probed", { account: id, error: String(error) });
        return "refused" as const;
      });
      if (found !== "refused") return found === "good";
    }
  };
  const probe = async (id: AccountId) => {
    const good = await untilGood(id);
    // Before the write: a rest that begins during it needs its own probes.
    probed.delete(id);
    if (!good) return;
    await store.accounts.setTrouble(id);
    log.info("gateway.token-good", { account: id });
    wake(id);
  };
  const begin = (id: AccountId) => {
    if (probed.has(id)) return;
    probed.add(id);
    void probe(id).catch((error) => log.warn("gateway.not-probed", { account: id, error: String(error) }));
  };
  return {
    async rest(id, why) {
      if (!probed.has(id)) log.warn("gateway.token-refused", { account: id, why });
      await store.accounts.setTrouble(id, trouble(why));
      begin(id);
    },
    resume: begin,
    stop: () => abort.abort(),
  };
}
