import { randomUUID } from "node:crypto";
import { errorCode } from "gangway-messenger/errors";
import { Client, types } from "pg";
import { onTestFinished } from "vitest";
import { TABLES } from "./postgres-server.ts";
import { sharedUrl } from "./shared.ts";
import type { Ending } from "./store.ts";
import { until } from "./until.ts";

/** PostgreSQL's object_in_use. */
const IN_USE = "55006";

/** The URL of an empty database, which is dropped at the end. `how`: the rest of the statement that creates it. */
export async function temporaryDatabase(how = "TEMPLATE template1", ending: Ending = onTestFinished): Promise<string> {
  const server = await sharedUrl("postgres");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await commandAlone(server, `CREATE DATABASE ${name} ${how}`);
  ending(async () => void (await commandAlone(server, `DROP DATABASE ${name} WITH (FORCE)`)));
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

/** The same, repeated while sessions of others last longer than PostgreSQL waits for their ends. */
export const commandAlone = (url: string, statement: string): Promise<boolean> =>
  until("sessions to end", () =>
    command(url, statement).then(
      () => true,
      (error) => {
        if (errorCode(error) !== IN_USE) throw error;
        return false;
      },
    ),
  );
