import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Lease } from "../../../src/domain/account.ts";
import type { Channel } from "../../../src/domain/channel.ts";
import type { Job } from "../../../src/domain/delivery.ts";
import { handClock } from "../../support/clock.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { command, databaseWithTables } from "../../support/postgres.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel } from "../../support/store.ts";

interface Side {
  channel: Channel;
  lease: Lease;
}

/** An account of whose messages an operator's console holds rows, beside another, both of one process. */
async function twoAccounts(clock = handClock(Date.now())) {
  const url = await databaseWithTables();
  // Soon tired of waiting.
  const store = await postgresStore(`${url}&lock_timeout=500`, clock);
  const accounts = [await addAccount(store, "held"), await addAccount(store, "other")];
  await store.leases.join({ owner: "one", ttlMs: 3_600_000 });
  const taken = await store.leases.take(
    accounts.map(({ id }) => id),
    "one",
  );
  const sides: Side[] = [];
  for (const account of accounts) {
    const lease = taken.find(({ lease: { accountId } }) => accountId === account.id)?.lease as Lease;
    sides.push({ channel: await addChannel(store, account), lease });
  }
  const console = new Client({ connectionString: url });
  await console.connect();
  onTestFinished(() => console.end());
  const hold = async (rows: string) => {
    await console.query("BEGIN");
    await console.query(`UPDATE message SET tries = tries WHERE channel_id = $1 AND ${rows}`, [sides[0]?.channel.id]);
    return async () => void (await console.query("ROLLBACK"));
  };
  const [held, other] = sides as [Side, Side];
  const say = ({ channel }: Side, ...ids: string[]) =>
    store.outbox.acceptInbound(channel, { events: ids.map((id) => customerSays(id, id, `chat ${id}`)) });
  const claim = ({ lease }: Side) => store.outbox.claim(lease, roomFor(10));
  return { url, clock, store, held, other, hold, say, claim };
}

/** What `work` gives, and whether a statement waited for a lock meanwhile. */
async function waited<T>(url: string, work: Promise<T>): Promise<{ value: T; waits: boolean }> {
  let [over, waits] = [false, false];
  const watching = (async () => {
    while (!over) {
      const found = await command(url, "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      waits ||= found.length > 0;
    }
  })();
  const value = await work.finally(() => {
    over = true;
  });
  await watching;
  return { value, waits };
}

const keysOf = (jobs: Job[]) => jobs.map(({ task }) => (task.direction === "inbound" ? task.event.key : "")).sort();

describe("rows that another program holds", () => {
  it("are claimed once they are free, and hold up others once", async () => {
    const { url, clock, held, other, hold, say, claim } = await twoAccounts();
    for (const side of [held, other]) await say(side, "1", "2");
    const free = await hold("dedupe_key LIKE '%1'");
    const both = () => Promise.all([claim(held), claim(other)]);
    const first = await waited(url, both());
    expect(first.waits).toBe(true);
    expect(first.value.map(keysOf)).toEqual([["2"], ["1", "2"]]);
    await say(other, "3");
    clock.leap(60_000);
    const second = await waited(url, both());
    expect([second.waits, second.value.map(keysOf)]).toEqual([false, [[], ["3"]]]);
    await free();
    clock.leap(60_000);
    expect(keysOf(await claim(held))).toEqual(["1"]);
  });

  it("get their results once they are free, and others theirs at once", async () => {
    const { url, store, held, other, hold, say, claim } = await twoAccounts();
    for (const side of [held, other]) await say(side, "1", "2");
    const jobs = [...(await claim(held)), ...(await claim(other))];
    const free = await hold("dedupe_key LIKE '%1'");
    const record = (some: Job[]) => Promise.allSettled(some.map((job) => store.outbox.done(job, {})));
    const statuses = (ends: PromiseSettledResult<boolean>[]) =>
      ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)));
    const ofHeld = jobs.findIndex((job) => job.accountId === held.lease.accountId && keysOf([job])[0] === "1");
    const expected = jobs.map((_, n) => (n === ofHeld ? expect.stringContaining("pg_stat_activity") : true));
    const first = await waited(url, record(jobs));
    expect([first.waits, statuses(first.value)]).toEqual([true, expected]);
    await say(other, "3");
    const again = [jobs[ofHeld] as Job, ...(await claim(other))];
    const second = await waited(url, record(again));
    expect([second.waits, statuses(second.value)]).toEqual([false, [expect.stringContaining("holds"), true]]);
    await free();
    expect(statuses(await record([jobs[ofHeld] as Job]))).toEqual([true]);
    expect(await store.ledger()).toMatchObject([{ hole: 0 }, { hole: 0 }]);
  });

  it("pass their time without holding up those of others", async () => {
    const { clock, store, held, other, hold } = await twoAccounts();
    for (const { channel } of [held, other])
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1_000 });
    const free = await hold("true");
    clock.leap(60_000);
    const ended = () => store.outbox.expire(() => ({}));
    expect(await ended()).toBe(1);
    await free();
    expect(await ended()).toBe(1);
  });
});
