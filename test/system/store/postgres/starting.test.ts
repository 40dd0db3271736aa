import type { Call } from "gangway-messenger/call";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../../../src/app.ts";
import { silentLog } from "../../../support/log.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { configOf, OWN } from "../../../support/site.ts";
import { temporaryFolder } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

const call: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "test" });

it("a server that PostgreSQL leaves while it starts answers 503 and starts again by itself", async () => {
  const databaseUrl = await databaseWithTables();
  const errors: string[] = [];
  const log = { ...silentLog, error: (event: string) => void errors.push(event) };
  const url = `${databaseUrl}&lock_timeout=100`;
  const server = createProgram(await configOf(temporaryFolder(), { databaseUrl: url }), { log, call });
  onTestFinished(async () => {
    await server.drain();
    await server.close();
  });
  const readiness = async () => (await server.fetch(new Request(`${OWN}/health/ready`), {})).status;
  await server.open();
  // Nobody can join.
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("LOCK TABLE member IN SHARE MODE");
  const started = server.start();
  await until("the start to fail", async () => errors.includes("database.away"));
  expect(await readiness()).toBe(503);
  await other.end();
  await started;
  expect(await readiness()).toBe(200);
  expect(errors.filter((event) => event === "database.away")).toHaveLength(1);
});
