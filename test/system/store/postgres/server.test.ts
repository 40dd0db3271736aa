import { existsSync } from "node:fs";
import { Client } from "pg";
import { expect, it } from "vitest";
import { startPostgres, WITHOUT_SYNC } from "../../../../tools/postgres-server.ts";
import { temporaryDatabase } from "../../../support/postgres.ts";

it("the tests' PostgreSQL is a real one, and sorts by language", async () => {
  const client = new Client({ connectionString: await temporaryDatabase() });
  await client.connect();
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::int AS version, 'a' < 'B' AS sorts",
  );
  expect(rows).toEqual([{ version: expect.any(Number), sorts: true }]);
  await client.end();
});

it("the tests' PostgreSQL leaves nothing when its standard input ends", async () => {
  const { url, stop } = await startPostgres(WITHOUT_SYNC);
  const folder = new URLSearchParams(url.split("?")[1]).get("host") ?? "";
  expect(existsSync(folder)).toBe(true);
  await stop();
  expect(existsSync(folder)).toBe(false);
});
