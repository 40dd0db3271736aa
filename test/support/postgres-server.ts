import { createServer } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { connect } from "../../src/store/postgres/connection.ts";
import { migrateTables } from "../../src/store/postgres/migrating.ts";
import { type PostgresServer, startPostgres, WITHOUT_SYNC } from "../../tools/postgres-server.ts";

/** One server for the whole suite, started for the first test that asks. Resolves with what ends it. */
export async function servePostgres(folder: string): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined;
  const door = createServer((asking) => {
    started ??= startWithTables();
    started.then(
      ({ url }) => asking.end(JSON.stringify({ url })),
      (error) => asking.end(JSON.stringify({ why: String(error) })),
    );
  });
  const path = join(folder, "postgres");
  await new Promise<void>((resolve) => door.listen(path, resolve));
  process.env.POSTGRES_DOOR = path;
  return async () => {
    door.close();
    await started?.then(({ stop }) => stop());
  };
}

/** A database that copies begin with: making the tables takes longer than copying them. */
export const TABLES = "tables";

async function startWithTables(): Promise<PostgresServer> {
  const server = await startPostgres(WITHOUT_SYNC);
  try {
    await makeTables(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function makeTables(server: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${TABLES}`).finally(() => client.end());
  const url = server.replace("/postgres?", `/${TABLES}?`);
  const pool = await connect(url, () => undefined);
  await migrateTables(pool, url).finally(() => pool.end());
}
