import { errorCode } from "../../../domain/errors.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { systemClock } from "../../../domain/time/clock.ts";
import { StoreError } from "../../store.ts";
import { causeOf, NO_LOCK } from "../database/faults.ts";
import type { Sessions } from "../database/sessions.ts";

// Another program's transaction, left open in a console, may hold rows for hours. A statement waits some seconds for them, once:
// from then on all others go on without these messages, until a look finds the rows free.

/** Of a transaction that others wait for. */
export const LOCK_TIMEOUT = "SET LOCAL lock_timeout = 1000";
/** How long a message is skipped when its statement waits for another row, ms. */
const UNSEEN_MS = 30_000;

/** The end of a message changes the next one of its lane, too. */
const HELD = `WITH given AS (SELECT * FROM json_to_recordset(CAST(@given AS json)) AS given (id bigint, ends boolean)),
  touched AS (
    SELECT id AS job, id FROM given
    UNION ALL SELECT given.id, lane.id FROM given JOIN message AS job ON job.id = given.id AND given.ends
      CROSS JOIN LATERAL (SELECT id FROM message WHERE channel_id = job.channel_id AND direction = job.direction
        AND chat = job.chat AND state IN ('ready','sending','waiting') ORDER BY position LIMIT 2) AS lane),
  free AS MATERIALIZED (SELECT id FROM message WHERE id IN (SELECT id FROM touched) FOR UPDATE SKIP LOCKED)
  SELECT DISTINCT job.id, job.account_id AS "accountId"
  FROM touched JOIN message ON message.id = touched.id JOIN message AS job ON job.id = touched.job
  WHERE touched.id NOT IN (SELECT id FROM free)`;

/** Messages whose rows another program holds, as far as is known. */
export interface LockedRows {
  has(id: number): boolean;
  ids(): number[];
  /**
   * After a statement about these messages has failed: looks which are held. `ends`: it would have ended them. Throws its error
   * if none is.
   */
  found(ids: number[], ends: boolean, error: unknown): Promise<void>;
  /** Looks again; resolves with the accounts of those that are free now. */
  freed(): Promise<AccountId[]>;
}

interface Held {
  accountId?: AccountId;
  ends: boolean;
  /** What its statement waits for is not seen: it is left alone until then. */
  until?: number;
}

export function lockedRows({ rows }: Pick<Sessions, "rows">): LockedRows {
  const held = new Map<number, Held>();
  const look = (given: { id: number; ends: boolean }[]) =>
    rows<{ id: number; accountId: AccountId }>(HELD, { given: JSON.stringify(given) });
  return {
    has: (id) => held.has(id),
    ids: () => [...held.keys()],
    async found(ids, ends, error) {
      if (errorCode(causeOf(error)) !== NO_LOCK) throw error;
      const found = await look(ids.map((id) => ({ id, ends })));
      for (const { id, accountId } of found) held.set(id, { accountId, ends });
      if (found.length > 0) return;
      const [id, ...others] = ids;
      if (id !== undefined && others.length === 0) held.set(id, { ends, until: systemClock.monotonic() + UNSEEN_MS });
      throw error;
    },
    async freed() {
      if (held.size === 0) return [];
      const still = new Set((await look([...held].map(([id, { ends }]) => ({ id, ends })))).map(({ id }) => id));
      const accounts: AccountId[] = [];
      for (const [id, { accountId, until = 0 }] of held) {
        if (still.has(id) || systemClock.monotonic() < until) continue;
        held.delete(id);
        if (accountId !== undefined) accounts.push(accountId);
      }
      return accounts;
    },
  };
}

/** Stores the ends of those whose rows nobody else holds. Resolves with these, and with what `store` gave. */
export async function endFree<T, R>(
  locked: LockedRows,
  all: T[],
  idOf: (item: T) => number,
  store: (free: T[]) => Promise<R>,
): Promise<{ free: T[]; stored?: R }> {
  for (;;) {
    const free = all.filter((item) => !locked.has(idOf(item)));
    if (free.length === 0) return { free };
    try {
      return { free, stored: await store(free) };
    } catch (error) {
      await locked.found(free.map(idOf), true, error);
    }
  }
}

export const isHeld = (): StoreError =>
  new StoreError("another transaction holds the message's row (pg_stat_activity shows it)");
