import type { MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { INBOUND_PATIENCE_MS, type Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId, JobId } from "../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, chatOf, customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, takeLease } from "../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  async function setUp() {
    const { clock, store, account, channel } = await oneChannelOn(engine);
    const lease = await takeLease(store, account.id, "test");
    const claim = (most = 10) => store.outbox.claim(lease, roomFor(most));
    const texts = (jobs: Job[]) =>
      jobs.map(({ task }) =>
        task.direction === "inbound" ? task.event.key : task.direction === "outbound" ? "out" : "ack",
      );
    return { clock, store, account, channel, lease, claim, texts };
  }
  const retryAt = (runAt: number) => ({ state: "ready" as const, runAt, countAttempt: true, unsure: 0 });
  const dead = { state: "dead" as const, code: "general" as const };

  describe("the outbox", () => {
    it("stores a repeated event once, in both directions", async () => {
      const { store, channel, claim } = await setUp();
      const once = customerSays("m1");
      expect(await store.outbox.acceptInbound(channel, { events: [once, once] })).toBe(1);
      expect(await store.outbox.acceptInbound(channel, { events: [once] })).toBe(0);
      expect(await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1000 })).toBe(
        true,
      );
      expect(await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1000 })).toBe(
        false,
      );
      expect(await claim()).toHaveLength(2);
    });

    it("stores one of a hundred concurrent repeats", async () => {
      const { store, channel, claim } = await setUp();
      const added = await Promise.all(
        Array.from({ length: 100 }, () =>
          store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1000 }),
        ),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await claim()).toHaveLength(1);
    });

    it("claims only the head of a lane, and the next job once it has ended", async () => {
      const { store, channel, claim, texts } = await setUp();
      await store.outbox.acceptInbound(channel, {
        events: [customerSays("a1"), customerSays("a2"), customerSays("b1", "b1", "b")],
      });
      const first = await claim();
      expect(texts(first)).toEqual(["a1", "b1"]);
      expect(await claim()).toEqual([]);
      await store.outbox.done(first[0] as Job, {});
      expect(texts(await claim())).toEqual(["a2"]);
    });

    it("keeps the lane waiting behind a job that is retried later", async () => {
      const { clock, store, channel, claim, texts } = await setUp();
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1"), customerSays("a2")] });
      const [job] = await claim();
      await store.outbox.failed(job as Job, retryAt(clock.now() + 5_000), "busy");
      expect(await claim()).toEqual([]);
      await clock.forward(5_000);
      const again = await claim();
      expect(texts(again)).toEqual(["a1"]);
      expect(again[0]?.attempts).toBe(2);
    });

    it("continues the lane after a dead letter and reports it in an ack", async () => {
      const { store, channel, claim, texts } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      await store.outbox.acceptOutbound(channel, { key: "sent:2", act: agentSays("2"), patienceMs: 60_000 });
      const [job] = await claim();
      const error = { code: "general" as const, message: "no" };
      await store.outbox.failed(job as Job, dead, "no", { ack: { gatewayMessageId: "1" as GatewayMessageId, error } });
      const next = await claim();
      expect(texts(next)).toEqual(["ack", "out"]);
      expect(next[0]?.task).toEqual({ direction: "ack", ack: { gatewayMessageId: "1", error } });
    });

    it("writes ids and ack in the transaction that ends a message", async () => {
      const { store, channel, claim } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      const [job] = await claim();
      const ids = ["t1", "t2"] as MessengerMessageId[];
      const ack = { gatewayMessageId: "1" as GatewayMessageId, messengerMessageId: ids[0] };
      const parts = ids.map((messengerMessageId) => ({ messengerMessageId, holds: "text" as const }));
      await store.outbox.done(job as Job, { parts, ack });
      expect(await store.messages.gatewayId(channel.id, "t2" as MessengerMessageId)).toBe("1");
      expect(await store.messages.parts(channel.id, "t1" as MessengerMessageId)).toEqual(parts);
      expect(await store.messages.root(channel.id, "t2" as MessengerMessageId)).toBe("t1");
      expect((await claim())[0]?.task).toEqual({ direction: "ack", ack });
    });

    it("refuses results under a stale lease", async () => {
      const { store, account, channel, claim } = await setUp();
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1")] });
      const [job] = await claim();
      const later = await takeLease(store, account.id, "another");
      const [taken] = await store.outbox.takeOver(later);
      expect(taken?.crashes).toBe(1);
      expect(await store.outbox.done(job as Job, {})).toBe(false);
      expect(await store.outbox.done(taken as Job, {})).toBe(true);
    });

    it("counts consecutive crashes as fatal while our own code runs on the message, and resets once it awaits a call", async () => {
      const { store, account, channel } = await setUp();
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1")] });
      const crash = async (marks: boolean[]) => {
        const lease = await takeLease(store, account.id, "test");
        const [job] = await store.outbox.claim(lease, roomFor(1));
        for (const runs of marks) expect(await store.outbox.inOwnCode(job as Job, runs)).toBe(true);
        const [left] = await store.outbox.takeOver(await takeLease(store, account.id, "next"));
        await store.outbox.postponed(left as Job, 0);
        return [left?.crashes, left?.fatalCrashes];
      };
      const lives = [[], [], [true], [true, false], [true, false, true], []];
      const counted = [];
      for (const marks of lives) counted.push(await crash(marks));
      expect(counted).toEqual([1, 2, 3, 4, 5, 6].map((crashes, n) => [crashes, [0, 0, 1, 0, 1, 1][n]]));
    });

    it("pauses everything of an inactive account, and renews its deadlines on reactivation", async () => {
      const { clock, store, account, channel, claim } = await setUp();
      await store.accounts.setActivity(account.id, { active: true, frozen: true }, INBOUND_PATIENCE_MS);
      await store.outbox.refresh();
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1")] });
      expect(await claim()).toEqual([]);
      expect(store.outbox.nextDue(account.id)).toEqual({ due: [] });
      await clock.forward(3 * INBOUND_PATIENCE_MS);
      await store.accounts.setActivity(account.id, { active: true, frozen: false }, INBOUND_PATIENCE_MS);
      await store.outbox.refresh();
      const [job] = await claim();
      expect(job?.deadlineAt).toBe(clock.now() + INBOUND_PATIENCE_MS);
    });

    it("ends an overdue agent's message and reports it", async () => {
      const { clock, store, channel, claim } = await setUp();
      await store.channels.setState(channel.id, "stopped", "token died");
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      await clock.forward(60_000);
      const ended = await store.outbox.endOverdue((act) =>
        act.type === "message" ? { ack: { gatewayMessageId: act.gatewayMessageId } } : {},
      );
      expect(ended).toBe(1);
      expect((await claim()).map((job) => job.direction)).toEqual(["ack"]);
    });

    it("pauses only the outbound lanes of a stopped channel until it is resumed", async () => {
      const { store, channel, claim, texts } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1")] });
      await store.channels.setState(channel.id, "stopped", "token died");
      await store.outbox.refresh();
      expect(texts(await claim())).toEqual(["a1"]);
      await store.channels.setState(channel.id, "active");
      await store.outbox.refresh();
      expect(texts(await claim())).toEqual(["out"]);
    });

    it("resends a dead letter at the end of its lane under the same key, for its own account only", async () => {
      const { store, account, channel, claim, texts } = await setUp();
      const stranger = await addAccount(store, "stranger");
      await store.outbox.acceptInbound(channel, { events: [customerSays("a1"), customerSays("a2")] });
      const [job] = await claim();
      await store.outbox.failed(job as Job, dead, "no");
      const [letter] = await store.outbox.ended(account.id, 10);
      expect(letter).toMatchObject({ id: job?.id, state: "dead", error: "no" });
      expect(await store.outbox.sendAgain(stranger.id, letter?.id as JobId, 1000)).toBe(false);
      expect(await store.outbox.sendAgain(account.id, letter?.id as JobId, 1000)).toBe(true);
      expect(await store.outbox.sendAgain(account.id, letter?.id as JobId, 1000)).toBe(false);
      const [a2] = await claim();
      expect(texts([a2 as Job])).toEqual(["a2"]);
      await store.outbox.done(a2 as Job, {});
      const [again] = await claim();
      expect(again).toMatchObject({ key: job?.key, task: job?.task });
      expect(await store.ledger(account.id)).toMatchObject([
        { accepted: 2, delivered: 1, refused: 0, waiting: 1, hole: 0 },
      ]);
    });

    it("restores a chat id that was shortened for the gateway", async () => {
      const { store, channel, claim } = await setUp();
      const long = "c".repeat(70);
      const event = customerSays("m1", "hi", long);
      await store.outbox.acceptInbound(channel, { events: [event] });
      const { fitGatewayId } = await import("../../../src/domain/message.ts");
      await store.outbox.acceptOutbound(channel, {
        key: "sent:1",
        act: agentSays("1", "hello", fitGatewayId(long)),
        patienceMs: 1000,
      });
      const jobs = await claim();
      expect(jobs.map((job) => [job.direction, chatOf(job)])).toEqual([
        ["inbound", long],
        ["outbound", long],
      ]);
    });

    it("ends a message whose echo arrived before its answer", async () => {
      const { store, channel, claim } = await setUp();
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      const [job] = await claim();
      await store.outbox.acceptInbound(channel, { events: [customerSays("t1")] });
      expect(
        await store.outbox.done(job as Job, {
          parts: [{ messengerMessageId: "t1" as MessengerMessageId, holds: "text" }],
        }),
      ).toBe(true);
    });
  });
});
