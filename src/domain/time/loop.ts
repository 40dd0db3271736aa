import type { Clock } from "./clock.ts";

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
