import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Lease } from "../../../src/domain/account.ts";
import type { Channel } from "../../../src/domain/channel.ts";
import type { Job } from "../../../src/domain/delivery.ts";
import { handClock } from "../../support/clock.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { lockWaits } from "../../support/lock-waits.ts";
import { databaseWithTables } from "../../support/postgres.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel } from "../../support/store.ts";
import { until } from "../../support/until.ts";

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
    store.outbox.acceptInbound(channel, { events: ids.map((id) => customerSays(id, id, `chat ${id.split(" ")[0]}`)) });
  const claim = ({ lease }: Side) => store.outbox.claim(lease, roomFor(10));
  const record = async (jobs: Job[]) => {
    const ends = await Promise.allSettled(jobs.map((job) => store.outbox.done(job, {})));
    return ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)));
  };
  return { clock, store, held, other, hold, say, claim, record };
}

/** What `work` gives, and whether a statement waited for a lock meanwhile: nobody gives one back before its time is over. */
async function waited<T>(work: () => Promise<T>): Promise<{ value: T; waits: boolean }> {
  const before = lockWaits();
  const value = await work();
  return { value, waits: lockWaits() > before };
}

const keysOf = (jobs: Job[]) => jobs.map(({ task }) => (task.direction === "inbound" ? task.event.key : "")).sort();
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => String(from + n));

describe("rows that another program holds", () => {
  it("are claimed once they are free, and hold up others once", async () => {
    const { held, other, hold, say, claim } = await twoAccounts();
    for (const side of [held, other]) await say(side, "1", "2");
    const free = await hold("dedupe_key LIKE '%1'");
    const both = () => Promise.all([claim(held), claim(other)]);
    const first = await waited(both);
    expect(first.waits).toBe(true);
    expect(first.value.map(keysOf)).toEqual([["2"], ["1", "2"]]);
    await say(other, "3");
    const second = await waited(both);
    expect([second.waits, second.value.map(keysOf)]).toEqual([false, [[], ["3"]]]);
    await free();
    await until("the row to be claimed", async () => String(keysOf(await claim(held))) === "1");
  });

  it("are found all at once, and leave room for those behind them", async () => {
    const { held, other, hold, say, claim } = await twoAccounts();
    await say(held, ...numbers(1, 300));
    await hold("true");
    await say(held, "301");
    for (const side of [held, other]) await say(side, "400");
    // All that a look at the account shows.
    await claim(held);
    await until("what is behind them", async () => keysOf(await claim(held)).includes("301"));
    const { value, waits } = await waited(() => claim(other));
    expect([waits, keysOf(value)]).toEqual([false, ["400"]]);
  });

  it("get their results once they are free, and others theirs at once", async () => {
    const { store, held, other, hold, say, claim, record } = await twoAccounts();
    for (const side of [held, other]) await say(side, "1", "2");
    const jobs = [...(await claim(held)), ...(await claim(other))];
    const free = await hold("dedupe_key LIKE '%1'");
    const isHeld = (job: Job) => job.accountId === held.lease.accountId && keysOf([job])[0] === "1";
    const expected = jobs.map((job) => (isHeld(job) ? expect.stringContaining("pg_stat_activity") : true));
    const first = await waited(() => record(jobs));
    expect([first.waits, first.value]).toEqual([true, expected]);
    await say(other, "3");
    const [job] = jobs.filter(isHeld) as [Job];
    const more = [job, ...(await claim(other))];
    const second = await waited(() => record(more));
    expect([second.waits, second.value]).toEqual([false, [expect.stringContaining("holds"), true]]);
    await free();
    await until("its result", async () => (await record([job]))[0] === true);
    expect(await store.ledger()).toMatchObject([{ hole: 0 }, { hole: 0 }]);
  });

  it("let those before them in their chat end once they are free, and no others wait", async () => {
    const { held, other, hold, say, claim, record } = await twoAccounts();
    for (const side of [held, other]) await say(side, "1", "1 again");
    const jobs = [...(await claim(held)), ...(await claim(other))];
    const free = await hold("dedupe_key LIKE '%again'");
    const ends = [expect.stringContaining("holds"), true];
    expect(await record(jobs)).toEqual(ends);
    const more = [jobs[0] as Job, ...(await claim(other))];
    const again = await waited(() => record(more));
    expect([again.waits, again.value]).toEqual([false, ends]);
    await free();
    await until("its result", async () => (await record([jobs[0] as Job]))[0] === true);
    expect(keysOf(await claim(held))).toEqual(["1 again"]);
  });

  it("let those of others pass their time, however many of them have", async () => {
    const { clock, store, held, other, hold } = await twoAccounts();
    const accept = (channel: Channel, key: string, chat: string, patienceMs: number) =>
      store.outbox.acceptOutbound(channel, { key, act: agentSays(key, key, chat), patienceMs });
    for (const n of numbers(1, 120)) {
      await accept(held.channel, `sent:${n}`, `chat ${n}`, 1_000);
      await accept(held.channel, `again:${n}`, `chat ${n}`, 3_600_000);
    }
    await accept(other.channel, "sent:1", "chat 1", 2_000);
    const free = await hold("dedupe_key LIKE 'again%'");
    clock.leap(60_000);
    const ended = () => store.outbox.endOverdue(() => ({}));
    await until("that of the other", async () => (await ended()) === 1);
    await free();
    await until("theirs", async () => (await ended()) > 0);
  });

  it.each(["1", "2"])("pass their time without holding up those of others: message %s", async (id) => {
    const { clock, store, held, other, hold } = await twoAccounts();
    for (const { channel } of [held, other])
      for (const [key, patienceMs] of [
        ["1", 1_000],
        ["2", 3_600_000],
      ] as const)
        await store.outbox.acceptOutbound(channel, { key: `sent:${key}`, act: agentSays(key), patienceMs });
    const free = await hold(`dedupe_key LIKE '%${id}'`);
    clock.leap(60_000);
    const ended = () => store.outbox.endOverdue(() => ({}));
    expect(await ended()).toBe(1);
    await free();
    await until("its end", async () => (await ended()) === 1);
  });
});
