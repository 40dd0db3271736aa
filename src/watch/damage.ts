import { errorText } from "../domain/errors.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Looks for damage in the whole database once, while the server runs: a large one takes seconds. */
export interface DamageWatch {
  start(): void;
  /** Resolves when the database is closed. */
  stop(): Promise<void>;
}

export function watchDamage(store: Pick<Store, "condemn">, find: Store["findDamage"], log: Log): DamageWatch {
  const stopping = new AbortController();
  let search: Promise<void> | undefined;
  return {
    start() {
      search ??= find(stopping.signal).then(
        (how) => {
          if (how !== undefined) store.condemn(how);
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
