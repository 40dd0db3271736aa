import { setTimeout } from "node:timers/promises";
import type { PoolClient } from "pg";
import { type Serial, serialByKey } from "../../domain/concurrency.ts";
import { StoreError } from "../store.ts";
import { nameOf } from "./lanes.ts";
import type { Telling } from "./telling.ts";

// Locks of a session end with its connection, so that a process that dies holds nothing.

const TRY = "SELECT pg_try_advisory_lock($1) AS mine";
const LEAVE = "SELECT pg_advisory_unlock($1)";
/** How often a lock that another process has is tried, and how long, ms. No act under it takes as long. */
const [LOOK_MS, WAIT_MS] = [100, 120_000];

/** False when another session has it. A session can take one several times. */
export async function tryLock(session: PoolClient, name: string): Promise<boolean> {
  const { rows } = await session.query<{ mine: boolean }>(TRY, [nameOf(name)]);
  return rows[0]?.mine === true;
}

export const unlock = (session: PoolClient, name: string): Promise<unknown> => session.query(LEAVE, [nameOf(name)]);

/**
 * Serializes over all processes. The locks are of the connection that hears the others: what they committed before this one
 * got the lock it has heard by then, so that it reads nothing older. Rejects with StoreError when another goes on and on.
 */
export function serialOverAll({ session }: Pick<Telling, "session">): Serial<string> {
  const here = serialByKey();
  const attempt = async (name: string) => {
    const holder = session();
    // A connection that ends has no locks, and is replaced.
    const isMine = holder && (await tryLock(holder, name).catch(() => false));
    return isMine ? holder : undefined;
  };
  const take = async (name: string) => {
    for (let waited = 0; waited <= WAIT_MS; waited += LOOK_MS) {
      const holder = await attempt(name);
      if (holder) return holder;
      await setTimeout(LOOK_MS, undefined, { ref: false });
    }
    throw new StoreError(`another process has been busy with the same for ${WAIT_MS / 1000} seconds`);
  };
  return (key, act) =>
    here(key, async () => {
      const name = `serial/${key}`;
      const holder = await take(name);
      try {
        return await act();
      } finally {
        // Statements of a connection run in order.
        void unlock(holder, name).catch(() => undefined);
      }
    });
}
