import Bottleneck from "bottleneck";
import { type Clock, pause } from "../domain/clock.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { type Flight, Gate, WINDOW_MS } from "./gate.ts";

/** Messages and acks go before bulk work such as channel announcements. */
export type Priority = "message" | "bulk";

/**
 * How a call ended: answered by the gateway itself, intercepted by something that answered in its place, without an answer
 * although it left, or without leaving.
 */
export type CallEnd = "answered" | "intercepted" | "unanswered" | "unsent";

/** The right to make a request: at most 30 a second for one token (spec), whatever the network does. */
export interface Permits {
  /**
   * Runs `act` when `key` has a permit. `act` says how its call has ended; one that says nothing counts as answered. Throws
   * DeliveryError when `signal` aborts before: then `act` does not run.
   */
  run<T>(
    key: string,
    priority: Priority,
    act: (ended: (how: CallEnd) => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** The other side said "too many" all the same: nothing starts under this key for so long. */
  pauseFor(key: string, ms: number): void;
  /** Calls that a process before this one has made under this key. Resolves when calls of this one may leave. */
  recall(key: string, before: Recalled): Promise<void>;
}

export interface Recalled {
  /** Those that have ended just now: their permits come back after `ms`. */
  recent: number;
  ms: number;
  /** Those that no answer came to, as far as `keep` was told, and those that were perhaps under way. */
  unanswered: number;
  flying: number;
  /** How long ago the last of both was made, ms. */
  ago: number;
}

const PRIORITY: Record<Priority, number> = { message: 5, bulk: 9 };
/** How long the calls of a process that has died count: some were perhaps still on their way. */
export const RECALL_MS = WINDOW_MS + 500;
/** The gateway's limit, requests per second and token (spec). */
const PER_SECOND = 30;

/** Keeps how many calls under a key got no answer and may still arrive, for a process after this one. */
export type Keep = (key: string, unanswered: number) => Promise<void>;

export function createPermits(clock: Clock, keep: Keep = async () => {}, perSecond = PER_SECOND): Permits {
  const tokens = new Map<string, Token>();
  const tokenOf = (key: string): Token => {
    const known = tokens.get(key);
    if (known) return known;
    const made = new Token(clock, perSecond, {
      keep: (unanswered) => keep(key, unanswered),
      // A token that rests is dropped, so that a thousand quiet ones cost nothing.
      idle: () => void (tokens.get(key) === made && tokens.delete(key)),
    });
    tokens.set(key, made);
    return made;
  };
  return {
    run: (key, priority, act, signal) => tokenOf(key).run(priority, act, signal),
    recall: (key, before) => tokenOf(key).recall(before),
    pauseFor: (key, ms) => tokenOf(key).pauseFor(ms),
  };
}

interface Told {
  keep(unanswered: number): Promise<void>;
  idle(): void;
}

/** One token: its gate, and the queue of those who found it shut. */
class Token {
  readonly #clock: Clock;
  readonly #told: Told;
  readonly #gate: Gate;
  /** Lets one start for each that the gate admits, the most urgent first. */
  readonly #queue = new Bottleneck({ reservoir: 0 });
  /** Permits that the gate has given and Bottleneck has not yet handed on. */
  readonly #granted: Flight[] = [];
  #queued = 0;
  #spent = 0;
  #pausedUntil = 0;
  #cancelProbe = () => {};

  constructor(clock: Clock, perSecond: number, told: Told) {
    this.#clock = clock;
    this.#told = told;
    this.#gate = new Gate(clock, perSecond, () => this.#changed());
  }

  async run<T>(
    priority: Priority,
    act: (ended: (how: CallEnd) => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const flight =
      this.#queued === 0 && this.#gate.opensAt() <= this.#clock.monotonic() ? this.#gate.start() : undefined;
    return this.#fly(flight ?? (await this.#wait(priority, signal)), act, signal);
  }

  pauseFor(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
    this.#clock.after(ms, () => this.#changed());
  }

  async recall({ recent, ms, unanswered, flying, ago }: Recalled): Promise<void> {
    this.#gate.cool(recent, ms);
    this.#gate.recall(unanswered, flying, ago);
    this.#spent = this.#gate.spent;
    // What was under way in the life before is forgotten otherwise when this life is as short.
    if (this.#spent > 0) await this.#told.keep(this.#spent);
  }

  async #wait(priority: Priority, signal?: AbortSignal): Promise<Flight> {
    this.#queued += 1;
    const turn = this.#queue.schedule({ priority: PRIORITY[priority] }, async () => this.#granted.shift() as Flight);
    this.#admit();
    const flight = await Promise.race([turn, aborted(signal)]);
    if (flight) return flight;
    // Nobody waits for it any more: the next may have it.
    void turn.then((late) => this.#gate.unsent(late));
    throw notSent();
  }

  async #fly<T>(flight: Flight, act: (ended: (how: CallEnd) => void) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let how: CallEnd = "unsent";
    try {
      while (this.#pausedUntil > this.#clock.monotonic() && !signal?.aborted)
        await pause(this.#clock, this.#pausedUntil - this.#clock.monotonic(), signal);
      // It counts before it leaves: lives that end while it is under way must not send one each.
      if (flight.probe) await this.#told.keep(this.#gate.pending);
      if (signal?.aborted) throw notSent();
      flight.startedAt = this.#clock.monotonic();
      how = "answered";
      return await act((end) => {
        how = end;
      });
    } finally {
      this.#gate[how](flight);
    }
  }

  #changed(): void {
    if (this.#spent !== this.#gate.spent) {
      this.#spent = this.#gate.spent;
      this.#told.keep(this.#gate.pending).catch(() => {});
    }
    this.#admit();
    if (this.#gate.idle && this.#queued === 0 && this.#pausedUntil <= this.#clock.monotonic()) this.#told.idle();
  }

  #admit(): void {
    this.#cancelProbe();
    while (this.#queued > 0) {
      const inMs = this.#gate.opensAt() - this.#clock.monotonic();
      if (inMs > 0) {
        if (inMs < Number.POSITIVE_INFINITY) this.#cancelProbe = this.#clock.after(inMs, () => this.#admit());
        return;
      }
      this.#queued -= 1;
      this.#granted.push(this.#gate.start());
      void this.#queue.incrementReservoir(1);
    }
  }
}

const notSent = () => new DeliveryError({ type: "retry" }, "gateway: no permit in time");

/** Resolves with nothing when `signal` aborts, and never otherwise. */
const aborted = (signal: AbortSignal | undefined): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener("abort", () => resolve(undefined), { once: true });
  });
