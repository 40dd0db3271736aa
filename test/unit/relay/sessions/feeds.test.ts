import { DeliveryError } from "gangway-messenger/errors";
import type { Feed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { createFeeds } from "../../../../src/relay/sessions/feeds.ts";
import type { Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";

const nothing = { events: [] };

/** A channel whose feed does what the test says each time it starts. */
async function setUp(run: Feed["run"]) {
  const { clock, store, account, channel } = await oneChannel();
  const of = () => ({ feed: { run } });
  const sessions = { of, peek: of } as unknown as Sessions;
  const acceptInbound = async () => {};
  const feeds = createFeeds({ store, sessions, acceptInbound, clock, log: silentLog, random: () => 1 });
  const troubles: (string | undefined)[] = [];
  const { setTrouble } = store.channels;
  store.channels.setTrouble = async (id, trouble) => {
    troubles.push(trouble);
    await setTrouble(id, trouble);
  };
  return { clock, store, channel, feeds, troubles, state: async () => store.channels.byId(account.id, channel.id) };
}
const failing = (words: string) => new DeliveryError({ type: "retry" }, words);

describe("the feed of a channel", () => {
  it("that ends at once is restarted at most once a second", async () => {
    let starts = 0;
    const { clock, feeds } = await setUp(async (save) => {
      starts += 1;
      await save(nothing);
    });
    await feeds.start();
    await clock.forward(10_000);
    await feeds.stop();
    expect(starts).toBeGreaterThan(5);
    expect(starts).toBeLessThan(15);
  });

  it("is started again although its channel could not be read at first", async () => {
    let starts = 0;
    const { clock, store, channel, feeds } = await setUp(async (save) => {
      starts += 1;
      await save(nothing);
    });
    const { ofJob } = store.channels;
    let fails = true;
    store.channels.ofJob = async (id) => {
      if (fails) throw new Error("the connection was lost");
      return ofJob(id);
    };
    feeds.changed(channel.id);
    await clock.forward(3_000);
    expect(starts).toBe(0);
    fails = false;
    await clock.forward(3_000);
    await feeds.stop();
    expect(starts).toBeGreaterThan(0);
  });

  it("reports a trouble once, whatever its detail, and when it is over", async () => {
    let count = 0;
    const { clock, feeds, troubles, state } = await setUp(async (save) => {
      count += 1;
      if (count <= 6)
        throw failing(count % 2 ? "Telegram: timeout" : `Telegram: Too Many Requests: retry after ${count}`);
      await save(nothing);
    });
    await feeds.start();
    await clock.forward(600_000);
    await feeds.stop();
    expect(troubles).toEqual(["Telegram: Too Many Requests: retry after 2", undefined]);
    expect((await state())?.trouble).toBeUndefined();
  });

  it("reports a different trouble as soon as it occurs", async () => {
    const conflict = "another program takes this bot's messages: stop the other one";
    let count = 0;
    const { clock, feeds, troubles } = await setUp(async () => {
      count += 1;
      throw failing(count <= 3 ? "Telegram: reset" : conflict);
    });
    await feeds.start();
    await clock.forward(60_000);
    await feeds.stop();
    expect(troubles).toEqual(["Telegram: reset", conflict]);
  });

  it("runs on while the channel is paused, since messengers forget what nobody fetches", async () => {
    let runs = 0;
    const { clock, feeds, store, channel } = await setUp(async () => {
      runs += 1;
    });
    await store.channels.setState(channel.id, "paused");
    await feeds.start();
    await clock.forward(3_000);
    expect(runs).toBeGreaterThan(1);
    await feeds.stop();
  });

  it("does not run with dead credentials, nor starts again, while the vendor has paused the channel", async () => {
    let runs = 0;
    const { clock, feeds, store, channel, state } = await setUp(async () => {
      runs += 1;
      throw new DeliveryError({ type: "reconnect" }, "the token was revoked");
    });
    await store.channels.setPause(channel.id, "unpaid", { actor: "operator", action: "channel paused" });
    await feeds.start();
    await clock.forward(10_000);
    for (let n = 0; n < 5; n++) {
      feeds.changed(channel.id);
      await clock.forward(2_000);
    }
    expect([runs, (await state())?.state]).toEqual([1, "stopped"]);
    await feeds.stop();
  });

  it.each(["its account", "all"])(
    "is one at a time, also when %s is left and taken back before it has ended",
    async (whose) => {
      let [polls, most] = [0, 0];
      const ends: (() => void)[] = [];
      const { clock, feeds, channel } = await setUp(async () => {
        polls += 1;
        most = Math.max(most, polls);
        await new Promise<void>((resolve) => void ends.push(resolve));
        polls -= 1;
      });
      await feeds.start();
      const left = feeds.leave(whose === "all" ? undefined : channel.accountId);
      feeds.changed(channel.id);
      await clock.forward(1_000);
      expect([most, ends.length]).toEqual([1, 1]);
      ends[0]?.();
      await left;
      await clock.forward(1_000);
      expect([most, ends.length]).toEqual([1, 2]);
      const stopped = feeds.stop();
      ends[1]?.();
      await stopped;
    },
  );

  it("stops the channel when its login dies", async () => {
    const { clock, feeds, state } = await setUp(async () => {
      throw new DeliveryError({ type: "reconnect" }, "the token was revoked");
    });
    await feeds.start();
    await clock.forward(1_000);
    expect(await state()).toMatchObject({ state: "stopped", trouble: "the token was revoked" });
    await feeds.stop();
  });

  it("whose login dies stops the channel as soon as that can be written", async () => {
    const { clock, feeds, store, state } = await setUp(async () => {
      throw new DeliveryError({ type: "reconnect" }, "the token was revoked");
    });
    const { setState } = store.channels;
    let full = true;
    store.channels.setState = async (...change) => {
      if (full) throw new Error("database or disk is full");
      await setState(...change);
    };
    await feeds.start();
    await clock.forward(10_000);
    expect(await state()).toMatchObject({ state: "active" });
    full = false;
    await clock.forward(60_000);
    expect(await state()).toMatchObject({ state: "stopped", trouble: "the token was revoked" });
    await feeds.stop();
  });
});
