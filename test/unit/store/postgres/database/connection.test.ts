import { type AddressInfo, createConnection, createServer } from "node:net";
import { isTable } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, unsafe, withoutStatementTimeout } from "../../../../../src/store/postgres/database/connection.ts";
import { connected, isLost } from "../../../../../src/store/postgres/database/faults.ts";
import { migrateTables } from "../../../../../src/store/postgres/database/migrating.ts";
import * as postgres from "../../../../../src/store/postgres/database/schema.ts";
import { StoreError } from "../../../../../src/store/store.ts";
import * as schema from "../../../../../src/store/tables/schema.ts";
import { command, temporaryDatabase } from "../../../../support/postgres.ts";

/** Fails, or ends at once. */
const opened = async (url: string) => {
  const pool = await connect(url, () => undefined);
  await migrateTables(pool, url).finally(() => pool.end());
};
const withSetting = async (setting: string) => {
  const url = await temporaryDatabase();
  const name = /\/(\w+)\?/.exec(url)?.[1];
  await command(url, `ALTER DATABASE ${name} SET ${setting}`);
  return url;
};

describe("a start refuses in words", () => {
  it.each([
    ["commits that are not on the disk", "synchronous_commit = off", "synchronous_commit must not be off"],
    [
      "a database that takes no writes",
      "default_transaction_read_only = on",
      "default_transaction_read_only must be off",
    ],
  ])("%s", async (_, setting, words) => {
    await expect(opened(await withSetting(setting))).rejects.toThrow(words);
  });

  it("another encoding", async () => {
    const url = await temporaryDatabase("ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0");
    await expect(opened(url)).rejects.toThrow("ENCODING 'UTF8'");
  });

  it("an old version, and a replica", () => {
    const fine = {
      version: 150_000,
      release: "15.0",
      encoding: "UTF8",
      commits: "on",
      replica: false,
      readOnly: "off",
    };
    expect(unsafe(fine)).toBeUndefined();
    expect(unsafe({ ...fine, version: 149_999, release: "14.99" })).toContain("14.99");
    expect(unsafe({ ...fine, replica: true })).toContain("name the primary");
  });

  it("no server, no database and no such user, without the password", async () => {
    const url = await temporaryDatabase();
    const there = url.replace("gangway@", "gangway:se-cret@");
    for (const [wrong, words] of [
      [
        "postgres://gangway:se-cret@127.0.0.1:1/gangway?password=se-cret",
        "no PostgreSQL answers at 127.0.0.1:1/gangway",
      ],
      [there.replace(/\/\w+\?/, "/absent?"), "has no such database"],
      [there.replace("gangway:", "stranger:"), "refuses the user"],
      ["postgres://gangway:se-cret@h1:5432,h2:5432/gangway", "DATABASE_URL is no address"],
      [`${there}&sslmode=verify-full`, "takes no TLS"],
    ] as const) {
      const error = await opened(wrong).catch((thrown: Error) => thrown);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ message: expect.stringContaining(words) });
      expect(String(error)).not.toContain("se-cret");
    }
  });

  it("a user without rights", async () => {
    const url = await temporaryDatabase();
    await command(url, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN");
    await expect(opened(url.replace("gangway@", "guest@"))).rejects.toThrow("lacks a right");
  });
});

it("a statement of the pool itself is answered, and ends nothing", async () => {
  const pool = await connect(await temporaryDatabase(), () => undefined);
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

/** The database behind a network that can fall silent, though new connections pass. */
async function withNetwork() {
  const direct = new Client({ connectionString: await temporaryDatabase() });
  const socket = `${direct.host}/.s.PGSQL.${direct.port}`;
  const open: { pass(): void; hold(): void }[] = [];
  const server = createServer((client) => {
    const target = createConnection(socket);
    const ends = [client, target] as const;
    for (const end of ends) end.on("error", () => ends.forEach((each) => void each.destroy()));
    open.push({
      pass: () => void client.pipe(target).pipe(client),
      hold: () => ends.forEach((each) => void each.unpipe().pause()),
    });
    open.at(-1)?.pass();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const silence = () => {
    for (const each of open) each.hold();
  };
  return { url: `postgres://${direct.user}@127.0.0.1:${port}/${direct.database}`, silence };
}

describe("a database that has vanished without a word", () => {
  it("counts as lost for whatever waits for it, and is connected to again", async () => {
    const { url, silence } = await withNetwork();
    const pool = await connect(url, () => undefined, { answerMs: 1_000 });
    onTestFinished(() => pool.end());
    const client = await pool.connect();
    silence();
    const [first, second] = [client.query("SELECT 1"), client.query("COMMIT")];
    const errors = await Promise.all([first, second].map((each) => each.catch((error: unknown) => error)));
    client.release(true);
    expect(errors.map(isLost)).toEqual([true, true]);
    const answer = await connected(pool, async (again) => (await again.query("SELECT 2 AS two")).rows);
    expect(answer).toEqual([{ two: 2 }]);
  });

  it("does not shorten what may take long", async () => {
    const pool = await connect(await temporaryDatabase(), () => undefined, { answerMs: 300 });
    onTestFinished(() => pool.end());
    const client = await pool.connect();
    await withoutStatementTimeout(client);
    expect((await client.query("SELECT 1 AS one FROM pg_sleep(1)")).rows).toEqual([{ one: 1 }]);
    client.release(true);
  });
});

it("has the tables, columns and indexes of SQLite, where a row's number is no column", async () => {
  const url = await temporaryDatabase();
  await opened(url);
  const columns = await command(
    url,
    `SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'NO' THEN '!' ELSE '' END AS name
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN ('guest_call', 'kept_chunk', 'kept_object', 'member', 'migration', 'remembered') AND column_name <> 'rowid'`,
  );
  const indexes = await command(
    url,
    `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%\\_pk%' AND indexname NOT LIKE '%\\_rowid' AND tablename <> 'remembered'`,
  );
  const tables = Object.values(schema).filter((each) => isTable(each)) as SQLiteTable[];
  const described = tables.map(getTableConfig);
  expect(Object.keys(postgres)).toHaveLength(tables.length + 5);
  const sorted = (names: unknown[]) => names.sort();
  expect(sorted(columns.map(({ name }) => name))).toEqual(
    sorted(
      described.flatMap((table) => table.columns.map((each) => `${table.name}.${each.name}${each.notNull ? "!" : ""}`)),
    ),
  );
  expect(sorted(indexes.map(({ name }) => name))).toEqual(
    sorted(described.flatMap((table) => table.indexes.map(({ config }) => config.name))),
  );
});
