import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import type { LedgerRow } from "../../../src/domain/account.ts";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import type { RelayedEvent } from "../../../src/domain/message.ts";
import { createLog } from "../../../src/log.ts";
import { createAttempts } from "../../../src/relay/deliver/attempt.ts";
import { withoutSlots } from "../../../src/relay/scheduler/slots.ts";
import { watchLedger } from "../../../src/watch/ledger.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { roomFor } from "../../support/room.ts";
import { changeRows } from "../../support/rows.ts";
import { oneChannel, takeLease } from "../../support/store.ts";

const MINUTE_MS = 60_000;

async function setUp() {
  const { clock, folder, store, account, channel } = await oneChannel();
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (line) => lines.push(line) });
  const watch = watchLedger({ store, clock, log });
  const alarms = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => String(event).startsWith("ledger."));
  const behindItsBack = (statement: string) => changeRows(folder, statement);
  return { clock, store, account, channel, watch, alarms, behindItsBack };
}

describe("the ledger watch", () => {
  it("logs a lost job within a minute, once per change of the hole, and logs when it closes", async () => {
    const { clock, store, account, channel, watch, alarms, behindItsBack } = await setUp();
    await store.outbox.acceptInbound(channel, { events: ["a", "b", "c"].map((id) => customerSays(id)) });
    watch.start();
    await clock.forward(3 * MINUTE_MS);
    expect(alarms()).toEqual([]);
    behindItsBack("DELETE FROM message WHERE id = 1");
    await clock.forward(MINUTE_MS);
    const hole = { account: account.id, channel: channel.id, accepted: 3, delivered: 0, refused: 0, waiting: 2 };
    expect(alarms()).toMatchObject([{ level: "error", event: "ledger.hole", ...hole, hole: 1 }]);
    await clock.forward(5 * MINUTE_MS);
    expect(alarms()).toHaveLength(1);
    behindItsBack("DELETE FROM message WHERE id = 2");
    await clock.forward(MINUTE_MS);
    expect(alarms().slice(1)).toMatchObject([{ level: "error", event: "ledger.hole", hole: 2 }]);
    behindItsBack("UPDATE tally SET accepted = 1");
    await clock.forward(MINUTE_MS);
    expect(alarms().slice(2)).toMatchObject([{ level: "info", event: "ledger.balanced", hole: 0 }]);
    watch.stop();
  });

  it("tells of a hole again if that failed, and then no more", async () => {
    const { clock, store, channel, behindItsBack } = await setUp();
    await store.outbox.acceptInbound(channel, { events: [customerSays("a")] });
    behindItsBack("DELETE FROM message WHERE id = 1");
    const told: number[] = [];
    const found = async ({ hole }: LedgerRow) => {
      told.push(hole);
      if (told.length === 1) throw new Error("the database is away");
    };
    const watch = watchLedger({ store, found, clock, log: silentLog });
    watch.start();
    await clock.forward(0);
    expect([told, watch.latest()?.rows.length]).toEqual([[1], 1]);
    await clock.forward(5 * MINUTE_MS);
    watch.stop();
    expect(told).toEqual([1, 1]);
  });

  it("logs a lost ack", async () => {
    const { clock, store, account, channel, watch, alarms, behindItsBack } = await setUp();
    await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 3_600_000 });
    const [job] = await store.outbox.claim(await takeLease(store, account.id, "test"), roomFor(1));
    await store.outbox.done(job as Job, { ack: { gatewayMessageId: "1" as GatewayMessageId } });
    watch.start();
    await clock.forward(MINUTE_MS);
    expect(alarms()).toEqual([]);
    behindItsBack("UPDATE message SET ack = NULL");
    await clock.forward(MINUTE_MS);
    expect(alarms()).toMatchObject([{ level: "error", event: "ledger.hole", hole: 0, acksHole: 1 }]);
    watch.stop();
  });

  it("keeps its last result, and stops checking once stopped", async () => {
    const { clock, store, channel, watch } = await setUp();
    expect(watch.latest()).toBeUndefined();
    watch.start();
    await clock.forward(MINUTE_MS);
    const at = watch.latest()?.at;
    expect(watch.latest()?.rows).toMatchObject([{ channelId: channel.id, accepted: 0 }]);
    watch.stop();
    await store.outbox.acceptInbound(channel, { events: [customerSays("a")] });
    await clock.forward(5 * MINUTE_MS);
    expect(watch.latest()?.at).toBe(at);
  });

  it("checks again after a failed read", async () => {
    const { clock, store, alarms } = await setUp();
    let broken = true;
    const ledger = async () => (broken ? Promise.reject(new Error("no")) : store.ledger());
    const lines: string[] = [];
    const log = createLog({ level: "debug", write: (line) => lines.push(line) });
    const watch = watchLedger({ store: { ledger }, clock, log });
    watch.start();
    await clock.forward(1);
    expect(lines.join()).toContain("ledger.not-read");
    broken = false;
    await clock.forward(MINUTE_MS);
    expect(watch.latest()?.rows).toHaveLength(1);
    expect(alarms()).toEqual([]);
    watch.stop();
  });
});

