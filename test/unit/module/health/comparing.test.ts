import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelSession, Listed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { beginComparing, readCompared } from "../../../../src/module/health/compared-note.ts";
import { createComparing } from "../../../../src/module/health/comparing.ts";
import { createLists } from "../../../../src/module/health/lists.ts";
import type { Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { readRows } from "../../../support/engine.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { eraseChat, oneChannel, RETAIN_DAYS, takeLease } from "../../../support/store.ts";

const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];
const ROUND = 150 * SECOND;

/** A network whose list is what the test says, page by page. */
interface Network {
  pages: Listed[];
  asked: { since: number; cursor: string | undefined; at: number }[];
  fails?: Error;
}

async function setUp({ dedupe = 90 } = {}) {
  const stage = await oneChannel();
  const { store, clock, channel, folder } = stage;
  const network: Network = { pages: [{ events: [] }], asked: [] };
  const list: ChannelSession["list"] = async (since, cursor) => {
    network.asked.push({ since, cursor, at: clock.now() });
    if (network.fails) throw network.fails;
    const n = Number(cursor ?? 0);
    return { ...(network.pages[n] as Listed), ...(n + 1 < network.pages.length && { next: String(n + 1) }) };
  };
  const adapter = { pace: { listsPerSecond: 2 } };
  const sessions = { peek: () => ({ list }), adapter: () => adapter } as unknown as Sessions;
  const warned: [event: string, fields?: object][] = [];
  const woken: string[] = [];
  const comparing = createComparing({
    config: { retainDays: { ...RETAIN_DAYS, dedupe } },
    ...{ store, lists: createLists(sessions, clock), clock, wake: (id) => void woken.push(id) },
    log: { ...silentLog, warn: (event, fields) => void warned.push([event, fields]) },
  });
  const said = (id: string, at = clock.now() - 2 * MINUTE): ChannelEvent => ({ ...customerSays(id), at });
  return {
    ...{ ...stage, network, comparing, warned, woken, said },
    /** Connects the channel, and looks ten minutes later. */
    start: async () => {
      await beginComparing(store.notes, channel, clock.now());
      await clock.forward(10 * MINUTE);
      void comparing.start();
      await clock.forward(2 * SECOND);
    },
    compared: () => readCompared(store.notes, channel.id),
    stored: async () => {
      const rows = (await readRows(folder, ["message"])).message ?? [];
      return rows.map(({ dedupe_key, known, state }) => ({ key: dedupe_key, known: Number(known), state }));
    },
    counts: async () => {
      const [row] = await store.ledger();
      return { accepted: row?.accepted, recovered: row?.recovered, hole: row?.hole };
    },
  };
}

const staffSays = (id: string, at: number): ChannelEvent =>
  ({ ...customerSays(id), at, originator: "channel" }) as never;

