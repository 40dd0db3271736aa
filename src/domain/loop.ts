import type { Clock } from "./clock.ts";

/** Work that repeats in the background, never two rounds at a time. */
export interface Loop {
  /** Resolves when the first round has ended; at once where that one waits. */
  start(): Promise<void>;
  /** Aborts the round under way and begins no other. Resolves when it has ended. */
  stop(): Promise<void>;
}

interface LoopParts {
  clock: Clock;
  /** From the end of one round to the beginning of the next, ms. */
  everyMs: number;
  /** Whether the first round, too, waits that long. */
  waitsFirst?: boolean;
  round(stop: AbortSignal): Promise<void>;
  /** A round has failed. The next one comes all the same. */
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
