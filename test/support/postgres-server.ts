import { connect } from "../../src/store/postgres/database/connection.ts";
import { migrateTables } from "../../src/store/postgres/database/migrating.ts";
import { type PostgresServer, startPostgres, WITHOUT_SYNC } from "../../tools/postgres-server.ts";

/** A database that copies begin with: making the tables takes longer than copying them. */
export const TABLES = "tables";

/** A server whose database `TABLES` has every table. */
export async function startWithTables(): Promise<PostgresServer> {
  const server = await startPostgres(WITHOUT_SYNC);
  try {
    await makeTables(await server.newDatabase(TABLES));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function makeTables(url: string): Promise<void> {
  const pool = await connect(url, () => undefined);
  await migrateTables(pool, url).finally(() => pool.end());
}
