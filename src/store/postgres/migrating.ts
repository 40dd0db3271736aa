import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type { Pool } from "pg";
import { migrationsFolder, newestMigration } from "../migrations.ts";
import { StoreError } from "../store.ts";
import { asStoreError } from "./faults.ts";

/** Of the lock that one starting process holds while others wait; no other program may use the same number. */
const LOCK = 4_264_929;
const KNOWN = "SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS known";
const NEWEST = "SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations";

/** Applies what is missing, in one transaction, by one process at a time. Throws StoreError. */
export async function migrateTables(pool: Pool, url: string): Promise<void> {
  const client = await pool.connect();
  try {
    // It takes as long as the tables are large.
    await client.query("SET statement_timeout = 0");
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    const isOurs = (await client.query<{ known: boolean }>(KNOWN)).rows[0]?.known;
    const applied = isOurs ? (await client.query<{ newest: number | null }>(NEWEST)).rows[0]?.newest : undefined;
    if ((applied ?? 0) > newestMigration("postgres"))
      throw new StoreError(
        "the database of DATABASE_URL is from a newer version of Gangway than this program: start that version",
      );
    if (applied !== newestMigration("postgres"))
      await migrate(drizzle(client), { migrationsFolder: migrationsFolder("postgres") });
  } catch (error) {
    throw asStoreError(error, url);
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true);
  }
}
