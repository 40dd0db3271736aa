import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import type { Figures, PostgresFigures } from "../../../../../src/store/care.ts";
import { condition } from "../../../../../src/store/postgres/care/condition.ts";
import { connect } from "../../../../../src/store/postgres/database/connection.ts";
import { postgresEngine } from "../../../../../src/store/postgres/database/engine.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import { handClock } from "../../../../support/clock.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel, KEY_RING, takeLease } from "../../../../support/store.ts";

/** Looks at a database as this user. */
async function look(url: string, { longMs = 60_000, user = "gangway", clock = handClock() } = {}) {
  const pool = await connect(url.replace("gangway@", `${user}@`), () => undefined);
  try {
    const engine = postgresEngine(pool, { sealer: createSealer(KEY_RING) });
    return (await condition(engine, { ring: KEY_RING }, clock, longMs).figures()) as Extract<Figures, PostgresFigures>;
  } finally {
    await pool.end();
  }
}

it("the figures tell the state of PostgreSQL, and of all that waits", async () => {
  const url = await databaseWithTables();
  const store = await postgresStore(url);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  await addAccount(store, "idle");
  await store.outbox.acceptInbound(channel, { events: [customerSays("a")] });
  await store.outbox.acceptOutbound(channel, { key: "b", act: agentSays("b"), patienceMs: 60_000 });
  await store.channels.setState(channel.id, "stopped", "the token was revoked");
  const before = await look(url);
  expect(before).toMatchObject({ engine: "PostgreSQL", members: [], unheld: 2 });
  await takeLease(store, account.id);
  const found = await look(url);
  expect(found).toMatchObject({
    members: [{ owner: expect.stringMatching(/^test /), accounts: 1 }],
    unheld: 1,
    jobs: { waiting: 2, held: 0, dead: 0 },
    parked: { ofChannels: 0, strangers: 0 },
    unopened: [],
    troubled: [{ id: channel.id, accountId: account.id, state: "stopped", trouble: "the token was revoked" }],
    commits: { synchronous: "on", standbys: "" },
    replicas: { all: 0, synchronous: 0, lagMs: 0 },
  });
  expect(found.version).toMatch(/^\d+\.\d/);
  expect(found.bytes).toBeGreaterThan(1_000_000);
  expect(found.connections.own).toBeGreaterThan(0);
  expect(found.connections.used).toBeGreaterThanOrEqual(found.connections.own);
  expect(found.connections.max).toBeLessThan(300);
  expect(found.age.now).toBeLessThan(found.age.freeze);
  await command(url, "UPDATE channel SET settings_sealed = 'bent'");
  expect((await look(url)).unopened).toEqual([expect.stringContaining(channel.id)]);
});

it("the figures compare the database's clock with this machine's", async () => {
  const url = await databaseWithTables();
  expect(Math.abs((await look(url, { clock: handClock(Date.now()) })).aheadMs)).toBeLessThan(30_000);
  expect((await look(url, { clock: handClock(Date.now() - 3_600_000) })).aheadMs).toBeGreaterThan(3_500_000);
});

it("the figures name who holds a transaction open, to whom may see it", async () => {
  const url = await databaseWithTables();
  const client = new Client({ connectionString: url, application_name: "reports" });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  expect((await look(url)).long).toEqual([]);
  const [oldest] = (await look(url, { longMs: 0 })).long ?? [];
  expect(oldest?.who).toMatch(/^process \d+, gangway, reports, idle in transaction$/);
  expect(oldest?.ms).toBeGreaterThanOrEqual(0);
  const role = `plain_${process.pid}`;
  await command(url, `CREATE ROLE ${role} LOGIN IN ROLE pg_read_all_data`);
  try {
    const plain = await look(url, { longMs: 0, user: role });
    expect(plain.long).toBeUndefined();
    expect(plain.replicas).toEqual({ all: 0 });
    expect(plain.connections.own).toBeGreaterThan(0);
  } finally {
    await command(url, `DROP ROLE ${role}`);
  }
});

it("autovacuum takes messages before a fifth of them is dead", async () => {
  const [row] = await command(await databaseWithTables(), "SELECT reloptions FROM pg_class WHERE relname = 'message'");
  expect(row?.reloptions).toContain("autovacuum_vacuum_scale_factor=0.02");
});
