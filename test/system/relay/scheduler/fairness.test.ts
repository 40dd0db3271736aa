import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import type { Channel } from "../../../../src/domain/channel.ts";
import { DEFAULT_BOUNDS, type Job } from "../../../../src/domain/delivery.ts";
import type { Store } from "../../../../src/store/store.ts";
import { type HandClock, handClock } from "../../../support/clock.ts";
import { onPostgres, writeRows } from "../../../support/engine.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { addAccount, addChannel, storeIn, temporaryFolder, temporaryStore } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { working } from "../../../support/worker.ts";

/** How long a call of each channel takes, ms; a dead messenger's never succeeds. */
type Takes = (job: Job) => { ms: number; fails?: boolean };

async function relaying(store: Store, clock: HandClock, takes: Takes, limits = { calls: 64, callsPerAccount: 8 }) {
  const started: Job[] = [];
  const done: Job[] = [];
  const inFlight = new Map<string, number>();
  const peak = new Map<string, number>();
  const fly = (channel: string, by: number) => {
    const now = (inFlight.get(channel) ?? 0) + by;
    inFlight.set(channel, now);
    peak.set(channel, Math.max(now, peak.get(channel) ?? 0));
  };
  const { worker } = await working({
    store,
    perform: async (job, signal) => {
      started.push(job);
      fly(job.direction, 1);
      const { ms, fails } = takes(job);
      await (ms > 0 ? pause(clock, ms, signal) : undefined);
      fly(job.direction, -1);
      if (fails) throw new DeliveryError({ type: "retry" }, "no answer");
      done.push(job);
      return {};
    },
    clock,
    limits,
  });
  const of = (jobs: Job[], channel: Channel) => jobs.filter((job) => job.channelId === channel.id);
  return { worker, started, done, peak, of };
}

const tenant = async (store: Store, name: string, kind?: string) => {
  const account = await addAccount(store, name);
  return { account, channel: await addChannel(store, account, kind) };
};
const ask = (store: Store, channel: Channel, chats: number, name = "m") =>
  store.outbox.acceptInbound(channel, {
    events: Array.from({ length: chats }, (_, n) => customerSays(`${name}${n}`, "hello", `${name} chat ${n}`)),
  });
const tell = async (store: Store, channel: Channel, chats: number) => {
  const accept = (n: number) =>
    store.outbox.acceptOutbound(channel, {
      key: `sent:${n}`,
      act: agentSays(`${channel.id}-${n}`, "hello", `chat ${n}`),
      patienceMs: 3_600_000,
    });
  await Promise.all(Array.from({ length: chats }, (_, n) => accept(n)));
};

/** PostgreSQL takes most of a minute for 50,000; forty pages of heads are a flood, too. */
const FLOOD = onPostgres ? 10_000 : 50_000;

