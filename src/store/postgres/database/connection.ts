import type { Writable } from "node:stream";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { StoreError } from "../../store.ts";
import { type Space, watchSpace } from "../care/space.ts";
import { asStoreError } from "./faults.ts";
import { readText } from "./texts.ts";

/** The oldest version that still gets fixes. */
const MIN_VERSION = 150_000;
const MAX_CONNECTIONS = 10;
/** No statement of a server takes as long, ms; a migration may. */
const STATEMENT_MS = 30_000;
/**
 * A process that stands still in a transaction holds rows: they are free before others may take its accounts, seven seconds
 * after its last sign at the earliest, ms.
 */
const STANDSTILL_MS = 5_000;
const CONNECT_MS = 10_000;
/** How long a statement waits for a lock, ms: Gangway holds its own for a moment, or for seconds on a busy disk. */
const LOCK_MS = 5_000;

/** A statement that changes accounts or channels. */
const WRITES_ROWS = /\b(insert into|update|delete from)\s+"?(account|channel)"?[\s(]/i;

/**
 * Connections to a database that keeps what it confirms. `onLost`: one has ended, or (undefined) one was made since.
 * `onRows`: one has changed accounts or channels, and that is committed. Throws StoreError.
 */
export async function connect(
  url: string,
  onLost: (error?: Error) => void,
  onRows: () => void = () => undefined,
  space: Space = watchSpace(),
): Promise<Pool> {
  // Loaded only here: most servers run on SQLite.
  const { default: pg } = await import("pg");
  // Counts, sums and times are integers well below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
  pg.types.setTypeParser(pg.types.builtins.TEXT, readText);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "gangway",
    max: MAX_CONNECTIONS,
    // Statements are sent without waiting for the answers to those before.
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STANDSTILL_MS,
    keepAlive: true,
  });
  let isLost = false;
  // All of them end at once when the server does.
  const lost = (error: Error) => {
    if (!isLost) onLost(error);
    isLost = true;
  };
  pool.on("error", lost);
  // One in use reports its loss to whoever waits for an answer, too; unheard, this event would end the process.
  pool.on("connect", (client) => {
    if (isLost) onLost();
    isLost = false;
    client.on("error", lost);
    sendTogether(client);
    watchQueries(client, onRows, space);
  });
  try {
    const client = await pool.connect();
    await assertSafe(client).finally(() => client.release());
    return pool;
  } catch (error) {
    await pool.end();
    throw asStoreError(error, url);
  }
}

type Query = (config: string | QueryConfig, values?: unknown[]) => Promise<QueryResult>;

/** What leaves in one turn is written to the socket at once: each write costs more than making its statement. */
function sendTogether(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  const query = client.query as Query;
  let isCorked = false;
  client.query = ((...given: Parameters<Query>) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return query.apply(client, given);
  }) as Query as typeof client.query;
}

const writers = new Map<string, boolean>();

/** Whether the text may change accounts or channels. */
function writesRows(text: string): boolean {
  const known = writers.get(text) ?? WRITES_ROWS.test(text);
  writers.set(text, known);
  return known;
}

/** Nothing else is wrapped around a query: each promise costs. */
function watchQueries(client: PoolClient, onRows: () => void, space: Space): void {
  const query = client.query as Query;
  let [isOpen, hasWritten] = [false, false];
  client.query = (async (...given: Parameters<Query>) => {
    // `Pool.query` is told of the answer by a callback: such a statement is not watched.
    if (given.some((each) => typeof each === "function")) return query.apply(client, given);
    const [config] = given;
    const text = typeof config === "string" ? config : config.text;
    if (text.startsWith("BEGIN")) [isOpen, hasWritten] = [true, false];
    const writes = writesRows(text);
    let result: QueryResult;
    try {
      result = await query.apply(client, given);
    } catch (error) {
      space.refused(error);
      throw error;
    }
    if (result.command === "COMMIT") space.stored();
    // A SELECT has it in a WITH, and counts other rows.
    hasWritten ||= writes && (result.rowCount !== 0 || result.command === "SELECT");
    const ends = text === "COMMIT" || text === "ROLLBACK";
    if (hasWritten && (ends || !isOpen)) onRows();
    if (ends) isOpen = false;
    if (ends || !isOpen) hasWritten = false;
    return result;
  }) as Query as typeof client.query;
}

interface Found {
  version: number;
  release: string;
  encoding: string;
  commits: string;
  replica: boolean;
  readOnly: string;
}

const LOOK = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS release,
  current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commits,
  pg_is_in_recovery() AS replica, current_setting('transaction_read_only') AS "readOnly"`;

async function assertSafe(client: PoolClient): Promise<void> {
  const { rows } = await client.query<Found>(LOOK);
  const why = rows[0] && unsafe(rows[0]);
  if (why) throw new StoreError(`DATABASE_URL names ${why}`);
}

/** What is wrong with a server, for the operator. */
export function unsafe({ version, release, encoding, commits, replica, readOnly }: Found): string | undefined {
  if (version < MIN_VERSION)
    return `PostgreSQL ${release}, which is too old: ${MIN_VERSION / 10_000} or newer is needed`;
  if (replica) return "a replica, which takes no writes: name the primary";
  if (readOnly === "on") return "a database that takes no writes: default_transaction_read_only must be off";
  if (encoding !== "UTF8") return `a database with the encoding ${encoding}: create one with ENCODING 'UTF8'`;
  if (commits === "off")
    return "a database that confirms a commit before it is on the disk: synchronous_commit must not be off";
  return undefined;
}