describe("what a messenger lists and no webhook brought", () => {
  it("is stored once, behind what comes by itself, and counted as recovered", async () => {
    const { start, network, clock, store, channel, said, stored, counts, woken } = await setUp();
    await store.outbox.acceptInbound(channel, { events: [customerSays("came")] });
    await clock.forward(2 * 3_600_000);
    network.pages = [
      { events: [said("came", clock.now()), said("missing", clock.now()), said("another", clock.now())] },
    ];
    await start();
    expect(await stored()).toEqual([
      { key: "came", known: 0, state: "ready" },
      { key: "missing", known: 0, state: "ready" },
      { key: "another", known: 0, state: "ready" },
    ]);
    expect(await counts()).toEqual({ accepted: 3, recovered: 2, hole: 0 });
    expect(woken).toEqual([channel.accountId]);
    await store.outbox.acceptInbound(channel, { events: [said("live", clock.now())] });
    expect((await stored()).at(-1)).toMatchObject({ key: "live", known: 1 });
    await clock.forward(3 * ROUND);
    // Its webhook comes late.
    expect(await store.outbox.acceptInbound(channel, { events: [customerSays("missing")] })).toBe(0);
    expect(await counts()).toEqual({ accepted: 4, recovered: 2, hole: 0 });
  });

  it("is not taken again after it was delivered, and its content deleted", async () => {
    const { start, network, clock, store, channel, said, stored } = await setUp();
    await store.outbox.acceptInbound(channel, { events: [customerSays("came")] });
    const lease = await takeLease(store, channel.accountId);
    const jobs = await store.outbox.claim(lease, { most: 9, free: () => 9, take: () => true });
    for (const job of jobs) await store.outbox.done(job, {});
    await store.retention.sweep("settled", Number.MAX_SAFE_INTEGER, new Map(), 0);
    network.pages = [{ events: [said("came", clock.now())] }];
    await start();
    expect(await stored()).toEqual([{ key: "came", known: 0, state: "done" }]);
  });

  it("is stored although the clock was ahead for an hour", async () => {
    const { start, network, clock, said, stored, compared } = await setUp();
    await start();
    const ahead = (await compared())?.upTo ?? 0;
    clock.setBack(60 * MINUTE);
    network.pages = [{ events: [said("lost", clock.now() + 5 * MINUTE)] }];
    await clock.forward(10 * MINUTE);
    expect(await stored()).toMatchObject([{ key: "lost" }]);
    expect((await compared())?.upTo).toBeLessThan(ahead);
    expect(network.asked.at(-1)?.since).toBeLessThan(clock.now());
  });

  it("is left for a minute to its webhook", async () => {
    const { start, network, clock, said, stored } = await setUp();
    const at = clock.now() + 10 * MINUTE - 30 * SECOND;
    network.pages = [{ events: [said("young", at)] }];
    await start();
    expect(await stored()).toEqual([]);
    await clock.forward(ROUND);
    expect(await stored()).toMatchObject([{ key: "young" }]);
  });

  it("is not ours, nor perhaps ours while a call of ours has no answer", async () => {
    const { start, network, clock, store, channel, stored, compared } = await setUp();
    const lease = await takeLease(store, channel.accountId);
    const says = (id: string) => store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id), patienceMs: DAY });
    const claim = () => store.outbox.claim(lease, { most: 9, free: () => 9, take: () => true });
    await says("1");
    const [sent] = await claim();
    if (!sent) throw new Error("nothing to send");
    await store.outbox.done(sent, { parts: [{ messengerMessageId: "m1" as MessengerMessageId, holds: "text" }] });
    await says("2");
    const [underWay] = await claim();
    if (!underWay) throw new Error("nothing to send");
    const at = clock.now() + 5 * MINUTE;
    network.pages = [{ events: [staffSays("m1", at), staffSays("m2", at), staffSays("m3", at)] }];
    await start();
    const inbound = async () => (await stored()).filter(({ key }) => String(key).startsWith("m"));
    expect(await inbound()).toEqual([]);
    // What may be missing is not called compared.
    expect((await compared())?.upTo).toBe(at - 1);
    await store.outbox.done(underWay, { parts: [{ messengerMessageId: "m2" as MessengerMessageId, holds: "text" }] });
    await clock.forward(ROUND);
    expect(await inbound()).toMatchObject([{ key: "m3" }]);
  });

  it("does not bring back a customer who was erased after it was written", async () => {
    const { start, network, clock, store, channel, said, stored } = await setUp();
    await store.outbox.acceptInbound(channel, { events: [customerSays("first")] });
    await clock.forward(MINUTE);
    const chat = "chat-1" as ChatId;
    await eraseChat(store, channel, chat);
    network.pages = [{ events: [said("before", clock.now() - 1), said("after", clock.now() + MINUTE)] }];
    await start();
    expect((await stored()).map(({ key }) => key)).toEqual(["after"]);
  });
});

