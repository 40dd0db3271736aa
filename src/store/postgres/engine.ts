import { is, SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient, QueryConfig } from "pg";
import { errorCode } from "../../domain/errors.ts";
import type { Sealer } from "../secrets.ts";
import { type Engine, first, just, type Orm, type Statement, type Transaction, type Work } from "../tables/engine.ts";
import { ACCOUNTS } from "../tables/erased.ts";
import { causeOf, isLost } from "./faults.ts";
import { storedValue } from "./texts.ts";
import { buriedIn } from "./tombstones.ts";

/** Two transactions have read what the other has written: one of them must run again. */
const CONFLICTS = new Set(["40001", "40P01"]);
/** The one that commits first wins, so this many lose in a row only to as many others. */
const MAX_RERUNS = 50;

/** Runs shared verbs on connections of the pool, each write in a serializable transaction of its own. */
export function postgresEngine(pool: Pool, sealer: Sealer): Engine {
  const transactionOf = transactions(sealer);
  return {
    read: (work) => connected(pool, (client) => drive(client, work(transactionOf(client)))),
    write: (work) =>
      connected(pool, (client, committing) => inTransaction(client, () => work(transactionOf(client)), committing)),
  };
}

/** Runs `use` again after a conflict, or on another connection when it was lost before `committing` was called. */
async function connected<T>(pool: Pool, use: (client: PoolClient, committing: () => void) => Promise<T>): Promise<T> {
  for (let rerun = 0; ; rerun++) {
    const client = await pool.connect();
    let isCommitting = false;
    try {
      const value = await use(client, () => {
        isCommitting = true;
      });
      client.release();
      return value;
    } catch (thrown) {
      const error = causeOf(thrown);
      const lost = isLost(error);
      client.release(lost);
      const again = lost ? !isCommitting : CONFLICTS.has(errorCode(error) ?? "");
      if (!again || rerun >= MAX_RERUNS) throw error;
    }
  }
}

async function inTransaction<T>(client: PoolClient, work: () => Work<T>, committing: () => void): Promise<T> {
  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
  try {
    const value = await drive(client, work());
    committing();
    await client.query("COMMIT");
    return value;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function drive<T>(client: PoolClient, work: Work<T>): Promise<T> {
  let step = work.next();
  while (!step.done) step = work.next(await rowsOf(client, step.value));
  return step.value;
}

async function rowsOf(client: PoolClient, { query, values = {} }: Statement): Promise<unknown[]> {
  if (is(query, SQL)) return (await drizzle(storing(client)).execute(query)).rows;
  if (typeof query === "string") return (await client.query(numbered(query, values))).rows;
  const found = await (query as unknown as { execute(values: object): Promise<unknown> }).execute(values);
  return Array.isArray(found) ? found : [];
}

const texts = new Map<string, { name: string; text: string; names: string[] }>();

/** PostgreSQL numbers what verbs name. Each text is prepared once a connection. */
function numbered(text: string, values: Record<string, unknown>) {
  const known = texts.get(text) ?? { name: `verb ${texts.size}`, ...numbersIn(text) };
  texts.set(text, known);
  return { name: known.name, text: known.text, values: known.names.map((name) => storedValue(values[name])) };
}

/** The connection, for statements that are built. */
const storing = (client: PoolClient) =>
  ({
    query: (config: QueryConfig, values?: unknown[]) => client.query(config, values?.map(storedValue)),
  }) as PoolClient;

function numbersIn(named: string): { text: string; names: string[] } {
  const names: string[] = [];
  const text = named.replace(/@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}

/** What is built for a connection lasts as long as it. */
function transactions(sealer: Sealer): (client: PoolClient) => Transaction {
  const made = new WeakMap<PoolClient, Transaction>();
  return (client) => {
    const tx = made.get(client) ?? createTransaction(client, sealer);
    made.set(client, tx);
    return tx;
  };
}

const CHAT = `SELECT chat, created_at AS "createdAt" FROM chat
  WHERE channel_id = @channelId AND gateway_chat = @gatewayChat`;

function createTransaction(client: PoolClient, sealer: Sealer): Transaction {
  // Its builders read names and mappings of the tables, which are the same.
  const orm = drizzle(storing(client)) as unknown as Orm;
  const groups = new Map<unknown, unknown>();
  return {
    orm,
    statements<S>(prepareAll: (orm: Orm) => S): S {
      const known = groups.has(prepareAll) ? (groups.get(prepareAll) as S) : prepareAll(orm);
      groups.set(prepareAll, known);
      return known;
    },
    // Nothing is kept: other processes write, too.
    row: (_, __, load) => load(),
    find: (_, __, load) => load(),
    chat: (channelId, gatewayChat) => first(CHAT, { channelId, gatewayChat }),
    changed: () => undefined,
    *mayStore(channelId, names) {
      const { gone, at } = yield* buriedIn(sealer, channelId, names);
      return !gone && at === undefined;
    },
    *isAccountErased(id) {
      return (yield* buriedIn(sealer, ACCOUNTS, [id])).at !== undefined;
    },
    joinLive: sql`JOIN message`,
    // No verb stores messages here yet.
    moveMessages: () => just(undefined),
  };
}
