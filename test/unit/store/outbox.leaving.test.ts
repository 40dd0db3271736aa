import type { MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import { ackOf } from "../../../src/domain/delivery.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { takeLease } from "../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  async function setUp() {
    const made = await oneChannelOn(engine);
    const { store, account, channel } = made;
    const lease = await takeLease(store, account.id, "test");
    const left: Job[] = [];
    const slots = (most = 10, under = lease) => ({
      ...{ lease: under, most },
      begin: (jobs: Job[]) => void left.push(...jobs),
    });
    const claim = () => store.outbox.claim(lease, roomFor(10));
    const write = (ids: string[], how = slots()) =>
      store.outbox.acceptInbound(channel, { events: ids.map((id) => customerSays(id, id, id[0])) }, how);
    const keys = (jobs: Job[]) =>
      jobs.map(({ task }) => (task.direction === "inbound" ? task.event.key : task.direction));
    const leftKeys = () => keys(left.splice(0));
    return { ...made, lease, left, leftKeys, slots, claim, write, keys };
  }

  describe("a message with a slot", () => {
    it("leaves with the commit that stores it, as if it had been claimed", async () => {
      const { store, lease, left, write, claim } = await setUp();
      expect(await write(["a1"])).toBe(1);
      const [job] = left;
      expect(job).toMatchObject({ attempts: 1, fence: lease.fence, direction: "inbound", crashes: 0 });
      expect(await claim()).toEqual([]);
      await store.outbox.postponed(job as Job, 0);
      const [again] = await claim();
      expect({ ...again, triedAt: 0 }).toEqual({ ...job, triedAt: 0 });
    });

    it("waits behind an older one of its lane, and follows it", async () => {
      const { store, write, claim, keys, left, leftKeys } = await setUp();
      await write(["a1", "a2", "b1"]);
      const [first] = left;
      expect(leftKeys()).toEqual(["a1", "b1"]);
      await write(["a3"]);
      expect(leftKeys()).toEqual([]);
      expect(await claim()).toEqual([]);
      await store.outbox.done(first as Job, {});
      expect(keys(await claim())).toEqual(["a2"]);
    });

    it("is not sent twice when it is repeated", async () => {
      const { write, leftKeys } = await setUp();
      expect(await write(["a1", "a1"])).toBe(1);
      expect(await write(["a1"])).toBe(0);
      expect(leftKeys()).toEqual(["a1"]);
    });

    it("leaves only as far as there are slots", async () => {
      const { write, slots, leftKeys, claim, keys } = await setUp();
      await write(["a1", "b1", "c1"], slots(2));
      expect(leftKeys()).toEqual(["a1", "b1"]);
      expect(keys(await claim())).toEqual(["c1"]);
    });

    it.each<[string, (made: Awaited<ReturnType<typeof setUp>>) => unknown]>([
      ["its channel is paused", ({ store, channel }) => store.channels.setState(channel.id, "paused")],
      [
        "its account is frozen",
        ({ store, account }) => store.accounts.setActivity(account.id, { active: true, frozen: true }, 1),
      ],
      [
        "the gateway refuses its account",
        ({ store, account, clock }) =>
          store.accounts.setTrouble(account.id, { text: "no", restUntil: clock.now() + 60_000 }),
      ],
      ["the lease is another's", ({ store, account }) => takeLease(store, account.id, "other")],
    ])("waits while %s", async (_, happens) => {
      const made = await setUp();
      await happens(made);
      expect(await made.write(["a1"])).toBe(1);
      expect(made.leftKeys()).toEqual([]);
    });

    it("is in doubt after a crash, like any other under way", async () => {
      const { store, account, write } = await setUp();
      await write(["a1"]);
      const next = await takeLease(store, account.id, "next");
      expect(await store.outbox.takeOver(next)).toMatchObject([{ attempts: 1, crashes: 1 }]);
    });

    it("leaves once when its commit is repeated, and never when that fails", async () => {
      const { store, channel, slots, leftKeys } = await setUp();
      const write = (id: string) =>
        store.outbox.acceptInbound(channel, { events: [customerSays(id, id, id)] }, slots());
      const unreadable = () => {
        throw new Error("it fails in the middle of its transaction");
      };
      const bad = Object.assign(customerSays("bad", "bad", "bad"), { toJSON: unreadable });
      const results = await Promise.allSettled([
        write("one"),
        store.outbox.acceptInbound(channel, { events: [customerSays("two", "two", "two"), bad] }, slots()),
        write("three"),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(leftKeys()).toEqual(["one", "three"]);
    });
  });

  describe("an ack with a slot", () => {
    const sent = (job: Job) => {
      const messengerMessageId = "t1" as MessengerMessageId;
      if (job.task.direction !== "outbound") throw new Error("not an agent's");
      return {
        parts: [{ messengerMessageId, holds: "text" as const }],
        ack: ackOf(job.task.act, { messengerMessageId }),
      };
    };

    it("leaves with the commit that ends its message, and its answer clears it", async () => {
      const { store, channel, slots, left, claim } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "k", act: agentSays("1"), patienceMs: 60_000 }, slots(1));
      const [message] = left.splice(0) as [Job];
      await store.outbox.done(message, sent(message), slots(1));
      const [ack] = left as [Job];
      expect(ack).toMatchObject({ direction: "ack", attempts: 1, ackVersion: 1 });
      expect(await claim()).toEqual([]);
      expect(await store.outbox.done(ack, {})).toBe(true);
      const [row] = await store.ledger();
      expect(row?.acks).toEqual({ owed: 1, given: 1, refused: 0, waiting: 0, hole: 0 });
    });

    it("is due when there is no slot", async () => {
      const { store, channel, slots, left, claim, keys } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "k", act: agentSays("1"), patienceMs: 60_000 }, slots(1));
      const [message] = left.splice(0) as [Job];
      await store.outbox.done(message, sent(message));
      expect(left).toEqual([]);
      expect(keys(await claim())).toEqual(["ack"]);
    });
  });
});
