import { setTimeout } from "node:timers/promises";
import { errorCode } from "gangway-messenger/errors";
import type { Pool, PoolClient } from "pg";
import type { NotePrefix, Retention } from "../../care.ts";
import type { ErasingEngine } from "../../erasing/engine.ts";
import { StoreError } from "../../store.ts";
import * as shared from "../../tables/care/retention.ts";
import { all, type Engine, run } from "../../tables/engine.ts";
import { owedTraces, removedTraces } from "../../tables/erasing/erasures.ts";
import { withoutStatementTimeout } from "../database/connection.ts";
import type { PostgresEngine } from "../database/engine.ts";
import { NO_LOCK } from "../database/faults.ts";
import { aloneOver, holdChannels, LOCK_MESSAGES, nameOf } from "../database/locks.ts";
import { NOTIFY_ERASED, type Notifier } from "../database/notifier.ts";
import { dropChunks, type KeptObjects } from "../files/kept-files.ts";

// PostgreSQL keeps what was deleted as dead rows until VACUUM removes them, and samples of columns in its statistics.

/** Codes that put VACUUM off: another transaction uses the table, or `close` or the server cancels it. */
const PUT_OFF = new Set([NO_LOCK, "57014"]);
/** Size of all tables, bytes, above which VACUUM does not run while a caller waits (`soon`). */
const MAX_SOON = 256 * 1024 * 1024;
const LOCK = nameOf("traces");
const TABLES = `SELECT CAST(relname AS text) AS name, pg_total_relation_size(oid) AS bytes
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;
/** Tables that only erasing changes: dead rows that VACUUM leaves there are needed by an older transaction. */
const LAST_CHANGED = ["erasure", "erasure_request"];
const DEAD = `SELECT coalesce(sum(n_dead_tup), 0) AS dead FROM pg_stat_all_tables
  WHERE schemaname = current_schema() AND relname IN ('${LAST_CHANGED.join("','")}')`;
/** Pauses before each look, ms: a session may count the rows it deleted only after VACUUM has run. */
const PAUSES = [0, 250, 1_000];
/** Longer than deadlock_timeout (1 s), after which autovacuum gives way. */
const LOCK_TIMEOUT_MS = 2_000;
const vacuum = (table: string) => `VACUUM (ANALYZE, INDEX_CLEANUP ON) "${table}"`;
/** Whether ANALYZE found rows; one may have come since. */
const FOUND_ROWS = "SELECT FROM pg_class WHERE oid = quote_ident($1)::regclass AND reltuples > 0";
/** Columns whose statistics hold values. Columns that triggers name cannot be changed; none of them holds texts. */
const SAMPLED = `SELECT quote_ident(attname) AS "column", format_type(atttypid, atttypmod) || CASE WHEN attcollation = 0 THEN ''
    ELSE (SELECT format(' COLLATE %I.%I', nspname, collname) FROM pg_collation
      JOIN pg_namespace ON pg_namespace.oid = collnamespace WHERE pg_collation.oid = attcollation) END AS type
  FROM pg_stats JOIN pg_attribute USING (attname)
  WHERE schemaname = current_schema() AND tablename = $1 AND attrelid = quote_ident($1)::regclass
    AND (most_common_vals IS NOT NULL OR histogram_bounds IS NOT NULL)
    AND NOT EXISTS (SELECT FROM pg_depend
      WHERE refobjid = attrelid AND refobjsubid = attnum AND classid = 'pg_trigger'::regclass)`;

/** `close` cancels a removal that is running. */
function createTraces(pool: Pool, engine: PostgresEngine, pauses: number[]) {
  let running: number | undefined;
  const removeTraces: ErasingEngine["removeTraces"] = async (how) => {
    const mark = await engine.read(owedTraces);
    if (mark === undefined) return true;
    const client = await pool.connect();
    try {
      // VACUUM takes as long as the tables are large.
      await withoutStatementTimeout(client);
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS mine, pg_backend_pid() AS pid", [LOCK]);
      if (!rows[0].mine) return false;
      running = rows[0].pid;
      const { rows: tables } = await client.query<{ name: string; bytes: number }>(TABLES);
      if (how === "soon" && tables.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_SOON) return false;
      if (!(await isPast(client, pauses))) return false;
      for (const { name } of tables) {
        await client.query(vacuum(name));
        await forgetStatistics(client, name);
      }
      await client.query("VACUUM pg_catalog.pg_statistic");
    } catch (error) {
      if (PUT_OFF.has(errorCode(error) ?? "")) return false;
      throw error;
    } finally {
      running = undefined;
      // Ends the session, and with it the lock and the setting.
      client.release(true);
    }
    await engine.write(() => removedTraces(mark));
    return true;
  };
  return {
    removeTraces,
    async close() {
      if (running !== undefined) await pool.query("SELECT pg_cancel_backend($1)", [running]);
    },
  };
}

/** Whether no transaction still needs what the last erasure deleted; one that ends soon is waited for. */
async function isPast(client: PoolClient, pauses: number[]): Promise<boolean> {
  for (const pause of pauses) {
    await setTimeout(pause);
    // Without ANALYZE, which counts dead rows that must stay as none (measured).
    for (const table of LAST_CHANGED) await client.query(`VACUUM "${table}"`);
    const { rows } = await client.query<{ dead: number }>(DEAD);
    if (rows[0]?.dead === 0) return true;
  }
  return false;
}

/** ANALYZE leaves samples of a table that it finds empty. Giving a column a type, though its own, drops them. */
async function forgetStatistics(client: PoolClient, table: string): Promise<void> {
  if ((await client.query(FOUND_ROWS, [table])).rows.length > 0) return;
  const { rows } = await client.query<{ column: string; type: string }>(SAMPLED, [table]);
  if (rows.length === 0) return;
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const changes = rows.map(({ column, type }) => `ALTER COLUMN ${column} TYPE ${type}`);
  await client.query(`ALTER TABLE "${table}" ${changes.join(", ")}`);
  await client.query("RESET lock_timeout");
}

const TABLES_WITH = `SELECT CAST(columns.table_name AS text) AS name FROM information_schema.columns
  JOIN information_schema.tables ON tables.table_schema = columns.table_schema AND tables.table_name = columns.table_name
  WHERE columns.table_schema = current_schema() AND table_type = 'BASE TABLE' AND column_name = @column`;
/** Changes the channels' rows, to wait for writers that hold no lanes but lock such a row. */
const CHANGE_CHANNELS = `UPDATE channel SET updated_at = updated_at
  WHERE id IN (SELECT json_array_elements_text(CAST(@ids AS json)))`;
const HOLD_ACCOUNT = "SELECT FROM account WHERE id = @accountId FOR UPDATE";

interface Parts {
  pool: Pool;
  engine: PostgresEngine;
  notifier: Pick<Notifier, "onErased">;
  objects?: KeptObjects;
  /** Pauses before each look whether an older transaction has ended, ms. */
  pauses?: number[];
}

/** Erasing in a database that several processes share; `close` before the pool ends. */
export function postgresErasingEngine({
  pool,
  engine,
  notifier,
  objects,
  pauses = PAUSES,
}: Parts): ErasingEngine & { close(): Promise<void> } {
  const { removeTraces, close } = createTraces(pool, engine, pauses);
  return {
    engine,
    some: (table, where, limit) => `ctid = ANY(ARRAY(SELECT ctid FROM "${table}" WHERE ${where} LIMIT ${limit}))`,
    *tablesWith(column) {
      return (yield* all<{ name: string }>(TABLES_WITH, { column })).map(({ name }) => name);
    },
    *hold(channelIds) {
      yield* holdChannels(channelIds);
      yield* run(CHANGE_CHANNELS, { ids: JSON.stringify(channelIds) });
    },
    holdAccount: (accountId) => run(HOLD_ACCOUNT, { accountId }),
    *lockMessages(ids) {
      yield* run(LOCK_MESSAGES, { ids: JSON.stringify(ids) });
      return true;
    },
    tellOthers: () => run(NOTIFY_ERASED),
    // A trigger removes remaining chunks, and keys of objects, with the files' rows.
    async removeFiles(ids) {
      await dropChunks(engine, ids);
      await objects?.removeAll(ids);
    },
    alone: (name, work) => aloneOver(pool, `erasing/${name}`, work),
    assertOpen() {
      if (pool.ending)
        throw new StoreError("the server has stopped; another goes on with the erasure, or the next start");
    },
    onOthers: notifier.onErased,
    removeTraces,
    copies: () => [],
    close,
  };
}

/** Chunks come before their file's row, so a young chunk may still get one. */
const ORPHANED = `created_at < @before
  AND NOT EXISTS (SELECT 1 FROM kept_file WHERE kept_file.id = kept_chunk.file_id)`;
const ORPHANS = `SELECT DISTINCT file_id AS id FROM kept_chunk WHERE ${ORPHANED}`;

export const retention = (engine: Engine, objects?: KeptObjects, notes?: NotePrefix[]): Retention =>
  shared.retention({
    engine,
    notes,
    sweepFolder: async (before) => {
      const files = await engine.read(() => all<{ id: string }>(ORPHANS, { before }));
      const ids = files.map(({ id }) => id);
      const swept = ids.length === 0 ? 0 : (await dropChunks(engine, ids, ORPHANED, { before })).size;
      return swept + ((await objects?.sweep(before)) ?? 0);
    },
  });
