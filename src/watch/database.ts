import type { Clock } from "../domain/time/clock.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk } from "../store/store.ts";

/** Polls the database's files, so that a loss is noticed even while nothing is written. */
export interface DatabaseWatch {
  start(): void;
  stop(): void;
}

/** Poll interval, ms: a loss is known within a second. */
const POLL_MS = 250;

export function watchDatabase(
  { files }: Pick<DatabaseDisk, "files">,
  { clock, log, lost }: { clock: Clock; log: Log; lost(why: string): void },
): DatabaseWatch {
  let cancel = () => {};
  const poll = () => {
    if (files?.check() === undefined) cancel = clock.after(POLL_MS, poll);
  };
  void files?.lost.then(({ why, todo }) => {
    log.error("database.lost", { why, todo });
    lost(why);
  });
  return { start: poll, stop: () => cancel() };
}
