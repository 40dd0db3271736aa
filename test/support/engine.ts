import { command, commandAlone, databaseWithTables } from "./postgres.ts";
import { changeRows, type Row, rowsOf } from "./rows.ts";

/** Whether the tests run on PostgreSQL: those of the project of that name in vitest.config.ts do. */
export const onPostgres = process.env.ENGINE === "postgres";

const databases = new Map<string, Promise<string>>();
/** Empty ones whose tests have ended: making one takes ten times as long as emptying it. They go with the server. */
const free: string[] = [];

/** PostgreSQL's database that stands for the one in a data folder, made when first asked for; undefined on SQLite. */
export async function databaseUrl(folder: string): Promise<string | undefined> {
  if (!onPostgres) return undefined;
  const known = databases.get(folder) ?? emptyDatabase();
  databases.set(folder, known);
  return known;
}

const emptyDatabase = async () => free.pop() ?? databaseWithTables(() => undefined);

const CLEAR = `DO $$ DECLARE name text; BEGIN
  IF (SELECT NOT bool_and(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()) THEN RAISE object_in_use; END IF;
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
  PERFORM setval(format('%I', sequencename), start_value, false) FROM pg_sequences;
END $$`;

/** Ends the use of a data folder's database. */
export async function clearDatabase(folder: string): Promise<void> {
  const url = await databases.get(folder);
  if (url === undefined || !databases.delete(folder)) return;
  await commandAlone(url, CLEAR);
  free.push(url);
}

/** The database of a data folder, if it was made. */
export const madeDatabase = async (folder: string): Promise<string | undefined> => databases.get(folder);

/** After a process has died: its accounts are free once its time has passed, which is of PostgreSQL's clock. */
export async function forgetDead(folder: string): Promise<void> {
  if (onPostgres) await writeRows(folder, "UPDATE member SET expires_at = 0");
}

/** Lets time pass for logins under way, which is of PostgreSQL's clock. */
export async function ageLogins(folder: string, ms: number): Promise<void> {
  if (onPostgres) await writeRows(folder, "UPDATE remembered SET expires_at = expires_at - ?", ms);
}

/** The same as a server's environment. */
export async function databaseEnv(folder: string): Promise<Record<string, string>> {
  const url = await databaseUrl(folder);
  return url === undefined ? {} : { DATABASE_URL: url };
}

/** Rows of a database's tables in the order of their making, also while a server runs on it. */
export async function readRows(folder: string, tables?: string[]): Promise<Record<string, Row[]>> {
  const url = await databaseUrl(folder);
  return url === undefined ? rowsOf(folder, tables) : rowsAt(url, tables);
}

const TABLES = `SELECT table_name AS name, bool_or(column_name = 'rowid') AS numbered FROM information_schema.columns
  WHERE table_schema = 'public' GROUP BY table_name`;

/** The same at a URL. */
export async function rowsAt(url: string, tables?: string[]): Promise<Record<string, Row[]>> {
  const all = (await command(url, TABLES)) as { name: string; numbered: boolean }[];
  const wanted = all.filter(({ name }) => !tables || tables.includes(name));
  const read = wanted.map(async ({ name, numbered }): Promise<[string, Row[]]> => {
    const rows = await command(url, `SELECT * FROM ${name} ORDER BY ${numbered ? "rowid" : 1}`);
    return [name, rows.map(({ rowid: _, ...row }) => row)];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Changes a table behind a running server's back. Values stand for question marks. */
export async function writeRows(folder: string, statement: string, ...values: unknown[]): Promise<void> {
  const url = await databaseUrl(folder);
  if (url === undefined) return changeRows(folder, statement, ...values);
  let count = 0;
  await command(
    url,
    statement.replaceAll("?", () => `$${++count}`),
    values,
  );
}
