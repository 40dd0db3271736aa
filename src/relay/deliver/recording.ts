import { reachesPowerOfTen } from "../../domain/counts.ts";
import { type Clock, pause } from "../../domain/time/clock.ts";

/** Time to the next try after the database refused a write, ms. */
export const STORE_REST_MS = 1_000;

interface Recording {
  clock: Clock;
  stop: AbortSignal;
  /** Told of the 1st, 10th, 100th … failure: a row may be held for hours. */
  failed?(error: unknown): void;
}

/** Repeats `record` while the store fails: a full disk must not make what was sent look unsent. Rejects after a stop. */
export async function untilRecorded<T>({ clock, stop, failed }: Recording, record: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await record();
    } catch (error) {
      if (reachesPowerOfTen(failures)) failed?.(error);
      if (stop.aborted) throw error;
      await pause(clock, STORE_REST_MS, stop);
    }
  }
}
