import Bottleneck from "bottleneck";
import { type Clock, pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";

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
interface Flight {
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
   * At a hand-over, replaces the spent permits of this process by the known calls (starts on the wall clock): an answer
   * to another process may have freed the old ones. `perhaps`: calls that may have been under way; they fill up at most
   * the unanswered share, since probes are saved before they leave.
   */
  replaceSpent(known: number[], perhaps: number[]): void {
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
    const place = this.#freeAt.findLastIndex((at) => at <= time) + 1;
    for (let n = 0; n < count; n++) this.#freeAt.splice(place, 0, time);
  }
}

/** Messages and acks precede bulk work such as channel announcements. */
export type Priority = "message" | "bulk";

/**
 * How a call ended: answered by the gateway, intercepted (answered by a proxy in between), sent but unanswered, or never
 * sent.
 */
export type CallEnd = "answered" | "intercepted" | "unanswered" | "unsent";

/** Rate limit: at most 30 requests a second per token (spec), even when the network delays them. */
export interface Permits {
  /**
   * Runs `act` once `key` has a permit. `act` reports how its call ended; the default is "answered". Throws DeliveryError,
   * without running `act`, when `signal` aborts first.
   */
  run<T>(
    key: string,
    priority: Priority,
    act: (ended: (how: CallEnd) => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** After a 429: starts no call of this key for `ms`. */
  pauseFor(key: string, ms: number): void;
  /** Counts the calls of this key that were made until now, by whichever process. Resolves when this process may call. */
  countEarlier(key: string, before: EarlierCalls): Promise<void>;
  /** Whether no call of this key is under way, nor ended within the last second: another process may start its own. */
  isQuiet(key: string): boolean;
}

interface EarlierCalls {
  /** Calls that ended just now; their permits are free after `ms`. */
  recent: number;
  ms: number;
  /** When calls started that were saved as unanswered, and the latest starts of calls that were perhaps under way, wall clock. */
  unanswered: number[];
  inFlight: number[];
}

const PRIORITY: Record<Priority, number> = { message: 5, bulk: 9 };
/** How long the calls of a dead process count, ms: some may still have been on their way. */
export const EARLIER_CALLS_MS = WINDOW_MS + 500;
/** The gateway's limit, requests per second and token (spec). */
export const PER_SECOND = 30;
/** How often idle tokens are evicted, ms: a thousand quiet ones cost nothing. */
const EVICT_MS = 60_000;

/** Saves, for the next process, when the unanswered calls of a key started that may still arrive, wall clock. */
export type SaveUnanswered = (key: string, unanswered: number[]) => Promise<void>;

export function createPermits(clock: Clock, save: SaveUnanswered = async () => {}, perSecond = PER_SECOND): Permits {
  const tokens = new Map<string, Token>();
  const evict = () => {
    for (const [key, token] of tokens) if (token.idle) tokens.delete(key);
    if (tokens.size > 0) clock.after(EVICT_MS, evict);
  };
  const tokenOf = (key: string): Token => {
    const known = tokens.get(key);
    if (known) return known;
    const made = new Token(clock, perSecond, (unanswered) => save(key, unanswered));
    if (tokens.size === 0) clock.after(EVICT_MS, evict);
    tokens.set(key, made);
    return made;
  };
  return {
    run: (key, priority, act, signal) => tokenOf(key).run(priority, act, signal),
    countEarlier: (key, before) => tokenOf(key).countEarlier(before),
    pauseFor: (key, ms) => tokenOf(key).pauseFor(ms),
    isQuiet: (key) => tokens.get(key)?.isQuiet ?? true,
  };
}

/** One token: its gate, and the queue of calls that wait for a permit. */
class Token {
  readonly #clock: Clock;
  readonly #save: (unanswered: number[]) => Promise<void>;
  readonly #gate: Gate;
  /** A priority queue, made for the first call that waits: each permit from the gate raises the reservoir by one. */
  #queue?: Bottleneck;
  /** Permits from the gate that Bottleneck has not handed out yet. */
  readonly #granted: Flight[] = [];
  #queued = 0;
  /** Aborted calls whose turn in the queue has not come yet. */
  #abandoned = 0;
  /**
   * What was saved last; undefined after a failed save. Saves are serialized and waiting ones merged, so that the last
   * one wins.
   */
  #saved: string | undefined = "";
  #saving: Promise<void> = Promise.resolve();
  #nextSave?: Promise<void>;
  #pausedUntil = 0;
  #cancelTimer = () => {};

  constructor(clock: Clock, perSecond: number, save: (unanswered: number[]) => Promise<void>) {
    this.#clock = clock;
    this.#save = save;
    this.#gate = new Gate(clock, perSecond, () => this.#changed());
  }

  get idle(): boolean {
    return this.#gate.idle && this.#queued === 0 && this.#pausedUntil <= this.#clock.monotonic();
  }

  async run<T>(
    priority: Priority,
    act: (ended: (how: CallEnd) => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const isFree = this.#queued === 0 && this.#gate.opensAt() <= this.#clock.monotonic();
    const flight = isFree ? this.#gate.start() : await this.#wait(priority, signal);
    let how: CallEnd = "unsent";
    try {
      while (this.#pausedUntil > this.#clock.monotonic() && !signal?.aborted)
        await pause(this.#clock, this.#pausedUntil - this.#clock.monotonic(), signal);
      // Save a probe before it leaves: processes that crash during it must not send one each.
      if (flight.probe) await Promise.race([this.#store(), aborted(signal)]);
      if (signal?.aborted) throw noPermit();
      flight.startedAt = this.#clock.monotonic();
      how = "answered";
      return await act((end) => {
        how = end;
      });
    } finally {
      this.#gate[how](flight);
    }
  }

  get isQuiet(): boolean {
    return this.#queued <= this.#abandoned && this.#gate.isQuiet;
  }

  pauseFor(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
    this.#clock.after(ms, () => this.#changed());
  }

  async countEarlier({ recent, ms, unanswered, inFlight }: EarlierCalls): Promise<void> {
    this.#gate.cool(recent, ms);
    this.#gate.replaceSpent(unanswered, inFlight);
    // Save at once: this process may also die before its first call ends.
    if (this.#gate.saved.length > 0) await this.#store();
    this.#changed();
  }

  #store(): Promise<void> {
    this.#nextSave ??= this.#saving.then(() => {
      this.#nextSave = undefined;
      const unanswered = this.#gate.saved;
      this.#saved = unanswered.join();
      const saved = this.#save(unanswered);
      this.#saving = saved.catch(() => {
        this.#saved = undefined;
      });
      return saved;
    });
    return this.#nextSave;
  }

  async #wait(priority: Priority, signal?: AbortSignal): Promise<Flight> {
    this.#queued += 1;
    this.#queue ??= new Bottleneck({ reservoir: 0 });
    const granted = this.#queue.schedule({ priority: PRIORITY[priority] }, async () => this.#granted.shift() as Flight);
    this.#admit();
    const flight = await Promise.race([granted, aborted(signal)]);
    if (flight) return flight;
    this.#abandoned += 1;
    // Its turn may still come: return the permit to the gate.
    void granted.then((late) => {
      this.#abandoned -= 1;
      this.#gate.unsent(late);
    });
    throw noPermit();
  }

  #changed(): void {
    if (this.#gate.saved.join() !== this.#saved) this.#store().catch(() => {});
    if (this.#queued > 0) this.#admit();
  }

  #admit(): void {
    this.#cancelTimer();
    while (this.#queued > 0) {
      const inMs = this.#gate.opensAt() - this.#clock.monotonic();
      if (inMs > 0) {
        if (inMs < Number.POSITIVE_INFINITY) this.#cancelTimer = this.#clock.after(inMs, () => this.#admit());
        return;
      }
      this.#queued -= 1;
      this.#granted.push(this.#gate.start());
      void this.#queue?.incrementReservoir(1);
    }
  }
}

export const noPermit = () => new DeliveryError({ type: "retry" }, "gateway: no permit in time");

/** Resolves when `signal` aborts, never otherwise. */
const aborted = (signal: AbortSignal | undefined): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener("abort", () => resolve(undefined), { once: true });
  });
