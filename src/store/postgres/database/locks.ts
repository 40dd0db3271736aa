import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "gangway-messenger/clock";
import { type Serial, serialByKey } from "gangway-messenger/concurrency";
import type { Pool, PoolClient } from "pg";
import { StoreError } from "../../store.ts";
import { run, type Verb } from "../../tables/engine.ts";
import type { Notifier } from "./notifier.ts";

// Adding to a lane, or ending its head, locks its chat until the commit and shares its channel; changing all lanes of a
// channel locks it. Channels come before chats, each in one order: lock order prevents deadlock.

/** Without `chat`: only its channel's shared lock. */
export interface Chat {
  channelId: string;
  chat?: string;
}

/** Advisory locks are named by 64-bit numbers. */
export const nameOf = (text: string): string => createHash("sha256").update(text).digest().readBigInt64BE(0).toString();
const channelName = (channelId: string) => nameOf(channelId);
const chatNames = ({ channelId, chat }: Chat) => (chat === undefined ? [] : [nameOf(`${channelId}/${chat}`)]);

/** Takes the locks in the order of the values: channels first. */
export const LOCK = `SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(name) ELSE pg_advisory_xact_lock(name) END
  FROM json_to_recordset(CAST(@locks AS json)) AS lock (name bigint, shared boolean)`;

interface Lock {
  /** A 64-bit number as text: JavaScript's numbers cannot hold it. */
  name: string;
  shared: boolean;
}
const inOrder = (names: Iterable<string>, shared: boolean): Lock[] =>
  [...new Set(names)].sort().map((name) => ({ name, shared }));

/** The locks of these chats, for `LOCK`. */
export function locksOf(chats: Iterable<Chat>): Lock[] {
  const all = [...chats];
  const channelIds = all.map(({ channelId }) => channelId);
  return [...inOrder(channelIds.map(channelName), true), ...inOrder(all.flatMap(chatNames), false)];
}

const hold = (locks: Lock[]): Verb<void> => run(LOCK, { locks: JSON.stringify(locks) });

/** Locks all lanes of these channels. */
export const holdChannels = (channelIds: string[]): Verb<void> => hold(inOrder(channelIds.map(channelName), false));

/** Locks the chat's lanes; without a chat, all lanes of the channel. */
export const holdLanes = (channelId: string, chat?: string): Verb<void> =>
  chat === undefined ? holdChannels([channelId]) : hold(locksOf([{ channelId, chat }]));

/**
 * Locks messages by id. Another transaction may be marking them, and a statement that filters by state would not wait
 * for it. In order of ids, so that no two transactions wait for each other.
 */
export const LOCK_MESSAGES = `SELECT FROM message
  WHERE id IN (SELECT CAST(json_array_elements_text(CAST(@ids AS json)) AS bigint)) ORDER BY id FOR UPDATE`;

// Session locks end with their connection, so that a process that dies holds nothing.

const TRY = "SELECT pg_try_advisory_lock($1) AS mine";
const LEAVE = "SELECT pg_advisory_unlock($1)";
/** Interval and duration of the tries for a lock that another process holds, ms. No act under a lock takes as long. */
const [LOOK_MS, WAIT_MS] = [100, 120_000];

/** False when another session holds the lock. A session can take a lock several times. */
async function tryLock(session: PoolClient, name: string): Promise<boolean> {
  const { rows } = await session.query<{ mine: boolean }>(TRY, [nameOf(name)]);
  return rows[0]?.mine === true;
}

export const unlock = (session: PoolClient, name: string): Promise<unknown> => session.query(LEAVE, [nameOf(name)]);

/** Runs `work` unless another process is running some under the same name; resolves with undefined then. */
export async function aloneOver<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T | undefined> {
  const client = await pool.connect();
  let isLost = true;
  try {
    const isMine = await tryLock(client, name);
    try {
      return isMine ? await work() : undefined;
    } finally {
      if (isMine) await unlock(client, name);
      isLost = false;
    }
  } finally {
    client.release(isLost);
  }
}

/**
 * Serializes acts over all processes. Locks have a connection of their own: the listening one is given up after some
 * silence, while an act goes on. Before an act begins, this process has heard what others committed before it got the
 * lock, so that it reads nothing older. Rejects with StoreError when another process keeps the lock, and with the
 * connection's error while the database cannot be reached.
 */
export function serialOverAll(
  pool: Pool,
  { session: listener }: Pick<Notifier, "session">,
  waitMs = WAIT_MS,
): Serial<string> {
  const here = serialByKey();
  const { enter, leave } = sharedSession(pool);
  const hasHeardAll = async () =>
    (await listener()
      ?.query("SELECT")
      .catch(() => undefined)) !== undefined;
  /** Resolves with an error when the connection is lost, with undefined when another process has the lock. */
  const attempt = async (name: string): Promise<Shared | Error | undefined> => {
    const shared = enter();
    try {
      const client = await shared.client;
      if (await tryLock(client, name)) {
        if (await hasHeardAll()) return shared;
        await unlock(client, name);
      }
      leave(shared);
    } catch (error) {
      // A lost connection holds no locks, and is replaced.
      leave(shared, true);
      return error as Error;
    }
    return undefined;
  };
  const take = async (name: string): Promise<Shared> => {
    const until = systemClock.monotonic() + waitMs;
    for (;;) {
      const got = await attempt(name);
      if (got && !(got instanceof Error)) return got;
      if (systemClock.monotonic() >= until)
        throw got ?? new StoreError(`another process has been busy with the same for ${waitMs / 1000} seconds`);
      await setTimeout(LOOK_MS, undefined, { ref: false });
    }
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

/** One connection, shared by all who need one at the same time. */
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
