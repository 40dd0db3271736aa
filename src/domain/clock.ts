/** Time, injected so that days of retries run in milliseconds under test. */
export interface Clock {
  /** Integer milliseconds since 1970, for what is stored and told. An operator may set it forward and back. */
  now(): number;
  /** Integer milliseconds that only ever pass, from wherever: for what is waited for in memory. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the answer cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** The longest delay a Node timer holds (2^31 - 1 ms); a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  // From where the wall clock began: then both tick at once, and what is due by one is due by the other.
  monotonic: () => Math.floor(performance.timeOrigin + performance.now()),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

export interface Deadline {
  signal: AbortSignal;
  /** Lets go of timer and `stop`; to be called when the work has ended. */
  end(): void;
}

/** Aborts after `ms`, or with `stop`. Node 20 loses `AbortSignal.any` over a timeout to the garbage collector. */
export function deadline(clock: Clock, ms: number, stop?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(stop?.reason);
    end();
  };
  const end = () => {
    cancel();
    stop?.removeEventListener("abort", abort);
  };
  const cancel = clock.after(ms, () => controller.abort(new DOMException("It took too long", "TimeoutError")));
  if (stop?.aborted) abort();
  else stop?.addEventListener("abort", abort);
  return { signal: controller.signal, end };
}

/**
 * Runs when the calls that are begun now have left: after two turns of the event loop, of which undici takes one to see
 * whether an idle socket still stands.
 */
export const onceLeft = (act: () => void): void => void setImmediate(setImmediate, act);
