import { createClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Feed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { createRates } from "../../../messengers/webchat/src/rates.ts";
import type { AccountId } from "../../../src/domain/ids.ts";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { createRateLimit } from "../../../src/http/doors/rate-limit.ts";
import { createBreakers, createPaces } from "../../../src/relay/limits/limits.ts";
import { createFeeds } from "../../../src/relay/sessions/feeds.ts";
import type { Sessions } from "../../../src/relay/sessions/sessions.ts";
import { type HandClock, handClock } from "../../support/clock.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { oneChannel } from "../../support/store.ts";
import { working } from "../../support/worker.ts";

const HOUR_MS = 3_600_000;
const at = {
  ...{ accountId: "account" as AccountId, channelId: "channel" as ChannelId, chat: "chat" as ChatId },
  pace: { perSecond: 5, perChat: () => ({ most: 1, everyMs: 1_000 }) },
};

/** Starts a wait of a few seconds; the returned function says whether it is over. */
type Wait = (clock: HandClock) => Promise<() => Promise<boolean>>;
const waits: [string, Wait][] = [
  [
    "a call in a messenger's pace",
    async (clock) => {
      const paces = createPaces(clock);
      await clock.forward(1_000);
      await paces.run(at, async () => ({}));
      return async () => paces.wait(at) === 0;
    },
  ],
  [
    "a messenger's request to wait",
    async (clock) => {
      const paces = createPaces(clock);
      paces.pause(at, 5_000);
      return async () => paces.wait(at) === 0;
    },
  ],
  [
    "what the previous process has sent",
    async (clock) => {
      const paces = createPaces(clock);
      const sentAt = clock.now();
      clock.setBack(HOUR_MS);
      paces.taken(at.accountId, 0);
      await paces.countEarlier(at, async () => [sentAt]);
      return async () => paces.wait(at) === 0;
    },
  ],
  [
    "the pause of a token",
    async (clock) => {
      const permits = createPermits(clock);
      permits.pauseFor("token", 5_000);
      return () =>
        Promise.race([permits.run("token", "message", async () => true), clock.forward(1).then(() => false)]);
    },
  ],
  [
    "an open circuit",
    async (clock) => {
      const breakers = createBreakers(clock, silentLog);
      const dead = async () => Promise.reject(new DeliveryError({ type: "retry" }, "no answer"));
      const to = { account: "shop" as AccountId, name: "gateway", pausesWhole: true };
      for (let n = 0; n < 10; n++) await breakers.through(to, dead).catch(() => {});
      return async () => !("postponedMs" in (await breakers.through(to, async () => ({}))));
    },
  ],
  [
    "the minute of an address that guesses",
    async (clock) => {
      const limit = createRateLimit(1, clock);
      limit.take("guesser");
      await clock.forward(45_000);
      return async () => limit.take("guesser");
    },
  ],
  [
    "a visitor's bucket",
    async (clock) => {
      const ask = createRates(clock, { burst: 1, perSecond: 1 });
      ask("visitor");
      return async () => ask("visitor") === 0;
    },
  ],
];

describe("a clock that is put back by an hour", () => {
  it.each(waits)("makes no wait longer: %s", async (_, wait) => {
    const clock = handClock();
    const isOver = await wait(clock);
    expect(await isOver()).toBe(false);
    clock.setBack(HOUR_MS);
    await clock.forward(20_000);
    expect(await isOver()).toBe(true);
  });

  it("lets a feed that has just ended restart", async () => {
    const { clock, store } = await oneChannel();
    let starts = 0;
    const run: Feed["run"] = async () => {
      starts += 1;
      if (starts === 1) clock.setBack(HOUR_MS);
    };
    const of = () => ({ feed: { run } });
    const sessions = { of, peek: of } as unknown as Sessions;
    const acceptInbound = async () => {};
    const feeds = createFeeds({ store, sessions, acceptInbound, clock, log: silentLog, random: () => 1 });
    await feeds.start();
    await clock.forward(5_000);
    await feeds.stop();
    expect(starts).toBeGreaterThan(1);
  });
});

describe("work that waits on disk", () => {
  async function waiting() {
    const { clock, store, account, channel } = await oneChannel({});
    const calls: number[] = [];
    const perform = async () => {
      calls.push(clock.monotonic());
      if (calls.length === 1) throw new DeliveryError({ type: "retry", afterMs: 20_000 }, "later");
      return {};
    };
    const relay = () => working({ store, clock, perform });
    return { clock, store, account, channel, calls, relay };
  }

  it("runs on time in the process that sees the clock put back", async () => {
    const { clock, store, account, channel, calls, relay } = await waiting();
    await relay();
    await store.outbox.acceptInbound(channel, { events: [customerSays("1")] });
    await clock.forward(6_000);
    expect(calls).toHaveLength(1);
    clock.setBack(HOUR_MS);
    await clock.forward(30_000);
    expect(calls).toHaveLength(2);
    expect(await store.outbox.nextDue(account.id)).toEqual({ due: [] });
  });

  it("runs on time in the process started after it; agents' messages still expire on time", async () => {
    const { clock, store, account, channel, calls, relay } = await waiting();
    await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 90_000 });
    await store.channels.setState(channel.id, "stopped", "no");
    await store.outbox.acceptInbound(channel, { events: [customerSays("1")] });
    await store.accounts.setTrouble(account.id, { text: "no", restUntil: clock.now() + 10_000 });
    clock.setBack(HOUR_MS);
    await relay();
    await clock.forward(85_000);
    const ended = async () => (await store.outbox.ended(account.id, 9)).length;
    expect([calls.length, await ended()]).toEqual([2, 0]);
    await clock.forward(15_000);
    expect(await ended()).toBe(1);
  });
});

describe("a machine's clock that is set an hour forward", () => {
  /** An agent's message with 150 seconds that cannot leave, on a clock that `ahead` moves. */
  async function waiting() {
    let aheadMs = 0;
    const hand = handClock();
    const { now, step, adopt } = createClock(() => hand.now() + aheadMs, hand.monotonic);
    const { clock, store, account, channel } = await oneChannel({ clock: { ...hand, now, step, adopt } });
    await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 150_000 });
    await store.channels.setState(channel.id, "stopped", "no");
    await working({ store, clock, perform: async () => ({}) });
    const ahead = (ms: number) => {
      aheadMs = ms;
    };
    return { clock, ahead, ended: async () => (await store.outbox.ended(account.id, 9)).length };
  }

  it("for six seconds ends no message", async () => {
    const { clock, ahead, ended } = await waiting();
    ahead(HOUR_MS);
    await clock.forward(6_000);
    ahead(0);
    await clock.forward(135_000);
    expect(await ended()).toBe(0);
    await clock.forward(15_000);
    expect(await ended()).toBe(1);
  });

  it("for good takes no time from what waits", async () => {
    const { clock, ahead, ended } = await waiting();
    const began = clock.now();
    ahead(HOUR_MS);
    await clock.forward(140_000);
    expect([await ended(), clock.now() - began]).toEqual([0, HOUR_MS + 140_000]);
    await clock.forward(20_000);
    expect(await ended()).toBe(1);
  });
});
