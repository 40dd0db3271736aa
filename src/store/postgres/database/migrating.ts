import { pause, systemClock } from "gangway-messenger/clock";
import { errorCode } from "gangway-messenger/errors";
import type { Pool, PoolClient } from "pg";
import { migrationsFolder, tooOldToMigrate } from "../../migrations.ts";
import { StoreError } from "../../store.ts";
import { first, type Verb } from "../../tables/engine.ts";
import { NOW } from "../tables/leases.ts";
import { withoutStatementTimeout } from "./connection.ts";
import { asStoreError, NO_LOCK } from "./faults.ts";
import { type Migration, readMigrations, tooOld } from "./migrations.ts";

/** Lock that one starting process holds while others wait; no other program may use the same number. */
const LOCK = 4_264_929;
/** How long a statement waits for a table lock, ms; whatever queues behind it waits as long. */
const LOCK_TIMEOUT_MS = 2_000;
/** Pause between two tries, in which queued statements go on, ms. */
const PAUSE_MS = 500;
/** How long a migration tries to lock its tables, ms. */
const PATIENCE_MS = 600_000;
/** How long to wait for older processes, ms: a killed one still counts for 10 s. */
const OLDER_MS = 15_000;
/** The last migration before the baseline, which creates the same tables. */
const BEFORE_BASELINE = "0010_unanswered_starts";
/** PostgreSQL's code for a conflict with another transaction. */
const CONFLICT = "40001";

const TABLE = `CREATE TABLE IF NOT EXISTS migration (
  name text COLLATE "C" PRIMARY KEY, oldest text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
const IS_MADE = "SELECT to_regclass('migration') IS NOT NULL AS made";
const HAS_TABLES = "SELECT to_regclass('message') IS NOT NULL AND to_regclass('account_lease') IS NOT NULL AS has";
const APPLIED = "SELECT name, oldest FROM migration ORDER BY name";
const RECORD = "INSERT INTO migration (name, oldest) VALUES ($1, $2)";
const OLDER = `SELECT count(*) AS count FROM member WHERE expires_at > ${NOW} AND knows < $1`;

/** Applies missing migrations, one process at a time. Returns the newest that this program knows. Throws StoreError. */
export async function migrateTables(
  pool: Pool,
  url: string,
  folder = migrationsFolder("postgres"),
  patience = { lockMs: PATIENCE_MS, olderMs: OLDER_MS },
): Promise<string> {
  const known = readMigrations(folder);
  const client = await pool.connect();
  try {
    // Looks before it locks: most starts find nothing missing, also while a newer version migrates.
    if ((await missing(client, known)).length > 0) {
      await withoutStatementTimeout(client);
      await client.query("SET lock_timeout = 0");
      await holdLock(client);
      await client.query(TABLE);
      for (const migration of await missing(client, known)) await apply(client, migration, patience);
    }
    return known.at(-1)?.name ?? "";
  } catch (error) {
    throw asStoreError(error, url);
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true);
  }
}

/** Whether the database is one of Gangway's, of whatever version. */
export function* hasTables(): Verb<boolean> {
  return (yield* first<{ has: boolean }>(HAS_TABLES))?.has === true;
}

/** For a command beside servers, which migrates nothing. Returns the newest migration it knows. Throws StoreError. */
export async function assertMigrated(pool: Pool, url: string): Promise<string> {
  const known = readMigrations(migrationsFolder("postgres"));
  const client = await pool.connect();
  try {
    if ((await missing(client, known)).length > 0)
      throw new StoreError(
        "the database of DATABASE_URL is empty, or from an older version of Gangway: start a server of this version once to migrate it",
      );
    return known.at(-1)?.name ?? "";
  } catch (error) {
    throw asStoreError(error, url);
  } finally {
    client.release();
  }
}

/** Polls: `CREATE INDEX CONCURRENTLY`, which runs under this lock, would wait for a statement that waits for it. */
async function holdLock(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>("SELECT pg_try_advisory_lock($1) AS held", [LOCK]);
    if (rows[0]?.held) return;
    await pause(systemClock, PAUSE_MS);
  }
}

async function missing(client: PoolClient, known: Migration[]): Promise<Migration[]> {
  const { made } = (await client.query<{ made: boolean }>(IS_MADE)).rows[0] ?? {};
  const applied = made ? (await client.query<{ name: string; oldest: string }>(APPLIED)).rows : [];
  const [baseline = "", newest = ""] = [known[0]?.name, known.at(-1)?.name];
  const contract = applied.find(({ oldest }) => oldest > newest);
  if (contract) throw tooOld(contract.name);
  const names = new Set(applied.map(({ name }) => name));
  const hasBaseline = names.has(baseline) || names.has(BEFORE_BASELINE);
  if (applied.length > 0 && !hasBaseline)
    throw new StoreError(`the database of DATABASE_URL ${tooOldToMigrate(BEFORE_BASELINE)}`);
  const isStrange = (name: string) => name >= baseline && name <= newest && !known.some((each) => each.name === name);
  const strange = applied.find(({ name }) => isStrange(name));
  if (strange)
    throw new StoreError(
      `the database of DATABASE_URL has the migration ${strange.name}, which this program should know and does not: it is of another build of Gangway`,
    );
  return known
    .filter(({ name }) => !names.has(name))
    .map((each) => (each.name === baseline && hasBaseline ? { ...each, statements: [] } : each));
}

async function apply(
  client: PoolClient,
  migration: Migration,
  { lockMs, olderMs }: { lockMs: number; olderMs: number },
): Promise<void> {
  const { name, oldest = "", statements, concurrent } = migration;
  const begun = systemClock.monotonic();
  const since = () => systemClock.monotonic() - begun;
  if (concurrent) {
    for (const statement of statements) await client.query(statement);
    await client.query(RECORD, [name, oldest]);
    return;
  }
  for (;;) {
    const fault = await attempt(client, migration);
    if (fault === undefined) return;
    if (fault === "locked" && since() > lockMs)
      throw new StoreError(
        `the migration ${name} cannot lock its tables, since other transactions hold them: end those (pg_stat_activity shows them), and start again`,
      );
    if (fault === "older" && since() > olderMs)
      throw new StoreError(
        `the migration ${name} needs programs that know ${oldest}, and processes of an older version run on the database: stop them, or exchange them for the version between first`,
      );
    await pause(systemClock, PAUSE_MS);
  }
}

/** Applies a migration in a transaction. Returns an obstacle that may pass; undefined when it is applied. */
async function attempt(client: PoolClient, { name, oldest = "", statements }: Migration) {
  // Serializable, like the transaction in which a process joins: if the two conflict, one runs again.
  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    if (oldest && (await client.query<{ count: number }>(OLDER, [oldest])).rows[0]?.count) {
      await client.query("ROLLBACK");
      return "older";
    }
    for (const statement of statements) await client.query(statement);
    await client.query(RECORD, [name, oldest]);
    await client.query("COMMIT");
    return undefined;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    if (errorCode(error) === NO_LOCK) return "locked";
    if (errorCode(error) === CONFLICT) return "conflict";
    throw error;
  }
}
