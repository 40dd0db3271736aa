import { asStoreError } from "./faults.ts";

/** Runs a statement; all values are text, or null. */
type Query = (statement: string) => Promise<Record<string, unknown>[]>;

/** Limits of a connection and of a statement, ms. */
const [CONNECT_MS, STATEMENT_MS] = [10_000, 30_000];

/** Reads another program's database in one transaction that can write nothing. Throws StoreError, and whatever `read` throws. */
export async function readForeign<T>(url: string, read: (query: Query) => Promise<T>): Promise<T> {
  const { default: pg } = await import("pg");
  const limits = { connectionTimeoutMillis: CONNECT_MS, statement_timeout: STATEMENT_MS };
  const opened = () => new pg.Client({ connectionString: url, application_name: "gangway import", ...limits });
  const client = await Promise.resolve()
    .then(opened)
    .catch((error) => {
      throw asStoreError(error, url);
    });
  // Unheard, the end of the connection would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return await read(async (statement) => (await client.query(statement)).rows);
  } catch (error) {
    throw asStoreError(error, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
