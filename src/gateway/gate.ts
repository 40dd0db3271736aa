import type { Clock } from "../domain/clock.ts";

/** A permit comes back this long after the answer, ms: a window of a second, and what a timer may be early. */
export const WINDOW_MS = 1_002;
/**
 * Share of the permits that calls without an answer may hold. A proxy that stalls keeps what it was sent, and forwards it in
 * one burst, whether or not our sockets are still open: the burst stays below the limit, since all other permits are probes.
 */
const UNANSWERED_SHARE = 2 / 3;
/** The first gap before a probe, and the longest, ms; each is twice the one before: ten of them last five minutes. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 60_000;
/** No proxy forwards what it has held for longer, ms. */
export const HELD_MS = 600_000;

/** A call that holds a permit; `startedAt` on the monotonic clock. */
export interface Flight {
  startedAt: number;
  /** It was let through although too many wait for their answers. */
  probe: boolean;
}

/**
 * The permits of one token. Each is free, in flight, cooling for a window after its answer, or spent: its call ended without
 * an answer, and may still arrive. A spent permit comes back one window after the answer to a later call.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #permits: number;
  readonly #mostUnanswered: number;
  readonly #changed: () => void;
  readonly #flying = new Set<Flight>();
  #spent: Flight[] = [];
  #cooling = 0;

  /** `changed`: a permit has come back, or one less waits for its answer. */
  constructor(clock: Clock, permits: number, changed: () => void) {
    this.#clock = clock;
    this.#permits = permits;
    this.#mostUnanswered = Math.max(1, Math.floor(permits * UNANSWERED_SHARE));
    this.#changed = changed;
  }

  /** Calls that may still arrive. */
  get pending(): number {
    return this.#flying.size + this.#spent.length;
  }

  get spent(): number {
    return this.#spent.length;
  }

  get idle(): boolean {
    return this.#flying.size + this.#spent.length + this.#cooling === 0;
  }

  /** When one more call may start, on the monotonic clock; Infinity while no permit is free. */
  opensAt(): number {
    const { pending } = this;
    if (pending + this.#cooling >= this.#permits) return Number.POSITIVE_INFINITY;
    if (pending < this.#mostUnanswered) return 0;
    const probes = pending - this.#mostUnanswered;
    const last = Math.max(...[...this.#flying, ...this.#spent].map(({ startedAt }) => startedAt));
    return last + Math.min(LONGEST_GAP_MS, FIRST_GAP_MS * 2 ** probes);
  }

  start(): Flight {
    const flight = { startedAt: this.#clock.monotonic(), probe: this.pending >= this.#mostUnanswered };
    this.#flying.add(flight);
    return flight;
  }

  /** It never left. */
  unsent(flight: Flight): void {
    this.#flying.delete(flight);
    this.#changed();
  }

  /** The gateway itself has answered: what was called before it has arrived by now, or never will. */
  answered(flight: Flight): void {
    this.#flying.delete(flight);
    const later = this.#spent.filter(({ startedAt }) => startedAt > flight.startedAt);
    this.cool(1 + this.#spent.length - later.length);
    this.#spent = later;
    this.#changed();
  }

  /** Something between us and the gateway has answered, and has kept the call. */
  intercepted(flight: Flight): void {
    this.#flying.delete(flight);
    this.cool(1);
    this.#changed();
  }

  unanswered(flight: Flight): void {
    this.#flying.delete(flight);
    this.#spend(flight);
    this.#changed();
  }

  #spend(flight: Flight): void {
    this.#spent.push(flight);
    this.#clock.after(flight.startedAt + HELD_MS - this.#clock.monotonic(), () => {
      const left = this.#spent.filter((each) => each !== flight);
      if (left.length === this.#spent.length) return;
      this.#spent = left;
      this.#changed();
    });
  }

  /**
   * Calls of a process before this one: so many are known to have no answer, so many more were perhaps under way. No more than
   * the share of those were, since probes are known before they leave. The last was made `ago`, ms.
   */
  recall(known: number, perhaps: number, ago: number): void {
    const count = Math.max(known, Math.min(this.#mostUnanswered, known + perhaps));
    const startedAt = this.#clock.monotonic() - ago;
    for (let n = 0; n < Math.min(count, this.#permits); n++) this.#spend({ startedAt, probe: false });
  }

  /** So many permits come back after `ms`. */
  cool(count: number, ms = WINDOW_MS): void {
    if (count === 0) return;
    this.#cooling += count;
    this.#clock.after(ms, () => {
      this.#cooling -= count;
      this.#changed();
    });
  }
}
