import type { Clock } from "../domain/clock.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

export interface DiskWatch {
  /** Resolves after the first look. */
  start(): Promise<void>;
  stop(): void;
}

interface Parts {
  store: Pick<Store, "lookAtDisk">;
  clock: Clock;
  log: Log;
}

/** How often the disk is looked at, ms: never on the way of a message. */
const LOOK_MS = 5_000;
/** Where the operator is warned: less than this share free, or fewer bytes. */
const LOW_SHARE = 0.15;
const LOW_BYTES = 1024 ** 3;

type State = "plenty" | "low" | "full";

/** Looks how much of the disk is free and says when that has changed its state. */
export function watchDisk({ store, clock, log }: Parts): DiskWatch {
  let said: State = "plenty";
  const look = async () => {
    const { freeBytes, totalBytes, belowFloor } = await store.lookAtDisk();
    const low = freeBytes < totalBytes * LOW_SHARE || freeBytes < LOW_BYTES;
    const state: State = belowFloor ? "full" : low ? "low" : "plenty";
    if (state === said) return;
    said = state;
    const level = { plenty: "info", low: "warn", full: "error" } as const;
    log[level[state]](`disk.${state}`, { freeBytes, totalBytes });
  };
  const failed = (error: unknown) => log.error("disk.not-seen", { error: String(error) });
  const loop = createLoop({ clock, everyMs: LOOK_MS, round: look, failed });
  return { start: loop.start, stop: () => void loop.stop() };
}
