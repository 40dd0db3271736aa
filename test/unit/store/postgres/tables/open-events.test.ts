import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../../../support/engines.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";

it("an event waits for the transactions that may still write an earlier one", async () => {
  const url = await databaseWithTables();
  const store = await postgresStore(url);
  const [channel, other] = [
    await addChannel(store, await addAccount(store)),
    await addChannel(store, await addAccount(store, "other")),
  ];
  await store.vendorEvents.listen(true);
  const open = new Client({ connectionString: url });
  await open.connect();
  onTestFinished(() => open.end());
  await open.query("BEGIN");
  await open.query("UPDATE channel SET trouble = 'first' WHERE id = $1", [channel.id]);
  await store.channels.setTrouble(other.id, "second");
  expect((await store.vendorEvents.list(9)).map(({ accountId }) => accountId)).toEqual([other.accountId]);
  let isKnown = false;
  const next = store.vendorEvents.next().finally(() => {
    isKnown = true;
  });
  // Those that begin later hold nothing up.
  const later = new Client({ connectionString: url });
  await later.connect();
  onTestFinished(() => later.end());
  const looked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
    AND query LIKE 'SELECT DISTINCT virtualtransaction%'`;
  await until("its first look", async () => (await command(url, looked)).length > 0);
  await later.query("BEGIN");
  await later.query("UPDATE channel SET trouble = 'third' WHERE id = $1", [other.id]);
  expect(isKnown).toBe(false);
  await open.query("COMMIT");
  expect((await next)?.accountId).toBe(channel.accountId);
});
