import type { Call } from "gangway-messenger/call";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../../../src/app.ts";
import { silentLog } from "../../../support/log.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { doorTo } from "../../../support/postgres-door.ts";
import { configOf, OWN } from "../../../support/site.ts";
import { temporaryFolder } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

const call: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "test" });

/** A server that is open, and has not begun to work. */
async function opened(databaseUrl: string) {
  const errors: string[] = [];
  const log = { ...silentLog, error: (event: string) => void errors.push(event) };
  const server = createProgram(await configOf(temporaryFolder(), { databaseUrl }), { log, call });
  onTestFinished(async () => {
    await server.drain();
    await server.close();
  });
  const readiness = async () => (await server.fetch(new Request(`${OWN}/health/ready`), {})).status;
  await server.open();
  return { ...server, errors, readiness };
}

it("a server that cannot join the others in time answers 503 and starts again by itself", async () => {
  const databaseUrl = await databaseWithTables();
  const server = await opened(`${databaseUrl}&lock_timeout=100`);
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("LOCK TABLE member IN SHARE MODE");
  const started = server.start();
  await until("the start to fail", () => server.errors.includes("database.away"));
  expect(await server.readiness()).toBe(503);
  await other.end();
  await started;
  expect(await server.readiness()).toBe(200);
  expect(server.errors.filter((event) => event === "database.away")).toHaveLength(1);
});

it("a server that PostgreSQL leaves while it starts waits until it is back", async () => {
  const door = await doorTo(await databaseWithTables());
  const server = await opened(door.url);
  const open = await door.shut();
  const started = server.start();
  await until("the start to fail", () => server.errors.includes("database.away"));
  // Tried again meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await server.readiness()).toBe(503);
  await open();
  await started;
  expect(await server.readiness()).toBe(200);
});
