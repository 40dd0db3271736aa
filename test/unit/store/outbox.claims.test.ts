import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { seeded } from "../../support/random.ts";
import { roomFor } from "../../support/room.ts";
import { addChannel, takeLease } from "../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  /** An account with two channels of a hanging messenger, which are due first, and one of each other kind. */
  async function setUp(hanging: number, others: number) {
    const { clock, store, account, channel } = await oneChannelOn(engine, {
      kind: "hanging",
      bounds: { perAccount: 100_000 },
    });
    const kinds = ["hanging", "well", "fine"];
    const more = await Promise.all(kinds.map((kind) => addChannel(store, account, kind)));
    const channels = [channel, ...more];
    const kindOf = new Map<ChannelId, string>(channels.map(({ id, kind }) => [id, kind]));
    const lease = await takeLease(store, account.id, "test");
    let last = 0;
    const send = (to: typeof channel) => {
      last += 1;
      const act = agentSays(`${last}`, "hello", `chat ${last}`);
      return store.outbox.acceptOutbound(to, { key: `sent:${last}`, act, patienceMs: 3_600_000 });
    };
    await Promise.all(Array.from({ length: hanging }, () => send(channel)));
    await clock.forward(1_000);
    const { pick } = seeded(1);
    for (let n = 0; n < others; n++) {
      await send(pick(channels));
      if (n % 4 === 0) await store.outbox.acceptInbound(channel, { events: [customerSays(`${n}`, "", `chat ${n}`)] });
      await clock.forward(10);
    }
    return { clock, store, account, lease, kindOf };
  }

  it("claims a channel's oldest work within the room of each kind of messenger, however much of another is due", async () => {
    const { store, lease, kindOf } = await setUp(2_000, 60);
    const { int, chance } = seeded(2);
    const before = new Map<string, number>();
    for (let round = 0; round < 60; round++) {
      const kinds = new Map([["hanging", 0], ...["well", "fine"].map((kind): [string, number] => [kind, int(4)])]);
      const room = { gateway: int(3), messenger: int(5), ...(chance(0.9) && { kinds }) };
      const most = int(7);
      const jobs = await store.outbox.claim(lease, roomFor(most, { ...room, kindOf }));
      const taken = (kind: string) =>
        jobs.filter((job) => job.direction === "outbound" && kindOf.get(job.channelId) === kind);
      const outbound = jobs.filter(({ direction }) => direction === "outbound");
      expect(jobs.length).toBeLessThanOrEqual(most);
      expect(outbound.length).toBeLessThanOrEqual(room.messenger);
      expect(jobs.length - outbound.length).toBeLessThanOrEqual(room.gateway);
      for (const { id, channelId } of outbound) {
        expect(id).toBeGreaterThan(before.get(channelId) ?? 0);
        before.set(channelId, id);
      }
      if (!room.kinds) continue;
      for (const [kind, bound] of kinds) {
        expect(taken(kind).length).toBeLessThanOrEqual(bound);
      }
    }
    const noneHanging = () => roomFor(100, { gateway: 0, kinds: new Map([["hanging", 0]]), kindOf });
    const rest = await store.outbox.claim(lease, noneHanging());
    const kindsLeft = new Set(rest.map((job) => kindOf.get(job.channelId)));
    expect(kindsLeft.has("hanging")).toBe(false);
    const none = await store.outbox.claim(lease, noneHanging());
    expect(none).toEqual([]);
  });

  it("fills the room with other kinds when one has none", async () => {
    const { store, lease, kindOf } = await setUp(50, 60);
    const jobs = await store.outbox.claim(lease, roomFor(6, { gateway: 0, kinds: new Map([["hanging", 1]]), kindOf }));
    const kinds = jobs.map((job) => (job.direction === "outbound" ? kindOf.get(job.channelId) : "gateway"));
    expect(jobs).toHaveLength(6);
    expect(kinds.filter((kind) => kind === "hanging")).toHaveLength(1);
  });

  it("tells what is due by target, and when the next will be", async () => {
    const { clock, store, account, lease, kindOf } = await setUp(50, 0);
    const { outbox } = store;
    const due = (target: string) => outbox.nextDue(account.id).due.some((each) => each.target === target);
    const [well] = [...kindOf].filter(([, kind]) => kind === "well");
    const channel = well && (await store.channels.byId(account.id, well[0]));
    if (!channel) throw new Error("it has one");
    expect([due("hanging"), due("well")]).toEqual([true, false]);
    await outbox.acceptOutbound(channel, { key: "k", act: agentSays("k", "", "k"), patienceMs: 60_000 });
    expect(due("well")).toBe(true);
    const [job] = await outbox.claim(lease, roomFor(1, { gateway: 0, kinds: new Map([["hanging", 0]]), kindOf }));
    if (job) await outbox.postponed(job, clock.now() + 5_000);
    expect(due("well")).toBe(false);
    expect(outbox.nextDue(account.id).later).toBe(clock.now() + 5_000);
  });

  describe("with a backlog in both directions and one slot at a time", () => {
    async function backlogs() {
      const { clock, store, account, channel } = await oneChannelOn(engine);
      const other = await addChannel(store, account, "other");
      const events = (name: string) =>
        Array.from({ length: 40 }, (_, n) => customerSays(`${name}${n}`, "", `${name}${n}`));
      await store.outbox.acceptInbound(channel, { events: events("a") });
      await store.outbox.acceptInbound(other, { events: events("b") });
      for (let n = 0; n < 40; n++)
        await store.outbox.acceptOutbound(channel, {
          key: `k${n}`,
          act: agentSays(`${n}`, "", `${n}`),
          patienceMs: 60_000,
        });
      await clock.forward(1);
      const lease = await takeLease(store, account.id, "test");
      const claimed = async (times: number, most: number) => {
        const jobs: Job[] = [];
        for (let n = 0; n < times; n++) jobs.push(...(await store.outbox.claim(lease, roomFor(most))));
        return jobs;
      };
      /** Completes agents' messages, so that their acks are due. */
      const sent = async (count: number) => {
        for (const job of await store.outbox.claim(lease, roomFor(count, { gateway: 0 })))
          await store.outbox.done(job, { ack: { gatewayMessageId: `${job.id}` as GatewayMessageId } });
        await clock.forward(1);
      };
      return { channel, claimed, sent };
    }

    it("inbound and outbound share the slots", async () => {
      const { claimed } = await backlogs();
      const outbound = (await claimed(20, 1)).filter(({ direction }) => direction === "outbound");
      expect(outbound).toHaveLength(10);
    });

    it("acks take no more than half", async () => {
      const { claimed, sent } = await backlogs();
      await sent(30);
      const jobs = await claimed(20, 1);
      const of = (direction: Job["direction"]) => jobs.filter((job) => job.direction === direction).length;
      expect([of("ack"), of("inbound"), of("outbound")]).toEqual([10, 5, 5]);
    });

    it("a channel's agents take no turn from its customers", async () => {
      const { channel, claimed } = await backlogs();
      const inbound = (await claimed(10, 2)).filter(({ direction }) => direction === "inbound");
      expect(inbound.filter(({ channelId }) => channelId === channel.id)).toHaveLength(5);
      expect(inbound).toHaveLength(10);
    });
  });
});