describe("the figures of deliveries", () => {
  it("count attempts by outcome, and calls under way, but not postponed jobs", async () => {
    const outcomes: (() => Promise<object>)[] = [
      async () => ({}),
      async () => ({ postponedMs: 5 }),
      async () => Promise.reject(new DeliveryError({ type: "reject", code: "general" }, "no")),
      async () => Promise.reject(new Error("a bug")),
    ];
    const { clock, store, account, channel } = await oneChannel();
    await store.outbox.acceptOutbound(channel, { key: "a", act: agentSays("a"), patienceMs: MINUTE_MS });
    const lease = await takeLease(store, account.id, "test");
    const [job] = await store.outbox.claim(lease, roomFor(1));
    const meter = createAttempts(
      {
        ...{ store, clock, log: silentLog, withSlots: withoutSlots, adapter: () => undefined, random: () => 0 },
        rest: async () => {},
        perform: () => (outcomes.shift() as () => Promise<object>)(),
      },
      new AbortController().signal,
    );
    await clock.forward(400);
    for (let n = 0; n < 4; n++) {
      const under = meter.run({ ...job, kind: "lighthouse", deadlineAt: Number.POSITIVE_INFINITY } as Job);
      expect(meter.read().inFlight).toBe(1);
      await under;
    }
    const counted = (verdict: Verdict["type"] | "done") => ({
      ...{ labels: { direction: "outbound", kind: "lighthouse", verdict }, count: 1 },
    });
    const { delivery, endToEnd, ...counts } = meter.read();
    expect(counts).toEqual({ inFlight: 0, attempts: [counted("done"), counted("reject"), counted("unsure")] });
    expect(delivery.map(({ labels, sum }) => [labels, sum])).toEqual([
      [{ direction: "outbound", kind: "lighthouse" }, 0.4],
    ]);
    expect(endToEnd).toEqual([]);
  });

  it("times a customer's message from when it was written, and an agent's until the agent is told", async () => {
    const { clock, store, account, channel } = await oneChannel();
    const past = { ...customerSays("b"), past: true } as RelayedEvent;
    await store.outbox.acceptInbound(channel, { events: [customerSays("a"), past] });
    await store.outbox.acceptOutbound(channel, { key: "a", act: agentSays("a"), patienceMs: MINUTE_MS });
    const lease = await takeLease(store, account.id, "test");
    const meter = createAttempts(
      {
        ...{ store, clock, log: silentLog, withSlots: withoutSlots, adapter: () => undefined, random: () => 0 },
        rest: async () => {},
        perform: async ({ direction }) =>
          direction === "outbound" ? { ack: { gatewayMessageId: "1" as GatewayMessageId } } : {},
      },
      new AbortController().signal,
    );
    const written = clock.now();
    for (const seconds of [2, 3]) {
      await clock.forward(seconds * 1000);
      for (const job of await store.outbox.claim(lease, roomFor(9))) await meter.run(job);
    }
    const seen = meter
      .read()
      .endToEnd.map(({ labels: { direction }, counts, sum }) => [
        ...[direction, counts.reduce((all, count) => all + count, 0), sum],
      ]);
    const age = (written + 2_000 - customerSays("a").at) / 1000;
    expect(seen).toEqual([
      ["inbound", 1, age],
      ["outbound", 1, 5],
    ]);
  });
});
