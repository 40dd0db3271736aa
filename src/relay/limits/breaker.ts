import { DeliveryError, type Postponed } from "../../domain/delivery/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Clock } from "../../domain/time/clock.ts";
import type { Log } from "../../log.ts";

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
