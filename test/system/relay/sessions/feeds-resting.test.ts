import type { Feed } from "gangway-messenger/port";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFeeds } from "../../../../src/relay/sessions/feeds.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";

/** A messenger that gives the next message only after the last was stored. */
async function setUp(fromCustomers: number) {
  // Agents' messages have a share of their own.
  const bounds = { perAccount: Math.ceil(fromCustomers / 0.75) };
  const { clock, store, account, channel } = await oneChannel({ bounds });
  let polls = 0;
  const feed: Feed = {
    async run(save, signal) {
      while (!signal.aborted && polls < 5) {
        polls += 1;
        await save({ events: [customerSays(`m${polls}`)], notes: [{ key: "cursor", value: String(polls) }] });
      }
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const feeds = createFeeds({
    store,
    sessions: { of: () => ({ feed }), peek: () => ({ feed }) } as never,
    acceptInbound: async (to, { events, notes }) => {
      await store.outbox.acceptInbound(to, { events, notes });
    },
    clock,
    log: silentLog,
    random: () => 0.5,
  });
  await feeds.start();
  onTestFinished(feeds.stop);
  const finish = async () => {
    const lease = await takeLease(store, account.id, "test");
    for (const job of await store.outbox.claim(lease, roomFor(1))) await store.outbox.done(job, {});
  };
  const cursor = () => store.notes.get(channel.id, "cursor");
  return { clock, store, account, channel, feeds, finish, cursor, polls: () => polls };
}

describe("a feed whose account has no room", () => {
  it("waits with its arrival, polls no further, and goes on when there is room", async () => {
    const { clock, store, account, channel, finish, cursor, polls } = await setUp(2);
    await clock.forward(600_000);
    expect([polls(), await cursor()]).toEqual([3, "2"]);
    // Not a trouble that the channel's owner could fix.
    expect((await store.channels.byId(account.id, channel.id))?.trouble).toBeUndefined();
    await finish();
    await clock.forward(10_000);
    expect([polls(), await cursor()]).toEqual([4, "3"]);
  });

  it("ends at once if stopped meanwhile, and its cursor stays", async () => {
    const { clock, feeds, cursor } = await setUp(1);
    await clock.forward(1_000);
    await feeds.stop();
    expect(await cursor()).toBe("1");
  });

  it("accepts nothing after a stop, even if there is room by then", async () => {
    const { clock, feeds, finish, cursor } = await setUp(1);
    await clock.forward(1_000);
    await finish();
    await feeds.stop();
    expect(await cursor()).toBe("1");
  });
});
