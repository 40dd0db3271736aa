import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, expect, it, vi } from "vitest";
import type { Job } from "../../src/domain/delivery.ts";
import { handClock } from "../support/clock.ts";
import { agentSays, customerSays } from "../support/events.ts";
import { addAccount, addChannel, temporaryFolder, temporaryStore } from "../support/store.ts";

afterEach(() => vi.restoreAllMocks());

it("nothing that is done for each event, or again and again, reads all jobs that ever were", async () => {
  const folder = temporaryFolder();
  const clock = handClock();
  const store = await temporaryStore(clock, folder);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const lease = await store.accounts.takeLease(account.id, "test");

  const prepare = vi.spyOn(Sqlite.prototype, "prepare");
  await store.outbox.acceptInbound(channel, { events: [customerSays("a"), customerSays("b")] });
  await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 1000 });
  const [job, other] = await store.outbox.claim(lease, 1);
  expect(other).toBeUndefined();
  await store.outbox.done(job as Job, {});
  await clock.forward(2_000);
  await store.outbox.expire(() => undefined);
  await store.outbox.ended(account.id, 10);
  await store.ledger(account.id);
  await store.ledger();
  const statements = prepare.mock.calls.map(([source]) => source).filter((source) => /\bjob\b/.test(source));
  prepare.mockRestore();

  const looker = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const scans = [...new Set(statements)].filter((source) => {
    const values = new Array((source.match(/\?/g) ?? []).length).fill(null);
    const plan = looker.prepare(`EXPLAIN QUERY PLAN ${source}`).all(...values) as { detail: string }[];
    return plan.some(({ detail }) => /^SCAN job$/.test(detail));
  });
  looker.close();
  expect(statements.length).toBeGreaterThan(8);
  expect(scans).toEqual([]);
});
