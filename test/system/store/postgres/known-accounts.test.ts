import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { connect } from "../../../../src/store/postgres/database/connection.ts";
import type { PostgresEngine } from "../../../../src/store/postgres/database/engine.ts";
import { laneTransactions } from "../../../../src/store/postgres/database/lane-transactions.ts";
import { knownAccounts } from "../../../../src/store/postgres/outbox/known-accounts.ts";
import { handClock } from "../../../support/clock.ts";
import { heard, postgresStore } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { command, databaseWithTables } from "../../../support/postgres.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

/** The holder of an account, and for which accounts its store has woken it. */
async function holder(chats: number) {
  const url = await databaseWithTables();
  const woken: AccountId[] = [];
  const store = await postgresStore(`${url}&lock_timeout=25000`, handClock(), { onWork: (id) => void woken.push(id) });
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const lease = await takeLease(store, account.id);
  const events = Array.from({ length: chats }, (_, n) => customerSays(`${n}`, "", `chat ${n}`));
  await store.outbox.acceptInbound(channel, { events });
  const due = () => store.outbox.nextDue(account.id).due.length > 0;
  await heard(store);
  await until("the database is read", async () => !(await store.outbox.refresh()));
  woken.length = 0;
  return { url, store, account, lease, woken, due };
}

it("what a claim leaves is due, and what it takes is not", async () => {
  const { store, lease, due } = await holder(12);
  expect(await store.outbox.claim(lease, roomFor(10))).toHaveLength(10);
  expect(due()).toBe(true);
  expect(await store.outbox.claim(lease, roomFor(1))).toHaveLength(1);
  expect(await store.outbox.claim(lease, roomFor(10))).toHaveLength(1);
  expect(due()).toBe(false);
});

it("nothing is due of a message while what becomes of it is being recorded", async () => {
  const { url, account } = await holder(1);
  const pool = await connect(url, () => undefined);
  onTestFinished(() => pool.end());
  const recording = new Set<number>();
  const { rows } = laneTransactions(pool, {} as PostgresEngine);
  const known = knownAccounts({ rows, unclaimable: () => [...recording] }, () => undefined);
  const [row] = await command(url, "SELECT id FROM message");
  recording.add(Number(row?.id));
  await known.load([account.id]);
  expect(known.of(account.id)?.hints.size).toBe(0);
  recording.clear();
  await known.load([account.id]);
  expect(known.of(account.id)?.hints.size).toBe(1);
});

describe("a claim", () => {
  it("has the next one find nothing of what was read while it was under way", async () => {
    const { url, store, lease, due } = await holder(1);
    const other = new Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT FROM message FOR UPDATE");
    const claiming = store.outbox.claim(lease, roomFor(1));
    const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await until("the claim waits", async () => (await command(url, waits)).length > 0);
    await store.outbox.refresh();
    await other.query("COMMIT");
    expect(await claiming).toHaveLength(1);
    expect(await store.outbox.claim(lease, roomFor(1))).toEqual([]);
    expect(due()).toBe(false);
  });

  it("that fails leaves its work due, and wakes nobody: its worker rests before it claims again", async () => {
    const { url, store, lease, woken, due } = await holder(1);
    await command(url, "ALTER TABLE message ADD CONSTRAINT no_room CHECK (state <> 'sending')");
    await expect(store.outbox.claim(lease, roomFor(1))).rejects.toThrow("no_room");
    expect(due()).toBe(true);
    await new Promise(setImmediate);
    expect(await store.outbox.refresh()).toBe(false);
    expect(woken).toEqual([]);
    await command(url, "ALTER TABLE message DROP CONSTRAINT no_room");
    expect(await store.outbox.claim(lease, roomFor(1))).toHaveLength(1);
  });

  it("under a lease that has passed wakes nobody: its worker would claim again at once, without end", async () => {
    const { store, lease, woken } = await holder(1);
    await store.leases.release([lease]);
    await expect(store.outbox.claim(lease, roomFor(1))).rejects.toThrow("another process has the account");
    await new Promise(setImmediate);
    expect(await store.outbox.refresh()).toBe(false);
    expect(woken).toEqual([]);
  });
});

it("an account that cannot be read when its row changes is woken once it can", async () => {
  const { url, account, woken } = await holder(1);
  await command(url, "ALTER TABLE message RENAME TO gone");
  await command(url, `SELECT pg_notify('gangway', ' ${account.id}')`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await command(url, "ALTER TABLE gone RENAME TO message");
  await until("it is woken", () => woken.includes(account.id));
});
