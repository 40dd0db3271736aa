import { is, SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import type { Sealer } from "../../secrets.ts";
import { type Engine, first, type Orm, type Statement, type Transaction, type Verb } from "../../tables/engine.ts";
import { ACCOUNTS } from "../../tables/erasing/erased.ts";
import { bookRefused } from "../tables/sums.ts";
import { buriedIn, keptBuried } from "../tables/tombstones.ts";
import { causeOf, isLost } from "./faults.ts";
import { holdLanes } from "./lanes.ts";
import { connected } from "./reruns.ts";
import type { RowCache } from "./row-cache.ts";
import { storedValue } from "./texts.ts";

/** What runs statements: a connection, or the pool. */
interface Queries {
  query(config: QueryConfig, values?: unknown[]): Promise<QueryResult>;
}

interface Read {
  config: QueryConfig;
  values: unknown[] | undefined;
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
  isAnswered: boolean;
}

/** Statements outside a transaction: those of a turn share a connection and a round trip. */
function readsOf(pool: Pool): Queries {
  let turn: Read[] = [];
  const readAll = async () => {
    const reads = turn;
    turn = [];
    const left = () => reads.filter(({ isAnswered }) => !isAnswered);
    try {
      await connected(pool, async (client) => void (await Promise.all(left().map((read) => answer(client, read)))));
    } catch (error) {
      for (const { reject } of left()) reject(error);
    }
  };
  return {
    query: (config, values) =>
      new Promise((resolve, reject) => {
        if (turn.length === 0) setImmediate(() => void readAll());
        turn.push({ config, values, resolve, reject, isAnswered: false });
      }),
  };
}

/** Rejects when the connection is lost: another answers what this one has not. */
async function answer(client: PoolClient, read: Read): Promise<void> {
  try {
    read.resolve(await client.query(read.config, read.values));
  } catch (error) {
    if (isLost(error)) throw error;
    read.reject(error);
  }
  read.isAnswered = true;
}

/** Runs shared verbs on connections of the pool, each write in a transaction of its own. */
export interface PostgresEngine extends Engine {
  /** Runs one within a transaction. */
  within<T>(client: PoolClient, work: (tx: Transaction) => Verb<T>): Promise<T>;
}

interface Given {
  sealer: Sealer;
  /** Absent: nothing is kept. */
  rows?: RowCache;
  /** Called after a commit. */
  changed?(accountId: string): void;
}

export function postgresEngine(pool: Pool, { sealer, rows, changed = () => undefined }: Given): PostgresEngine {
  const accounts = new WeakMap<PoolClient, Set<string>>();
  const changedIn = (client: PoolClient) => {
    const known = accounts.get(client) ?? new Set();
    accounts.set(client, known);
    return known;
  };
  const transactionOf = transactions(sealer, (client, accountId) => void changedIn(client).add(accountId));
  // Outside a transaction each statement takes any connection, and what is kept takes none.
  const reads = readsOf(pool);
  const reading = { ...createTransaction(reads, sealer, () => undefined), ...rows };
  const within: PostgresEngine["within"] = (client, work) => drive(client, work(transactionOf(client)));
  return {
    within,
    async read(work) {
      try {
        return await drive(reads, work(reading));
      } catch (error) {
        throw causeOf(error);
      }
    },
    write: (work, how) =>
      connected(pool, async (client, committing) => {
        await client.query(how === "lanes" ? "BEGIN" : "BEGIN ISOLATION LEVEL SERIALIZABLE");
        try {
          changedIn(client).clear();
          const value = await within(client, work);
          committing();
          await client.query("COMMIT");
          for (const accountId of changedIn(client)) changed(accountId);
          return value;
        } catch (error) {
          await client.query("ROLLBACK").catch(() => undefined);
          throw error;
        }
      }),
  };
}

async function drive<T>(client: Queries, work: Verb<T>): Promise<T> {
  let step = work.next();
  while (!step.done) step = work.next(await rowsOf(client, step.value));
  return step.value;
}

async function rowsOf(client: Queries, { query, values = {} }: Statement): Promise<unknown[]> {
  if (is(query, SQL)) return (await drizzle(storing(client)).execute(query)).rows;
  if (typeof query === "string") return (await client.query(numbered(query, values))).rows;
  const found = await (query as unknown as { execute(values: object): Promise<unknown> }).execute(values);
  return Array.isArray(found) ? found : [];
}

const texts = new Map<string, { name: string; text: string; names: string[] }>();

/** PostgreSQL numbers what verbs name. Each text is prepared once a connection. */
export function numbered(text: string, values: Record<string, unknown>) {
  const known = texts.get(text) ?? { name: `verb ${texts.size}`, ...numbersIn(text) };
  texts.set(text, known);
  return { name: known.name, text: known.text, values: known.names.map((name) => storedValue(values[name])) };
}

/** The connection, for statements that are built. */
const storing = (client: Queries) =>
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
function transactions(
  sealer: Sealer,
  changed: (client: PoolClient, accountId: string) => void,
): (client: PoolClient) => Transaction {
  const made = new WeakMap<PoolClient, Transaction>();
  return (client) => {
    const tx = made.get(client) ?? createTransaction(client, sealer, (id) => changed(client, id));
    made.set(client, tx);
    return tx;
  };
}

const CHAT = `SELECT chat, created_at AS "createdAt" FROM chat
  WHERE channel_id = @channelId AND gateway_chat = @gatewayChat`;

function createTransaction(client: Queries, sealer: Sealer, changed: Transaction["changed"]): Transaction {
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
    // A transaction reads what is there now.
    row: (_, __, load) => load(),
    find: (_, __, load) => load(),
    chat: (channelId, gatewayChat) => first(CHAT, { channelId, gatewayChat }),
    changed,
    *mayStore(channelId, names) {
      const { gone, at } = yield* keptBuried(sealer, channelId, names);
      return !gone && at === undefined;
    },
    *isAccountErased(id) {
      return (yield* buriedIn(sealer, ACCOUNTS, [id])).at !== undefined;
    },
    joinLive: sql`JOIN message`,
    indexedBy: () => sql``,
    holdLanes,
    refused: bookRefused,
  };
}
