import { errorText } from "../domain/errors.ts";
import type { Clock } from "../domain/time/clock.ts";
import { createLoop, type Loop } from "../domain/time/loop.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk } from "../store/store.ts";

/** With its own sync, a commit is marked within a second. */
const MARK_MS = 500;

/** Marks how many events the database has accepted, so that the next start notices if some are missing. */
export function markAccepted({ mark }: Pick<DatabaseDisk, "mark">, { clock, log }: { clock: Clock; log: Log }): Loop {
  let fails = false;
  return createLoop({
    clock,
    everyMs: MARK_MS,
    async round() {
      await mark();
      fails = false;
    },
    failed(error) {
      if (!fails) log.warn("database.not-marked", { error: errorText(error) });
      fails = true;
    },
  });
}
