import { errorCode } from "../../../domain/errors.ts";
import { StoreError } from "../../store.ts";
import { causeOf } from "../faults.ts";
import type { Sessions } from "../sessions.ts";

// Somebody else's transaction, left open in a console, may hold rows for hours. A statement waits some seconds for one, once:
// from then on it is asked whether the row is free, and until it is, all others go on without it.

/** Of a transaction that others wait for. */
export const HASTE = "SET LOCAL lock_timeout = 1000";
/** PostgreSQL has given up waiting for a lock. */
const NO_LOCK = "55P03";
const GIVEN = "SELECT CAST(json_array_elements_text(CAST(@ids AS json)) AS bigint)";
/** The rows that are held right now. */
const HELD = `WITH free AS MATERIALIZED (SELECT id FROM message WHERE id IN (${GIVEN}) FOR NO KEY UPDATE SKIP LOCKED)
  SELECT id FROM message WHERE id IN (${GIVEN}) AND id NOT IN (SELECT id FROM free)`;

export interface LockedRows {
  /** Those of the messages whose rows are still held. Rows that never were are not asked for. */
  among(ids: number[]): Promise<Set<number>>;
  /** The held ones, after a statement about these messages has failed. Throws its error if that has another cause. */
  found(ids: number[], error: unknown): Promise<Set<number>>;
}

export function lockedRows({ rows }: Pick<Sessions, "rows">): LockedRows {
  const held = new Set<number>();
  const look = async (ids: number[]) => {
    const now = new Set((await rows<{ id: number }>(HELD, { ids: JSON.stringify(ids) })).map(({ id }) => id));
    for (const id of ids) if (!now.has(id)) held.delete(id);
    for (const id of now) held.add(id);
    return now;
  };
  return {
    async among(ids) {
      const known = held.size > 0 ? ids.filter((id) => held.has(id)) : [];
      return known.length > 0 ? look(known) : new Set();
    },
    async found(ids, error) {
      if (errorCode(causeOf(error)) !== NO_LOCK) throw error;
      const now = await look(ids);
      if (now.size === 0) throw error;
      return now;
    },
  };
}

export const isHeld = (): StoreError =>
  new StoreError("another program's transaction holds the message's row (pg_stat_activity shows it)");
