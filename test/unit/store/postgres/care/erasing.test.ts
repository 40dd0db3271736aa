import { expect, it } from "vitest";
import { command, databaseWithTables } from "../../../../support/postgres.ts";

const NAMED = `SELECT DISTINCT attrelid::regclass || '.' || attname AS "column"
  FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
  WHERE classid = 'pg_trigger'::regclass AND refobjsubid > 0 ORDER BY 1`;

it("no trigger names a column with texts, whose samples could then not be removed from the statistics", async () => {
  const rows = await command(await databaseWithTables(), NAMED);
  expect(rows.map(({ column }) => column)).toEqual([
    "account.active",
    "account.frozen",
    "message.head",
    "message.kind",
    "message.state",
  ]);
});
