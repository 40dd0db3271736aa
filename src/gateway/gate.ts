import { countBefore } from "../domain/sorted.ts";
import type { Clock } from "../domain/time/clock.ts";

/** A permit is free again this long after the answer, ms: a one-second window plus timer inaccuracy. */
export const WINDOW_MS = 1_002;
/**
 * Share of the permits that unanswered calls may hold; beyond it calls are probes. A stalled proxy forwards the requests it
 * holds in one burst, even after our sockets close; this cap keeps the burst below the limit.
 */
const UNANSWERED_SHARE = 2 / 3;
/** First and longest gap before a probe, ms. The gap doubles each time: ten probes take five minutes. */
const FIRST_GAP_MS = 1_000;
const MAX_GAP_MS = 60_000;
/** The longest that a proxy is assumed to hold a request, ms. */
export const MAX_HELD_MS = 600_000;

/** A call that holds a permit. */
export interface Flight {
  /** On the monotonic clock. */
  startedAt: number;
  /** On the wall clock: other processes know the call by it. */
  at: number;
  /** Started although too many calls are unanswered. */
  probe: boolean;
}

/**
 * The permits of one token. Each is free, in flight, cooling (for a window after its answer) or spent: its call got no
 * answer and may still arrive. A spent permit is free again one window after the answer to a later call.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #permits: number;
  readonly #maxUnanswered: number;
  readonly #changed: () => void;
  readonly #inFlight = new Set<Flight>();
  #spent: Flight[] = [];
  /** When the cooling permits are free again, on the monotonic clock, in order. */
  readonly #freeAt: number[] = [];
  /** After a hand-over the first probe leaves by then, on the monotonic clock: the gateway may be healthy. */
  #firstProbeAt = Number.POSITIVE_INFINITY;

  /** Calls `changed` when a pending call ends. */
  constructor(clock: Clock, permits: number, changed: () => void) {
    this.#clock = clock;
    this.#permits = permits;
    this.#maxUnanswered = Math.max(1, Math.floor(permits * UNANSWERED_SHARE));
    this.#changed = changed;
  }

  /** Calls that may still arrive. */
  get pending(): number {
    return this.#inFlight.size + this.#spent.length;
  }

  /** Starts, on the wall clock, of the calls to save: those without an answer, and those under way once probes leave. */
  get saved(): number[] {
    const flights = this.pending >= this.#maxUnanswered ? [...this.#inFlight, ...this.#spent] : this.#spent;
    return flights.map(({ at }) => at);
  }

  get idle(): boolean {
    return this.pending + this.#cooling() === 0;
  }

  #cooling(): number {
    const now = this.#clock.monotonic();
    while (this.#freeAt[0] !== undefined && this.#freeAt[0] <= now) this.#freeAt.shift();
    return this.#freeAt.length;
  }

  /** Spent permits aside: those are saved for the next process. */
  get isQuiet(): boolean {
    return this.#inFlight.size + this.#cooling() === 0;
  }

  /** When the next call may start, on the monotonic clock; Infinity while all permits await answers. */
  opensAt(): number {
    const { pending } = this;
    const lacking = pending + this.#cooling() - this.#permits;
    if (lacking >= 0) return this.#freeAt[lacking] ?? Number.POSITIVE_INFINITY;
    if (pending < this.#maxUnanswered) return 0;
    const probes = pending - this.#maxUnanswered;
    const last = Math.max(...[...this.#inFlight, ...this.#spent].map(({ startedAt }) => startedAt));
    return Math.min(last + Math.min(MAX_GAP_MS, FIRST_GAP_MS * 2 ** probes), this.#firstProbeAt);
  }

  start(): Flight {
    const probe = this.pending >= this.#maxUnanswered;
    if (probe) this.#firstProbeAt = Number.POSITIVE_INFINITY;
    const flight = { startedAt: this.#clock.monotonic(), at: this.#clock.now(), probe };
    this.#inFlight.add(flight);
    return flight;
  }

  /** The call never left: free its permit at once. */
  unsent(flight: Flight): void {
    this.#inFlight.delete(flight);
    this.#changed();
  }

  /** The gateway itself answered: every earlier call has arrived by now, or never will. */
  answered(flight: Flight): void {
    this.#inFlight.delete(flight);
    this.#firstProbeAt = Number.POSITIVE_INFINITY;
    const later = this.#spent.filter(({ startedAt }) => startedAt > flight.startedAt);
    this.cool(1 + this.#spent.length - later.length);
    this.#spent = later;
    this.#changed();
  }

  /** A proxy in between answered and did not forward the call. */
  intercepted(flight: Flight): void {
    this.#inFlight.delete(flight);
    this.cool(1);
    this.#changed();
  }

  unanswered(flight: Flight): void {
    this.#inFlight.delete(flight);
    this.#spend(flight);
    this.#changed();
  }

  #spend(flight: Flight): void {
    this.#spent.push(flight);
    this.#clock.after(flight.startedAt + MAX_HELD_MS - this.#clock.monotonic(), () => {
      const left = this.#spent.filter((each) => each !== flight);
      if (left.length === this.#spent.length) return;
      this.#spent = left;
      this.#changed();
    });
  }

  /**
   * Counts the calls that are known at a hand-over, by their starts on the wall clock, instead of those that this process has
   * spent before: an answer to another process may have freed them. `perhaps` may have been under way; with them at most the
   * unanswered share is spent, since probes are saved before they leave.
   */
  recall(known: number[], perhaps: number[]): void {
    const [time, now] = [this.#clock.monotonic(), this.#clock.now()];
    const own = new Set([...this.#inFlight].map(({ at }) => at));
    const isHeld = (at: number) => now - at < MAX_HELD_MS && !own.has(at);
    const calls = known.filter(isHeld).slice(0, this.#permits);
    const room = Math.max(0, this.#maxUnanswered - this.#inFlight.size - calls.length);
    this.#spent = [];
    for (const at of [...calls, ...perhaps.filter(isHeld).slice(0, room)])
      this.#spend({ startedAt: time - Math.max(0, now - at), at, probe: false });
    this.#firstProbeAt = time + FIRST_GAP_MS;
  }

  /** Frees `count` permits after `ms`. */
  cool(count: number, ms = WINDOW_MS): void {
    const time = this.#clock.monotonic() + ms;
    const place = countBefore(this.#freeAt, (at) => at <= time);
    for (let n = 0; n < count; n++) this.#freeAt.splice(place, 0, time);
  }
}
