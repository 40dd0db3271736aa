import { expect, it, onTestFinished } from "vitest";
import { openPostgres } from "../../../../src/store/postgres/open.ts";
import { handClock } from "../../../support/clock.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { KEY_RING } from "../../../support/store.ts";

it("the whole store says in words what PostgreSQL does not have", async () => {
  const store = await openPostgres({ url: await databaseWithTables(), keyRing: KEY_RING, clock: handClock() });
  onTestFinished(() => store.close());
  await expect(store.backup.write("a file")).rejects.toThrow("pg_dump");
  expect(await store.condition.verify()).toHaveLength(8);
});
