import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { type Serial, serialByKey } from "../../../domain/time/concurrency.ts";
import { StoreError } from "../../store.ts";
import { nameOf } from "./lanes.ts";
import type { Notifier } from "./notifier.ts";

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
 * Serializes over all processes. The locks have a connection of their own: the one that hears is given up when it is silent for
 * a while, and an act goes on meanwhile. What others committed before this process got the lock it has heard by then, so that it
 * reads nothing older. Rejects with StoreError when another goes on and on.
 */
export function serialOverAll(pool: Pool, { session: ear }: Pick<Notifier, "session">): Serial<string> {
  const here = serialByKey();
  const { enter, leave } = sharedSession(pool);
  const hears = async () =>
    (await ear()
      ?.query("SELECT")
      .catch(() => undefined)) !== undefined;
  const attempt = async (name: string): Promise<Shared | undefined> => {
    const shared = enter();
    try {
      const client = await shared.client;
      if (await tryLock(client, name)) {
        if (await hears()) return shared;
        await unlock(client, name);
      }
      leave(shared);
    } catch {
      // A connection that ends has no locks, and is replaced.
      leave(shared, true);
    }
    return undefined;
  };
  const take = async (name: string): Promise<Shared> => {
    for (let waited = 0; waited <= WAIT_MS; waited += LOOK_MS) {
      const shared = await attempt(name);
      if (shared) return shared;
      await setTimeout(LOOK_MS, undefined, { ref: false });
    }
    throw new StoreError(`another process has been busy with the same for ${WAIT_MS / 1000} seconds`);
  };
  return (key, act) =>
    here(key, async () => {
      const name = `serial/${key}`;
      const shared = await take(name);
      try {
        return await act();
      } finally {
        const given = shared.client.then((client) => unlock(client, name));
        // Statements of a connection run in order.
        given.then(
          () => leave(shared),
          () => leave(shared, true),
        );
      }
    });
}

interface Shared {
  client: Promise<PoolClient>;
  users: number;
  isLost: boolean;
}

/** A connection for all that need one at the same time. */
function sharedSession(pool: Pool) {
  let current: Shared | undefined;
  return {
    enter(): Shared {
      current ??= { client: pool.connect(), users: 0, isLost: false };
      current.users += 1;
      return current;
    },
    leave(shared: Shared, isLost = false) {
      shared.users -= 1;
      shared.isLost ||= isLost;
      if (current === shared && (shared.isLost || shared.users === 0)) current = undefined;
      if (shared.users > 0) return;
      shared.client.then(
        (client) => client.release(shared.isLost),
        () => undefined,
      );
    },
  };
}
