import type { Clock } from "../domain/clock.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Looks whether the database's files are still the ones that were opened, also while nothing is written. */
export interface DatabaseWatch {
  start(): void;
  stop(): void;
}

/** How often it looks, ms: what happens to them is known within a second. */
const LOOK_MS = 250;

export function watchDatabase(
  { underneath }: Pick<Store, "underneath">,
  { clock, log, lost }: { clock: Clock; log: Log; lost(why: string): void },
): DatabaseWatch {
  let cancel = () => {};
  const look = () => {
    if (underneath?.look() === undefined) cancel = clock.after(LOOK_MS, look);
  };
  void underneath?.lost.then(({ why, todo }) => {
    log.error("database.lost", { why, todo });
    lost(why);
  });
  return { start: look, stop: () => cancel() };
}