describe("a look through a messenger's list", () => {
  it("goes page by page at the messenger's pace, from a while before the last one's end", async () => {
    const { start, network, clock, said, compared, comparing, channel } = await setUp();
    const begun = clock.now();
    network.pages = [{ events: [said("1")] }, { events: [said("2")] }, { events: [said("3")] }];
    await start();
    expect(network.asked.map(({ cursor }) => cursor)).toEqual([undefined, "1", "2"]);
    const times = network.asked.map(({ at }) => at);
    expect(times.map((at) => at - (times[0] ?? 0))).toEqual([0, 500, 1_000]);
    // Nothing from before the channel was connected.
    expect(network.asked.map(({ since }) => since)).toEqual([begun, begun, begun]);
    const first = (times[0] ?? 0) - MINUTE;
    expect((await compared())?.upTo).toBe(first);
    expect(comparing.figures()).toEqual([{ accountId: channel.accountId, channelId: channel.id, upTo: first }]);
    network.asked.length = 0;
    network.pages = [{ events: [] }];
    await clock.forward(ROUND);
    expect(network.asked.map(({ since }) => since)).toEqual([first - 5 * MINUTE]);
  });

  it("that takes longer than a round goes on in the next, and its lag shows", async () => {
    const { network, clock, start, compared } = await setUp();
    const begun = clock.now();
    network.pages = Array.from({ length: 150 }, () => ({ events: [] }));
    await start();
    await clock.forward(MINUTE);
    expect((await compared())?.upTo).toBe(begun);
    await clock.forward(ROUND + 20 * SECOND);
    expect(network.asked.map(({ cursor = "0" }) => Number(cursor)).slice(0, 150)).toEqual([...Array(150).keys()]);
    expect((await compared())?.upTo).toBe((network.asked[0]?.at ?? 0) - MINUTE);
  });

  it("says that there is a gap where the list ends too early, and does not call it complete", async () => {
    const { network, clock, start, compared, warned } = await setUp();
    const begun = clock.now();
    network.pages = [{ events: [], completeFrom: begun + 4 * MINUTE }, { events: [] }];
    await start();
    expect((await compared())?.gap).toMatchObject({ from: begun, to: begun + 4 * MINUTE });
    expect(warned.map(([event]) => event)).toEqual(["list.incomplete"]);
    // It is no gap where what is not listed was compared before.
    network.pages = [{ events: [], completeFrom: begun + 5 * MINUTE }];
    await clock.forward(ROUND);
    expect(warned).toHaveLength(1);
    // It is told for a week.
    for (let days = 0; days < 8; days += 4) {
      expect((await compared())?.gap).toBeDefined();
      clock.leap(4 * DAY);
      await clock.forward(ROUND);
    }
    expect((await compared())?.gap).toBeUndefined();
  });

  it("goes back a week at most, and no further than what is deduplicated: the rest is a gap", async () => {
    for (const [dedupe, back] of [
      [90, 7 * DAY],
      [2, 2 * DAY - 60 * MINUTE],
    ] as const) {
      const { network, clock, channel, store, comparing, compared } = await setUp({ dedupe });
      await beginComparing(store.notes, channel, clock.now());
      const begun = clock.now();
      clock.leap(30 * DAY);
      await comparing.start();
      const oldest = clock.now() - back;
      expect(network.asked.map(({ since }) => since)).toEqual([oldest]);
      expect((await compared())?.gap).toMatchObject({ from: begun, to: oldest });
    }
  });

  it("that fails is begun anew, not before the messenger wants; the channel goes on", async () => {
    const { network, clock, start, compared, warned, store, channel } = await setUp();
    const begun = clock.now();
    network.fails = new DeliveryError({ type: "retry", afterMs: 20 * MINUTE }, "too many calls");
    await start();
    expect(network.asked).toHaveLength(1);
    await clock.forward(10 * MINUTE);
    expect(network.asked).toHaveLength(1);
    network.fails = new DeliveryError({ type: "reconnect" }, "the token lacks a right");
    await clock.forward(40 * MINUTE);
    // A refusal is asked about again after an hour, or once the channel has changed.
    expect(network.asked).toHaveLength(2);
    expect(warned.map(([event]) => event)).toEqual(["list.failed", "list.failed"]);
    await store.channels.change(channel.id, { name: "Changed", settings: {}, unsure: "resend" });
    await clock.forward(ROUND);
    expect(network.asked).toHaveLength(3);
    expect((await store.channels.ofJob(channel.id))?.state).toBe("active");
    expect((await compared())?.upTo).toBe(begun);
    network.fails = undefined;
    await clock.forward(60 * MINUTE + ROUND);
    expect((await compared())?.upTo).toBeGreaterThan(begun);
  });

  it("rests where the network's calls are scarce, and then goes on where it was", async () => {
    const { network, clock, start, said, counts } = await setUp();
    network.pages = [{ events: [said("one")], restMs: 60 * MINUTE }, { events: [said("two")] }];
    await start();
    expect(network.asked.map(({ cursor }) => cursor)).toEqual([undefined]);
    await clock.forward(50 * MINUTE);
    expect(network.asked).toHaveLength(1);
    await clock.forward(10 * MINUTE + ROUND);
    expect(network.asked[1]?.cursor).toBe("1");
    expect(await counts()).toMatchObject({ recovered: 2, hole: 0 });
  });

  it("is not taken while the channel is stopped, and begins with a connection", async () => {
    const { network, clock, store, channel, comparing, compared } = await setUp();
    await store.channels.setState(channel.id, "stopped", "the token has ended");
    await comparing.start();
    expect(network.asked).toEqual([]);
    await store.channels.setState(channel.id, "active");
    await clock.forward(ROUND);
    // A channel from before there were comparisons.
    expect(await compared()).toMatchObject({ begun: clock.now(), upTo: clock.now() });
    await store.channels.reserveIdentity(channel.id, "toy:another");
    await clock.forward(ROUND);
    expect(await compared()).toMatchObject({ login: "toy:another", begun: clock.now() });
    const now = (await store.channels.ofJob(channel.id)) as Channel;
    expect(await beginComparing(store.notes, now, clock.now() + DAY)).toMatchObject({ begun: clock.now() });
  });
});
