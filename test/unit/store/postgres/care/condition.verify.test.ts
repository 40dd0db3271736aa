import { expect, it, onTestFinished } from "vitest";
import type { RotationCursor } from "../../../../../src/store/care.ts";
import { openPostgres } from "../../../../../src/store/postgres/open.ts";
import { busyStore } from "../../../../support/busy-store.ts";
import { fileOf } from "../../../../support/channel-context.ts";
import { handClock } from "../../../../support/clock.ts";
import { moved, postgresStore } from "../../../../support/engines.ts";
import { command } from "../../../../support/postgres.ts";
import { KEY_RING, NEXT_RING } from "../../../../support/store.ts";

/** A database with messages of all kinds, and a file. */
async function busy() {
  const { store: from, folder, channel } = await busyStore();
  await from.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error());
  from.close();
  const url = await moved(folder);
  const store = await postgresStore(url);
  const faults = async () => (await store.condition.verify()).filter((check) => check.faults.length > 0);
  return { url, store, channel, faults };
}

it("a check of a sound database finds nothing, and sees everything", async () => {
  const { store, faults } = await busy();
  expect(await faults()).toEqual([]);
  const seen = Object.fromEntries((await store.condition.verify()).map(({ name, seen }) => [name, seen]));
  expect(seen).toMatchObject({ keys: "1 in SECRET_KEYS", "kept files": "1 files" });
  for (const name of ["sealed values", "lanes", "owners", "ledger", "contents"]) expect(seen[name]).toMatch(/^[1-9]/);
});

it.each([
  ["UPDATE channel SET door_sealed = 'v1.test.a.b'", "sealed values", "channel"],
  ["UPDATE channel SET door_sealed = 'v1.lost.a.b'", "keys", 'SECRET_KEYS lacks the key "lost"'],
  ["UPDATE message SET head = 1 - head WHERE state = 'ready'", "lanes", "should have one head"],
  ["UPDATE message SET account_id = 'nobody'", "owners", "belongs to a channel that its account does not have"],
  ["UPDATE tally SET accepted = accepted + 2", "ledger", "2 events are missing"],
  ["UPDATE message SET payload = '{' WHERE state IN ('dead','held')", "contents", "cannot be read"],
  ["DELETE FROM kept_chunk", "kept files", "has 0 bytes and should have 5"],
])("a check finds what is wrong after %s", async (statement, name, words) => {
  const { url, faults } = await busy();
  await command(url, statement);
  const [found] = await faults();
  expect(found).toMatchObject({ name, faults: [expect.stringContaining(words), ...(found?.faults.slice(1) ?? [])] });
});

it("all that is sealed is sealed anew, after which the old key can go", async () => {
  const { url, store, channel } = await busy();
  const ring = { keys: [...NEXT_RING.keys, ...KEY_RING.keys] };
  await store.parked.park({ login: "toy:1", request: { path: "", headers: {}, body: "b" }, channel });
  await store.leases.join({ owner: "an old server", ttlMs: 60_000 });
  const server = await openPostgres({ url, keyRing: ring, clock: handClock() });
  onTestFinished(() => server.close());
  await server.leases.join({ owner: "a new server", ttlMs: 60_000 });
  const rotating = await openPostgres({ url, keyRing: ring, clock: handClock(), shared: true });
  expect(await rotating.rotation.refusal()).toContain('a running server seals with the key "test" and not with "next"');
  await store.leases.leave("an old server");
  expect(await rotating.rotation.refusal()).toBeUndefined();
  await command(url, "UPDATE channel SET settings_sealed = 'v1.test.a.b' WHERE state = 'paused'");
  const moves: Record<string, number> = {};
  let unopened = 0;
  for (let cursor: RotationCursor | undefined = { column: 0, after: -1 }; cursor; ) {
    const batch = await rotating.rotation.batch(cursor);
    for (const [key, count] of Object.entries(batch.moved)) moves[key] = (moves[key] ?? 0) + count;
    unopened += batch.unopened.length;
    cursor = batch.next;
  }
  await rotating.rotation.finished(moves, unopened);
  await rotating.close();
  expect(unopened).toBe(1);
  // Of two accounts four each, of two channels three, the rest raw webhooks and what is parked.
  expect(moves.test).toBeGreaterThan(8 + 3);
  const next = await openPostgres({ url, keyRing: NEXT_RING, clock: handClock() });
  expect((await next.accounts.list()).map(({ apiKey }) => apiKey.slice(0, 4))).toEqual(["key-", "key-"]);
  expect(await next.audit.list({ limit: 1 })).toMatchObject([{ action: "keys rotated" }]);
  await next.close();
});
