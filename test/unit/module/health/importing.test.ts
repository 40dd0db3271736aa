import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import { describe, expect, it, onTestFinished } from "vitest";
import { beginComparing } from "../../../../src/module/health/compared-note.ts";
import { createImporting } from "../../../../src/module/health/importing.ts";
import type { Lists } from "../../../../src/module/health/lists.ts";
import { pastNote, readPast } from "../../../../src/module/health/past-note.ts";
import { byUser } from "../../../../src/store/care.ts";
import { readRows } from "../../../support/engine.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { eraseChat, oneChannel, takeLease } from "../../../support/store.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
const ROOM = { most: 9, free: () => 9, take: () => true };
const chat = "chat-1" as ChatId;

/** A channel that has just been connected, with an import of 30 days, and a messenger that lists what the test says. */
async function setUp({ days = 30 } = {}) {
  const stage = await oneChannel();
  const { store, clock, channel, folder } = stage;
  const begun = clock.now();
  if (days > 0) await store.notes.set(channel.id, [pastNote({ days, count: 0 })]);
  await beginComparing(store.notes, channel, begun);
  const network = {
    pages: [] as { events: ChannelEvent[]; notes?: Note[]; completeFrom?: number }[],
    asked: [] as { since: number; after?: string }[],
    /** Called while a page is asked for. */
    meanwhile: async () => {},
    fails: undefined as { page: number; error: Error } | undefined,
  };
  const lists: Lists = {
    has: () => true,
    async page(_, at) {
      const n = Number(at.after ?? 0);
      network.asked.push(at);
      await network.meanwhile();
      if (network.fails?.page === n) throw network.fails.error;
      return { events: [], ...network.pages[n], ...(n + 1 < network.pages.length && { next: String(n + 1) }) };
    },
  };
  /** As after a restart. */
  const begin = () => {
    const importing = createImporting({ store, lists, wake() {}, clock, log: silentLog });
    onTestFinished(() => importing.stop());
    void importing.start();
    return importing;
  };
  const rows = async () => (await readRows(folder, ["message"])).message ?? [];
  return {
    ...{ ...stage, network, begun, begin },
    said: (id: string, daysAgo = 1, more: object = {}): ChannelEvent =>
      ({ ...customerSays(id), at: begun - daysAgo * DAY, ...more }) as ChannelEvent,
    past: () => readPast(store.notes, channel.id),
    keys: async () => (await rows()).map(({ dedupe_key }) => dedupe_key),
    claimed: async () => {
      const jobs = await store.outbox.claim(await takeLease(store, channel.accountId), ROOM);
      return jobs.flatMap(({ task }) => ("event" in task && task.event.type === "message" ? [task.event] : []));
    },
  };
}

const killed = { page: 1, error: new Error("the process was killed") };

describe("an import of what was written before the connection", () => {
  it("brings the asked days and no others, as messages of the past, a page's oldest first", async () => {
    const { clock, network, begun, said, begin, past, keys, claimed } = await setUp();
    const live = { ...customerSays("live"), at: begun + 1 };
    network.pages = [
      { events: [live, said("second", 1), said("zeroth", 3), said("too old", 31)], completeFrom: begun - 5 * DAY },
      { events: [said("first", 2), { ...said("reaction", 2), type: "reaction", reaction: "x" } as ChannelEvent] },
    ];
    begin();
    await clock.forward(6 * MINUTE);
    expect(await keys()).toEqual(["zeroth", "second", "first"]);
    expect(await claimed()).toMatchObject([{ key: "zeroth", past: true }]);
    expect(network.asked).toEqual([
      { since: begun - 30 * DAY, after: undefined },
      { since: begun - 30 * DAY, after: "1" },
    ]);
    expect(await past()).toMatchObject({ count: 3, completeFrom: begun - 5 * DAY, ended: expect.any(Number) });
    expect((await past())?.next).toBeUndefined();
  });

  it("begins once no webhook can be faster, and asks nothing where nobody wants it, nor again at the end", async () => {
    const { clock, network, said, begin, keys } = await setUp();
    network.pages = [{ events: [said("one")] }];
    begin();
    await clock.forward(4 * MINUTE);
    expect(network.asked).toEqual([]);
    await clock.forward(10 * MINUTE);
    begin();
    await clock.forward(10 * MINUTE);
    expect(network.asked).toHaveLength(1);
    expect(await keys()).toEqual(["one"]);
    const other = await setUp({ days: 0 });
    other.network.pages = [{ events: [other.said("one")] }];
    other.begin();
    await other.clock.forward(10 * MINUTE);
    expect(other.network.asked).toEqual([]);
  });

  it("goes on after a kill with the page that was not stored, and brings nothing twice", async () => {
    const { clock, network, said, begin, past, keys } = await setUp();
    network.pages = [{ events: [said("one")] }, { events: [said("one"), said("two")] }, { events: [said("three")] }];
    const at = { death: () => {}, end: () => {} };
    const death = new Promise<void>((resolve) => Object.assign(at, { death: resolve }));
    const end = new Promise<void>((resolve) => Object.assign(at, { end: resolve }));
    const first = begin();
    network.meanwhile = async () => {
      if (network.asked.length < 2) return;
      at.death();
      await end;
      throw new Error("the process was killed");
    };
    void clock.forward(6 * MINUTE);
    await death;
    void first.stop();
    at.end();
    expect(await past()).toMatchObject({ next: "1", count: 1 });
    network.meanwhile = async () => {};
    begin();
    await clock.forward(MINUTE);
    expect(await keys()).toEqual(["one", "two", "three"]);
    expect(await past()).toMatchObject({ count: 3, ended: expect.any(Number) });
  });

  it("begins anew where the messenger no longer knows the page, rests after a refusal, and gives up after a week", async () => {
    const { clock, network, said, begin, past, keys } = await setUp();
    network.pages = [{ events: [said("one")] }, { events: [said("two")] }];
    network.fails = { page: 1, error: new DeliveryError({ type: "reject", code: "general" }, "invalid cursor") };
    begin();
    await clock.forward(6 * MINUTE);
    expect(network.asked.map(({ after }) => after)).toEqual([undefined, "1"]);
    await clock.forward(30 * MINUTE);
    expect(network.asked).toHaveLength(2);
    network.fails = undefined;
    await clock.forward(40 * MINUTE);
    expect(network.asked.map(({ after }) => after).slice(2)).toEqual([undefined, "1"]);
    expect(await keys()).toEqual(["one", "two"]);
    expect(await past()).toMatchObject({ count: 2, ended: expect.any(Number) });
    const other = await setUp();
    other.network.fails = { page: 0, error: new DeliveryError({ type: "reject", code: "general" }, "no right") };
    other.begin();
    await other.clock.forward(8 * DAY);
    expect(await other.past()).toMatchObject({ count: 0, ended: expect.any(Number) });
  });
});

