import { setTimeout } from "node:timers/promises";
import { all, type Engine } from "../../tables/engine.ts";

// An id is given before its transaction ends, so a lower one may appear after a higher one. Whoever writes an event
// holds the table's lock from before the id until the end: once all present holders have ended, no lower id can appear.

const WRITERS = `SELECT DISTINCT virtualtransaction AS id FROM pg_locks
  WHERE locktype = 'relation' AND relation = CAST('vendor_event' AS regclass) AND mode = 'RowExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const [LOOK_MS, LOOKS] = [20, 250];

/** Resolves once all transactions that now write events have ended; false when one takes too long. */
export const settledEvents =
  ({ read }: Pick<Engine, "read">) =>
  async (): Promise<boolean> => {
    const writers = async () => new Set((await read(() => all<{ id: string }>(WRITERS))).map(({ id }) => id));
    let open = await writers();
    for (let n = 0; open.size > 0 && n < LOOKS; n++) {
      await setTimeout(LOOK_MS);
      const still = await writers();
      open = new Set([...open].filter((id) => still.has(id)));
    }
    return open.size === 0;
  };
