import { asStoreError } from "./faults.ts";

/** Runs a statement; all values are text, or null. */
type Query = (statement: string) => Promise<Record<string, unknown>[]>;

/** Limits of a connection and of a statement, ms. */
const [CONNECT_MS, STATEMENT_MS] = [10_000, 30_000];

/** Reads another program's database in one transaction that can write nothing. Throws StoreError, and whatever `read` throws. */
export async function readForeign<T>(url: string, read: (query: Query) => Promise<T>): Promise<T> {
  const { default: pg } = await import("pg");
  const limits = { connectionTimeoutMillis: CONNECT_MS, statement_timeout: STATEMENT_MS };
  let opened: InstanceType<typeof pg.Client> | undefined;
  try {
    const client = new pg.Client({ connectionString: url, application_name: "gangway import", ...limits });
    opened = client;
    // Without a listener, a connection that ends would end the process.
    client.on("error", () => undefined);
    await client.connect();
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return await read(async (statement) => (await client.query(statement)).rows);
  } catch (error) {
    throw asStoreError(error, url);
  } finally {
    await opened?.end().catch(() => undefined);
  }
}
