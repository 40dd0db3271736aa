import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Listed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { importPast } from "../../../../src/module/health/importing.ts";
import { newPast, readPast } from "../../../../src/module/health/past-note.ts";
import { byCustomer } from "../../../../src/store/care.ts";
import { readRows } from "../../../support/engine.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
const room = { most: 9, free: () => 9, take: () => true };

/** A channel that was connected a minute ago, with an import of 30 days, and a messenger that lists what the test says. */
async function setUp() {
  const stage = await oneChannel();
  const { store, clock, channel, folder } = stage;
  const begun = clock.now();
  await store.notes.set(channel.id, [newPast(30, begun)]);
  await clock.forward(MINUTE);
  const network = { pages: [] as Listed[], asked: [] as (number | string | undefined)[][], failsAt: -1 };
  async function* pages(since: number, after: string | undefined) {
    for (let n = Number(after ?? 0); n < network.pages.length; n++) {
      network.asked.push([since, after]);
      if (n === network.failsAt) throw new Error("the process was killed");
      yield { ...(network.pages[n] as Listed), ...(n + 1 < network.pages.length && { next: String(n + 1) }) };
    }
  }
  const said = (id: string, daysAgo = 1): ChannelEvent => ({ ...customerSays(id), at: begun - daysAgo * DAY });
  return {
    ...{ ...stage, network, begun, said },
    importNow: (of: Channel = channel) => importPast({ store, wake() {}, clock, log: silentLog }, of, pages),
    past: () => readPast(store.notes, channel.id),
    keys: async () => ((await readRows(folder, ["message"])).message ?? []).map(({ dedupe_key }) => dedupe_key),
  };
}

describe("an import of what was written before the connection", () => {
  it("brings the asked days and no others, as messages of the past, a page's oldest first", async () => {
    const { store, channel, network, begun, said, importNow, past, keys } = await setUp();
    const isNew = { ...customerSays("new"), at: begun + 1 };
    network.pages = [
      { events: [isNew, said("second", 1), said("zeroth", 3), said("too old", 31)] },
      { events: [said("first", 2)] },
    ];
    await importNow();
    const jobs = await store.outbox.claim(await takeLease(store, channel.accountId), room);
    expect(jobs.map(({ task }) => "event" in task && task.event)).toMatchObject([{ key: "zeroth", past: true }]);
    expect(await keys()).toEqual(["zeroth", "second", "first"]);
    expect(network.asked[0]).toEqual([begun - 30 * DAY, undefined]);
    expect(await past()).toMatchObject({ count: 3, ended: begun + MINUTE });
    network.asked = [];
    await importNow();
    expect(network.asked).toEqual([]);
  });

  it("waits until a webhook cannot be faster, and does nothing where nobody asked", async () => {
    const { store, clock, channel, network, said, importNow, keys } = await setUp();
    network.pages = [{ events: [said("one")] }];
    await store.notes.set(channel.id, [newPast(7, clock.now())]);
    await importNow();
    expect(await keys()).toEqual([]);
    await clock.forward(MINUTE);
    await importNow();
    expect(await keys()).toEqual(["one"]);
    const { importNow: other, network: asked } = await setUp().then(async (stage) => {
      await stage.store.notes.set(stage.channel.id, [{ key: "past", value: "" }]);
      return stage;
    });
    await other();
    expect(asked.asked).toEqual([]);
  });

  it("goes on after a kill with the page that was not stored, and brings nothing twice", async () => {
    const { network, said, importNow, past, keys } = await setUp();
    network.pages = [
      { events: [said("one")] },
      { events: [said("one"), said("two")] },
      { events: [said("three")], completeFrom: 5 },
    ];
    network.failsAt = 1;
    await expect(importNow()).rejects.toThrow("killed");
    expect(await past()).toMatchObject({ next: "1", count: 1 });
    network.failsAt = -1;
    await importNow();
    expect(await keys()).toEqual(["one", "two", "three"]);
    expect(await past()).toMatchObject({ count: 3 });
    expect((await past())?.next).toBeUndefined();
  });

  it("brings back nobody who was erased, and ends with another login", async () => {
    const { store, clock, channel, network, said, importNow, keys, past } = await setUp();
    network.pages = [{ events: [said("one")] }, { events: [said("two")] }];
    network.failsAt = 1;
    await store.outbox.acceptInbound(channel, { events: [customerSays("first")] });
    const chat = "chat-1" as ChatId;
    await store.erasure.customer(channel.accountId, { channelId: channel.id, chat }, byCustomer("customer erased"));
    await expect(importNow()).rejects.toThrow("killed");
    expect(await keys()).toEqual([]);
    network.failsAt = -1;
    await importNow({ ...channel, identity: "toy:another" });
    expect(await keys()).toEqual([]);
    expect(await past()).toMatchObject({ ended: clock.now() });
  });

  it("stops while much of it waits", async () => {
    const { store, network, said, importNow, past } = await setUp();
    const page = (n: number) => ({
      events: Array.from({ length: 500 }, (_, each) => ({ ...said(`${n} ${each}`), chat: `c${each}` as ChatId })),
    });
    network.pages = Array.from({ length: 6 }, (_, n) => page(n));
    await importNow();
    expect(await past()).toMatchObject({ next: "4", count: 2_000 });
    await importNow();
    expect(await past()).toMatchObject({ next: "4" });
    expect((await store.ledger())[0]).toMatchObject({ waiting: 2_000, hole: 0 });
  });

  it("delays no new message of the same chat", async () => {
    const { store, channel, network, said, importNow } = await setUp();
    network.pages = [{ events: [said("one"), said("two")] }];
    await importNow();
    await store.outbox.acceptInbound(channel, { events: [customerSays("new")] });
    const jobs = await store.outbox.claim(await takeLease(store, channel.accountId), room);
    expect(jobs.map(({ task }) => "event" in task && task.event.key).sort()).toEqual(["new", "one"]);
  });
});
