import type { Clock } from "gangway-messenger/clock";

/** Repeating background work; rounds never overlap. */
export interface Loop {
  /** Resolves when the first round has ended, or at once with `waitsFirst`. */
  start(): Promise<void>;
  /** Aborts the current round and starts no other; resolves when it has ended. */
  stop(): Promise<void>;
}

interface LoopParts {
  clock: Clock;
  /** From the end of one round to the start of the next, ms. */
  everyMs: number;
  /** Whether the first round also waits `everyMs`. */
  waitsFirst?: boolean;
  round(stop: AbortSignal): Promise<void>;
  /** Called when a round fails; the loop goes on. */
  failed(error: unknown): void;
}

export function createLoop({ clock, everyMs, waitsFirst = false, round, failed }: LoopParts): Loop {
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  let cancel = () => {};
  const wait = () => {
    if (!abort.signal.aborted) cancel = clock.after(everyMs, () => void run());
  };
  const run = () => {
    running = round(abort.signal).catch(failed).then(wait);
    return running;
  };
  return {
    start() {
      if (!waitsFirst && !abort.signal.aborted) return run();
      wait();
      return Promise.resolve();
    },
    async stop() {
      abort.abort();
      cancel();
      await running;
    },
  };
}

/** Detects that the wall clock was put back. */
export interface WallClock {
  /** How far it was put back since the last `reset`, ms; 0 if not. */
  putBackMs(): number;
  reset(): void;
}

/** Smaller steps are normal clock synchronization, ms. */
const PUT_BACK_MS = 1_000;

export function watchWallClock(clock: Clock): WallClock {
  const offset = () => clock.now() - clock.monotonic();
  let maxOffset = offset();
  return {
    putBackMs() {
      const now = offset();
      maxOffset = Math.max(maxOffset, now);
      return maxOffset - now > PUT_BACK_MS ? maxOffset - now : 0;
    },
    reset() {
      maxOffset = offset();
    },
  };
}