describe("what an import leaves alone", () => {
  it("is whoever was erased, also once they write again, with what was noted about them", async () => {
    const { store, clock, channel, network, said, begin, keys } = await setUp();
    await store.outbox.acceptInbound(channel, { events: [customerSays("first")] });
    network.pages = [
      { events: [said("one")], notes: [{ key: `who:${chat}`, value: "Robin" }] },
      { events: [said("two")] },
    ];
    network.fails = killed;
    await eraseChat(store, channel, chat);
    begin();
    await clock.forward(6 * MINUTE);
    expect(await keys()).toEqual([]);
    expect(await store.notes.get(channel.id, `who:${chat}`)).toBeUndefined();
    await store.outbox.acceptInbound(channel, { events: [{ ...customerSays("again"), at: clock.now() }] });
    network.fails = undefined;
    await clock.forward(MINUTE);
    expect(await keys()).toEqual(["again"]);
  });

  it("is a channel that was removed, or has another login, while a page was asked for", async () => {
    for (const change of ["removed", "edited"] as const) {
      const { store, clock, channel, network, said, begin, keys } = await setUp();
      network.pages = [{ events: [said("one")] }];
      network.meanwhile = () =>
        change === "removed"
          ? store.channels.setState(channel.id, "removed", undefined, { by: byUser("channel removed") })
          : store.channels.change(channel.id, { name: "Other", settings: {} });
      begin();
      await clock.forward(5 * MINUTE + 1_000);
      expect(network.asked).toHaveLength(1);
      expect(await keys()).toEqual([]);
    }
  });

  it("is room for what is new: it rests while much waits", async () => {
    const { store, clock, network, said, begin, past } = await setUp();
    const page = (n: number) => ({
      events: Array.from({ length: 150 }, (_, each) => said(`${n} ${each}`, 1, { chat: `c${each}` })),
    });
    network.pages = Array.from({ length: 6 }, (_, n) => page(n));
    begin();
    // A database beside may take longer than the clock that is moved.
    for (let n = 0; n < 20 && (await past())?.count !== 300; n++) await clock.forward(5 * MINUTE);
    await clock.forward(20 * MINUTE);
    expect(await past()).toMatchObject({ next: "2", count: 300 });
    expect((await store.ledger())[0]).toMatchObject({ waiting: 300, hole: 0 });
  });

  it("is the order and the times of what is new", async () => {
    const { store, clock, channel, network, begun, said, begin, claimed } = await setUp();
    network.pages = [{ events: [said("one"), said("two")] }];
    begin();
    await clock.forward(6 * MINUTE);
    expect((await store.traffic.of(channel.accountId))[0]?.lastInboundAt).toBeUndefined();
    expect(await store.stories.firstSince(channel, begun)).toBeUndefined();
    await store.outbox.acceptInbound(channel, { events: [customerSays("new")] });
    expect((await claimed()).map(({ key }) => key).sort()).toEqual(["new", "one"]);
  });
});

describe("an imported message that has not left", () => {
  it("holds back what changes it, and its erasure takes it along", async () => {
    const { store, clock, channel, network, said, begin, rows } = await withRows();
    network.pages = [{ events: [said("one"), said("two")] }];
    begin();
    await clock.forward(6 * MINUTE);
    const { messengerMessageId } = said("one");
    expect(await store.messages.isComing(channel.id, messengerMessageId)).toBe(true);
    await store.outbox.acceptOutbound(channel, { key: "a", act: agentSays("7"), patienceMs: DAY });
    await eraseChat(store, channel, chat);
    expect((await rows()).filter(({ chat: lane }) => String(lane).startsWith(chat))).toEqual([]);
    expect(await store.messages.isComing(channel.id, messengerMessageId)).toBe(false);
  });
});

async function withRows() {
  const stage = await setUp();
  return { ...stage, rows: async () => (await readRows(stage.folder, ["message"])).message ?? [] };
}
