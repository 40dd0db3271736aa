import Bottleneck from "bottleneck";
import { type Clock, pause } from "../domain/clock.ts";

/** Acks before messages, both before bulk work such as channel announcements. */
export type Priority = "ack" | "message" | "bulk";

/** The right to make a request: at most 30 a second for one token (spec), whatever the network does. */
export interface Permits {
  /**
   * Runs `act` when `key` has a permit left; the permit comes back one second after `act` has ended.
   * An aborted `signal` ends a pause early: `act` is run all the same and says that it was aborted.
   */
  run<T>(key: string, priority: Priority, act: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The other side said "too many" all the same: nothing starts under this key for so long. */
  pauseFor(key: string, ms: number): void;
  /** So many requests were made under this key by somebody else: their permits come back after so long. */
  recall(key: string, requests: number, ms: number): void;
}

interface Gate {
  /** Permits that nobody has. */
  free: number;
  /** Those who found none: Bottleneck lets one start for each permit that comes back, the most urgent first. */
  bottleneck: Bottleneck;
  queued: number;
  pausedUntil: number;
  waiting: number;
}

const PRIORITY: Record<Priority, number> = { ack: 1, message: 5, bulk: 9 };
/** A permit comes back this long after the answer: then no one-second window holds more than the limit (measured). */
const WINDOW_MS = 1_000;
/** How long the calls of a process that has died count: some were perhaps still on their way. */
export const RECALL_MS = WINDOW_MS + 500;
/** The gateway's limit, requests per second and token (spec). */
const PER_SECOND = 30;

export function createPermits(clock: Clock, perSecond = PER_SECOND): Permits {
  const gates = new Map<string, Gate>();
  const gateOf = (key: string): Gate => {
    const known = gates.get(key);
    if (known) return known;
    const bottleneck = new Bottleneck({ reservoir: 0 });
    const gate = { free: perSecond, bottleneck, queued: 0, pausedUntil: 0, waiting: 0 };
    gates.set(key, gate);
    return gate;
  };
  /** An idle limiter is dropped, so that a thousand quiet tokens cost nothing. */
  const dropIdle = (key: string, gate: Gate) => {
    if (gate.waiting === 0 && gate.pausedUntil <= clock.monotonic() && gates.get(key) === gate) gates.delete(key);
  };
  const giveBack = (key: string, gate: Gate, ms = WINDOW_MS) => {
    clock.after(ms, () => {
      gate.waiting -= 1;
      if (gate.queued > 0) {
        gate.queued -= 1;
        void gate.bottleneck.incrementReservoir(1);
      } else gate.free += 1;
      dropIdle(key, gate);
    });
  };
  return {
    async run(key, priority, act, signal) {
      const gate = gateOf(key);
      gate.waiting += 1;
      const start = async () => {
        try {
          while (gate.pausedUntil > clock.monotonic() && !signal?.aborted)
            await pause(clock, gate.pausedUntil - clock.monotonic(), signal);
          return await act();
        } finally {
          giveBack(key, gate);
        }
      };
      if (gate.free > 0) {
        gate.free -= 1;
        return start();
      }
      gate.queued += 1;
      return gate.bottleneck.schedule({ priority: PRIORITY[priority] }, start);
    },
    recall(key, requests, ms) {
      const gate = gateOf(key);
      const taken = Math.min(gate.free, requests);
      gate.free -= taken;
      gate.waiting += taken;
      for (let n = 0; n < taken; n++) giveBack(key, gate, ms);
    },
    pauseFor(key, ms) {
      const gate = gateOf(key);
      gate.pausedUntil = Math.max(gate.pausedUntil, clock.monotonic() + ms);
      clock.after(ms, () => dropIdle(key, gate));
    },
  };
}