/** The backlog of a long outage: chats with one message each. */
async function withBacklog(clock: HandClock, waiting: number) {
  const folder = temporaryFolder();
  const bounds = { ...DEFAULT_BOUNDS, perAccount: waiting * 2 };
  const first = await storeIn(folder, clock, { bounds });
  const big = await tenant(first, "big");
  await ask(first, big.channel, 1);
  await first.close();
  await writeRows(
    folder,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO message (account_id, channel_id, direction, chat, position, head, state, run_at, deadline_at, payload, created_at, updated_at)
     SELECT account_id, channel_id, direction, chat || i, id + i, 1, state, run_at, deadline_at, payload, created_at, updated_at FROM message, n`,
    waiting - 1,
  );
  const store = await storeIn(folder, clock, { bounds });
  onTestFinished(() => store.close());
  return { store, big };
}

describe(`a tenant with ${FLOOD} waiting messages`, () => {
  it.each([
    ["a cap for each account", { calls: 64, callsPerAccount: 8 }, 16],
    ["no cap but that of the process", { calls: 64, callsPerAccount: 64 }, 128],
  ])("lets another tenant's message leave at once, with %s", async (_, limits, bound) => {
    const clock = handClock();
    const { store, big } = await withBacklog(clock, FLOOD);
    const small = await tenant(store, "small");
    // Calls end at once: the flood is claimed as fast as the store can.
    const { worker, started, of } = await relaying(store, clock, () => ({ ms: 0 }), limits);
    for (let n = 0; n < 5; n++) {
      await until("the flood", () => of(started, big.channel).length > 100 * n);
      await ask(store, small.channel, 1, `small${n}`);
      const accepted = started.length;
      worker.wake(small.account.id);
      await until("the small one's turn", () => of(started, small.channel).length > n);
      const overtakers = started.findLastIndex((job) => job.channelId === small.channel.id) - accepted;
      expect(overtakers).toBeLessThanOrEqual(bound);
    }
    await worker.stop(0);
  });
});

describe("a messenger that hangs", () => {
  const CALL_MS = 100;
  /** What the others get done while one tenant's messenger hangs. */
  async function throughput(dead: boolean) {
    const clock = handClock();
    const store = await temporaryStore(clock);
    const stuck = await tenant(store, "stuck", "dead");
    const others = await Promise.all(["a", "b", "c"].map((name) => tenant(store, name)));
    if (dead) await tell(store, stuck.channel, 50);
    for (const other of others) await ask(store, other.channel, 100);
    const { done } = await relaying(store, clock, (job) =>
      job.channelId === stuck.channel.id ? { ms: 30_000, fails: true } : { ms: CALL_MS },
    );
    await clock.forward(1_050);
    return done.filter((job) => job.channelId !== stuck.channel.id).length;
  }

  it("costs the other tenants nothing of their throughput", async () => {
    const [without, beside] = [await throughput(false), await throughput(true)];
    expect(without).toBe(210);
    expect(beside).toBeGreaterThanOrEqual(without * 0.95);
  });

  it("used by very many tenants takes no more than its share of all calls; other messengers and the gateway go on", async () => {
    const clock = handClock();
    const store = await temporaryStore(clock);
    const stuck = await Promise.all(Array.from({ length: 16 }, (_, n) => tenant(store, `stuck${n}`, "dead")));
    for (const { channel } of stuck) await tell(store, channel, 20);
    const well = await tenant(store, "well");
    const { worker, done, peak, of } = await relaying(store, clock, (job) =>
      job.direction === "outbound" && job.channelId !== well.channel.id ? { ms: 30_000, fails: true } : { ms: CALL_MS },
    );
    await clock.forward(1_000);
    expect(peak.get("outbound")).toBe(48);
    await tell(store, well.channel, 1);
    await ask(store, stuck[0]?.channel as Channel, 1);
    for (const { account } of [...stuck, well]) worker.wake((account as Account).id);
    await clock.forward(1_000);
    expect(of(done, well.channel).map((job) => job.direction)).toEqual(["outbound"]);
    expect(of(done, stuck[0]?.channel as Channel).map((job) => job.direction)).toEqual(["inbound"]);
  });

  it("passes its slots to all waiting accounts in turn", async () => {
    const clock = handClock();
    const store = await temporaryStore(clock);
    const slow = await Promise.all(Array.from({ length: 12 }, (_, n) => tenant(store, `slow${n}`, "slow")));
    for (const { channel } of slow) await tell(store, channel, 10);
    const { done, peak, of } = await relaying(store, clock, () => ({ ms: 1_000 }), { calls: 8, callsPerAccount: 4 });
    await clock.forward(4_500);
    const counts = slow.map(({ channel }) => of(done, channel).length);
    expect(Math.max(...counts) - Math.min(...counts), counts.join()).toBeLessThanOrEqual(1);
    await clock.forward(20_000);
    expect(done).toHaveLength(120);
    expect(peak.get("outbound")).toBe(6);
  });

  it("leaves its own account a call for the gateway", async () => {
    const clock = handClock();
    const store = await temporaryStore(clock);
    const { account, channel } = await tenant(store, "shop", "dead");
    await tell(store, channel, 50);
    const { worker, done } = await relaying(store, clock, (job) =>
      job.direction === "outbound" ? { ms: 30_000, fails: true } : { ms: CALL_MS },
    );
    await clock.forward(1_000);
    await ask(store, channel, 1);
    worker.wake(account.id);
    await clock.forward(1_000);
    expect(done.map((job) => job.direction)).toEqual(["inbound"]);
  });
});
