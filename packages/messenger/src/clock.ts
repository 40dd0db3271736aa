/** Injected, so that tests run days of retries in milliseconds. */
export interface Clock {
  /**
   * Integer ms since 1970, for stored and shown times. Even to within a second: a step of the machine's clock counts
   * once adopted.
   */
  now(): number;
  /** Integer ms that never go back, with an arbitrary origin: for waits in memory. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
  /** Moves `now` into this range, given by a shared clock. Absent: nothing moves it. */
  follow?(earliest: number, latest: number): void;
  /** A step of the machine's clock, forward or back, that has lasted for a minute and is not in `now` yet, ms; else 0. */
  step?(): number;
  /** From now on `now` shows the time with that step. */
  adopt?(step: number): void;
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      ignore();
      resolve();
    };
    const cancel = clock.after(ms, end);
    const ignore = onAbort(signal, end);
  });
}

export interface Deadline {
  signal: AbortSignal;
  /** Aborts before the time. */
  abort(why: string): void;
  /** Releases the timer and the listener on `stop`; call it when the work has ended. */
  end(): void;
}

/** Aborts after `ms` or with `stop`. Node may garbage-collect `AbortSignal.any` over a timeout. */
export function deadline(clock: Clock, ms: number, stop?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(stop?.reason);
    end();
  };
  const end = () => {
    cancel();
    ignore();
  };
  const cancel = clock.after(ms, () => controller.abort(new DOMException("It took too long", "TimeoutError")));
  const ignore = onAbort(stop, abort);
  if (stop?.aborted) abort();
  const early = (why: string) => controller.abort(new DOMException(why, "AbortError"));
  return { signal: controller.signal, abort: early, end };
}

const followers = new WeakMap<AbortSignal, Set<() => void>>();

/** The result stops listening. All share one listener: among hundreds of its own, Node searches for each (256: 12 µs). */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (!signal) return () => {};
  const known = followers.get(signal);
  const runs = known ?? new Set<() => void>();
  if (!known) {
    followers.set(signal, runs);
    signal.addEventListener("abort", () => {
      for (const each of runs) each();
    });
  }
  runs.add(run);
  return () => void runs.delete(run);
}

/** Node's longest timer delay (2^31 - 1 ms); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Smaller differences are the machine's clock being slewed, ms. */
const STEP_MS = 1_000;

/** Shorter steps are glitches, of a time server or a migrated machine. */
const LASTING_MS = 60_000;

// Starts at the wall clock's time: both clocks then tick in step, and due times by either agree.
const uptime = () => Math.floor(performance.timeOrigin + performance.now());

/** `wall`: the machine's time; `monotonic`: that of its uptime. */
export function createClock(wall: () => number, monotonic = uptime): Clock {
  let offset = wall() - monotonic();
  let [ahead, follows] = [0, false];
  let seen: { offset: number; since: number } | undefined;
  const now = () => {
    const at = monotonic();
    const current = wall() - at;
    if (Math.abs(current - offset) <= STEP_MS) [offset, seen] = [current, undefined];
    else if (!seen || Math.abs(current - seen.offset) > STEP_MS) seen = { offset: current, since: at };
    return at + offset + ahead;
  };
  return {
    now,
    follow(earliest, latest) {
      follows = true;
      if (now() < earliest || now() > latest) ahead += Math.round((earliest + latest) / 2) - now();
    },
    step() {
      now();
      // A clock that follows another has its time already.
      return seen && !follows && monotonic() - seen.since >= LASTING_MS ? seen.offset - offset : 0;
    },
    adopt(step) {
      [offset, seen] = [offset + step, undefined];
    },
    monotonic,
    after(ms, run) {
      const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = createClock(Date.now);

/** Runs after two ticks, once calls begun now are sent: undici spends one on checking that an idle socket is alive. */
export const afterDispatch = (act: () => void): void => void setImmediate(setImmediate, act);
