import type { Pool, PoolClient } from "pg";
import { StoreError } from "../store.ts";
import { asStoreError } from "./faults.ts";
import { readText } from "./texts.ts";

/** The oldest version that still gets fixes. */
const MIN_VERSION = 150_000;
const MAX_CONNECTIONS = 10;
/** No statement of a server takes as long, ms; a migration may. */
const STATEMENT_MS = 30_000;
const CONNECT_MS = 10_000;

/** Connections to a database that keeps what it confirms. `onLost`: one has ended. Throws StoreError. */
export async function connect(url: string, onLost: (error: Error) => void): Promise<Pool> {
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
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
  });
  pool.on("error", onLost);
  // One in use reports its loss to whoever waits for an answer, too; unheard, this event would end the process.
  pool.on("connect", (client) => client.on("error", onLost));
  try {
    const client = await pool.connect();
    await assertSafe(client).finally(() => client.release());
    return pool;
  } catch (error) {
    await pool.end();
    throw asStoreError(error, url);
  }
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
