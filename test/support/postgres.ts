import { randomUUID } from "node:crypto";
import { Client, types } from "pg";
import { onTestFinished } from "vitest";
import { TABLES } from "./postgres-server.ts";
import { sharedUrl } from "./shared.ts";
import type { Ending } from "./store.ts";

/** The URL of an empty database, which is dropped at the end. `how`: the rest of the statement that creates it. */
export async function temporaryDatabase(how = "TEMPLATE template1", ending: Ending = onTestFinished): Promise<string> {
  const server = await sharedUrl("postgres");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await command(server, `CREATE DATABASE ${name} ${how}`);
  ending(async () => void (await command(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  return server.replace("/postgres?", `/${name}?`);
}

/** The same with all tables. */
export const databaseWithTables = (ending?: Ending): Promise<string> =>
  temporaryDatabase(`TEMPLATE ${TABLES} STRATEGY file_copy`, ending);

/** Runs one statement on a connection of its own. */
export async function command(
  connectionString: string,
  statement: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  // All that is counted is well below 2^53.
  types.setTypeParser(types.builtins.INT8, Number);
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(statement, values).finally(() => client.end());
  return rows;
}
