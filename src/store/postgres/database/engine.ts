import { is, SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { ifOpens, type Sealer } from "../../secrets.ts";
import type { Buried } from "../../tables/channels/kept-files.ts";
import {
  all,
  type Booking,
  COUNTS,
  type Counts,
  type Engine,
  first,
  type Orm,
  run,
  type Statement,
  statementsOf,
  TIMES,
  type Times,
  type Transaction,
  type Verb,
} from "../../tables/engine.ts";
import { ACCOUNTS, ALL, ERASURE_KEY, erasureKey, nameHash } from "../../tables/erasing/erasures.ts";
import { tallies } from "../../tables/schema.ts";
import { storedValue } from "./connection.ts";
import { causeOf, connected, isLost } from "./faults.ts";
import { holdLanes } from "./locks.ts";
import type { Notifier } from "./notifier.ts";

const nameOf = (name: keyof (Counts & Times)) => tallies[name].name;
const added = COUNTS.map((name) => `${nameOf(name)} = tally.${nameOf(name)} + excluded.${nameOf(name)}`);
const newest = TIMES.map((name) => `${nameOf(name)} = greatest(tally.${nameOf(name)}, excluded.${nameOf(name)})`);
/** Ordered by channel, so that transactions that book for the same channels wait in turn. */
export const BOOK = `INSERT INTO tally (channel_id, account_id, ${[...COUNTS, ...TIMES].map(nameOf)})
  SELECT "channelId", "accountId", ${[...COUNTS.map((name) => `coalesce("${name}", 0)`), ...TIMES.map((name) => `"${name}"`)]}
  FROM json_to_recordset(CAST(@sums AS json)) AS sums ("channelId" text, "accountId" text,
    ${[...COUNTS, ...TIMES].map((name) => `"${name}" bigint`)}) ORDER BY "channelId"
  ON CONFLICT (channel_id) DO UPDATE SET ${[...added, ...newest]}`;

/** The values of `BOOK`, summed by channel: a statement changes a row once. */
export function sumsOf(all: Booking[]): { sums: string } {
  const channels = new Map<string, Booking>();
  for (const { channelId, accountId, ...more } of all) {
    const sums = channels.get(channelId) ?? { channelId, accountId };
    channels.set(channelId, sums);
    for (const name of COUNTS) sums[name] = (sums[name] ?? 0) + (more[name] ?? 0);
    for (const name of TIMES) sums[name] = more[name] ?? sums[name];
  }
  return { sums: JSON.stringify([...channels.values()]) };
}

const POSITION = "SELECT nextval(pg_get_serial_sequence('message', 'id')) AS position";

/** Until the transaction ends no erasure in the channel begins: that would change its row. */
const KEEP = `SELECT value FROM channel LEFT JOIN meta ON key = 'erasure_key' WHERE id = @channelId FOR SHARE OF channel`;
const FIND = `SELECT hash, at FROM erased WHERE channel_id = @channelId
  AND hash IN (SELECT json_array_elements_text(CAST(@hashes AS json)))`;

export function* buriedIn(sealer: Sealer, channelId: string, names: string[]): Verb<Buried> {
  return yield* buriedUnder(yield* erasureKey(sealer), channelId, names);
}

/** Like `buriedIn`, as the first statement of a write: nothing more is buried in the channel until the write ends. */
export function* keptBuried(sealer: Sealer, channelId: string, names: string[]): Verb<Buried> {
  const stored = yield* first<{ value: string | null }>(KEEP, { channelId });
  const { value } = stored ?? {};
  return yield* buriedUnder(value ? ifOpens(() => sealer.open(value, ERASURE_KEY)) : undefined, channelId, names);
}

function* buriedUnder(key: string | undefined, channelId: string, names: string[]): Verb<Buried> {
  const hashes = key === undefined ? [] : names.map((name) => nameHash(key, channelId, name));
  const found = yield* all<{ hash: string; at: number }>(FIND, { channelId, hashes: JSON.stringify([...hashes, ALL]) });
  const times = found.filter(({ hash }) => hash !== ALL).map(({ at }) => at);
  return { gone: found.length > times.length, at: times.length > 0 ? Math.max(...times) : undefined };
}

type Load<T> = () => Verb<T | undefined>;

/**
 * Caches accounts and channels until they are written: for reads outside a transaction, and only while this process
 * hears of other processes' writes.
 */
interface RowCache {
  row<T>(table: string, id: string, load: Load<T>): Verb<T | undefined>;
  /** Caches other reads of them, by kind and key; forgotten at every write to them. */
  find<T>(what: string, key: string, load: Load<T>): Verb<T | undefined>;
  /** Call when this process has written such rows, and has not heard of that yet. */
  forget(): void;
}

/** The account of a row, by table; rows of other tables are not cached. */
const ACCOUNT_OF: Record<string, (row: unknown) => string> = {
  account: (row) => (row as { id: string }).id,
  limits: (row) => (row as { accountId: string }).accountId,
  channel: (row) => (row as { accountId: string }).accountId,
};
/** Maximum number of cached rows, and of other cached reads. */
const MAX_ROWS = 50_000;

export function createRowCache(notifier: Pick<Notifier, "isHearing" | "onRows">): RowCache {
  /** By account, then by table and id. */
  const rows = new Map<string, Map<string, unknown>>();
  const places = new Map<string, string>();
  const found = new Map<string, unknown>();
  /** Number of writes heard of: a read that overlaps one may be older, and is not cached. */
  let writes = 0;
  const forget = (accountIds?: string[]) => {
    writes += 1;
    found.clear();
    for (const id of accountIds ?? rows.keys()) {
      for (const name of rows.get(id)?.keys() ?? []) places.delete(name);
      rows.delete(id);
    }
  };
  notifier.onRows(forget);
  function* keep<T>(known: unknown, load: Load<T>, add: (loaded: T) => void): Verb<T | undefined> {
    if (!notifier.isHearing()) return yield* load();
    if (known !== undefined) return known as T;
    const before = writes;
    const loaded = yield* load();
    if (loaded !== undefined && writes === before && notifier.isHearing()) add(loaded);
    return loaded;
  }
  return {
    row(table, id, load) {
      const accountOf = ACCOUNT_OF[table];
      if (!accountOf) return load();
      const name = `${table} ${id}`;
      return keep(rows.get(places.get(name) ?? "")?.get(name), load, (row) => {
        const account = accountOf(row);
        if (places.size >= MAX_ROWS) forget();
        places.set(name, account);
        rows.set(account, (rows.get(account) ?? new Map()).set(name, row));
      });
    },
    find(what, key, load) {
      const name = `${what} ${key}`;
      return keep(found.get(name), load, (one) => {
        if (found.size >= MAX_ROWS) found.clear();
        found.set(name, one);
      });
    },
    forget: () => forget(),
  };
}

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

/** Rejects only when the connection is lost: another one then answers the rest. */
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
  /** Runs a verb within the connection's open transaction. */
  within<T>(client: PoolClient, work: (tx: Transaction) => Verb<T>): Promise<T>;
}

