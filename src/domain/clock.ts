/** Injected, so that tests run days of retries in milliseconds. */
export interface Clock {
  /** Integer ms since 1970, for what is stored or shown. An operator may set this clock forward or back. */
  now(): number;
  /** Integer ms that never go back, with an arbitrary origin: for waits in memory. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
  /** Moves `now` between these times if it is not: those of a clock that others share. Absent: nothing moves it. */
  follow?(earliest: number, latest: number): void;
}

/** Node's longest timer delay (2^31 - 1 ms); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** `wall`: the machine's time. */
export function createClock(wall: () => number): Clock {
  let ahead = 0;
  const now = () => wall() + ahead;
  return {
    now,
    follow(earliest, latest) {
      if (now() < earliest || now() > latest) ahead += Math.round((earliest + latest) / 2) - now();
    },
    // Starts at the wall clock's time: both clocks then tick in step, and due times by either agree.
    monotonic: () => Math.floor(performance.timeOrigin + performance.now()),
    after(ms, run) {
      const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = createClock(Date.now);

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

/** Runs after two ticks, once calls begun now are sent: undici spends one on checking that an idle socket is alive. */
export const afterDispatch = (act: () => void): void => void setImmediate(setImmediate, act);
