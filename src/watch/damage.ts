import { errorText } from "../domain/errors.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk } from "../store/store.ts";

/** Looks for damage in the whole database once, while the server runs: a large one takes seconds. */
export interface DamageWatch {
  start(): void;
  /** Resolves when the database is closed. */
  stop(): Promise<void>;
}

export function watchDamage(
  { findDamage, condemn }: Pick<DatabaseDisk, "findDamage" | "condemn">,
  log: Log,
): DamageWatch {
  const stopping = new AbortController();
  let search: Promise<void> | undefined;
  return {
    start() {
      search ??= findDamage(stopping.signal).then(
        (how) => {
          if (how !== undefined) condemn(how);
        },
        (error) => log.error("database.not-checked", { error: errorText(error) }),
      );
    },
    async stop() {
      stopping.abort();
      await search;
    },
  };
}