interface Given {
  sealer: Sealer;
  /** Absent: nothing is cached. */
  rows?: RowCache;
  /** Called after a commit. */
  changed?(accountId: string): void;
}

export function postgresEngine(pool: Pool, { sealer, rows, changed = () => undefined }: Given): PostgresEngine {
  // What is built for a connection is kept as long as the connection.
  const made = new WeakMap<PoolClient, { tx: Transaction; accounts: Set<string> }>();
  const on = (client: PoolClient) => {
    const accounts = new Set<string>();
    const known = made.get(client) ?? { tx: createTransaction(client, sealer, (id) => accounts.add(id)), accounts };
    made.set(client, known);
    return known;
  };
  // Outside a transaction each statement takes any connection, and cached rows take none.
  const reads = readsOf(pool);
  const reading = { ...createTransaction(reads, sealer, () => undefined), ...rows };
  const within: PostgresEngine["within"] = (client, work) => drive(client, work(on(client).tx));
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
          const { accounts } = on(client);
          accounts.clear();
          const value = await within(client, work);
          committing();
          await client.query("COMMIT");
          for (const accountId of accounts) changed(accountId);
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

/** Replaces `@name` by PostgreSQL's `$1`. Each text is prepared once per connection. */
export function numbered(text: string, values: Record<string, unknown>) {
  const known = texts.get(text) ?? { name: `verb ${texts.size}`, ...numbersIn(text) };
  texts.set(text, known);
  return { name: known.name, text: known.text, values: known.names.map((name) => storedValue(values[name])) };
}

/** The connection for drizzle's statements: encodes their values. */
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

function createTransaction(client: Queries, sealer: Sealer, changed: Transaction["changed"]): Transaction {
  // SQLite's types fit: the builders read only names and mappings of the tables, which are the same.
  const orm = drizzle(storing(client)) as unknown as Orm;
  return {
    orm,
    statements: statementsOf(orm),
    // No cache: a transaction reads current rows.
    row: (_, __, load) => load(),
    find: (_, __, load) => load(),
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
    *book(all) {
      if (all.length > 0) yield* run(BOOK, sumsOf(all));
    },
    *nextPosition() {
      return (yield* first<{ position: number }>(POSITION))?.position ?? 0;
    },
  };
}
