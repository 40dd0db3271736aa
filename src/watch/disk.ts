import type { Clock } from "../domain/time/clock.ts";
import { createLoop } from "../domain/time/loop.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk } from "../store/store.ts";

export interface DiskWatch {
  /** Resolves after the first check. */
  start(): Promise<void>;
  stop(): void;
}

interface Parts {
  disk: Pick<DatabaseDisk, "check">;
  clock: Clock;
  log: Log;
}

/** Poll interval, ms. Messages never wait for a check. */
const POLL_MS = 5_000;
/** The operator is warned below this free share or this many free bytes. */
const LOW_SHARE = 0.15;
const LOW_BYTES = 1024 ** 3;

type State = "plenty" | "low" | "full";

/** Polls free disk space and logs changes of state. */
export function watchDisk({ disk, clock, log }: Parts): DiskWatch {
  let reported: State = "plenty";
  const poll = async () => {
    const { freeBytes, totalBytes, belowFloor } = await disk.check();
    const low = freeBytes < totalBytes * LOW_SHARE || freeBytes < LOW_BYTES;
    const state: State = belowFloor ? "full" : low ? "low" : "plenty";
    if (state === reported) return;
    reported = state;
    const level = { plenty: "info", low: "warn", full: "error" } as const;
    log[level[state]](`disk.${state}`, { freeBytes, totalBytes });
  };
  const failed = (error: unknown) => log.error("disk.not-seen", { error: String(error) });
  const loop = createLoop({ clock, everyMs: POLL_MS, round: poll, failed });
  return { start: loop.start, stop: () => void loop.stop() };
}
