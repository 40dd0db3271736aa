import type { MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId, JobId } from "../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { takeLease } from "../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  const dead = { state: "dead" as const, code: "general" as const };
  const gatewayMessageId = "1" as GatewayMessageId;
  const failed = { gatewayMessageId, error: { code: "general" as const, message: "the bot was blocked" } };
  const arrived = { gatewayMessageId, messengerMessageId: "7" as MessengerMessageId };

  /** One agent's message, under way. */
  async function setUp() {
    const { clock, store, account, channel } = await oneChannelOn(engine);
    const lease = await takeLease(store, account.id, "test");
    const claim = () => store.outbox.claim(lease, roomFor(10));
    await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
    const [message] = (await claim()) as [Job];
    const acks = async () => (await store.ledger(account.id))[0]?.acks;
    const sendAgain = () => store.outbox.sendAgain(account.id, message.id, 60_000);
    return { clock, store, account, message, claim, acks, sendAgain };
  }

  describe("an ack", () => {
    it("is owed by a message that was sent, is dead or held", async () => {
      for (const end of ["done", "dead", "held"] as const) {
        const { store, message, claim, acks } = await setUp();
        if (end === "done") await store.outbox.done(message, { ack: arrived });
        else {
          const next = end === "dead" ? dead : { state: end, unsure: 1 };
          await store.outbox.failed(message, next, "no", { ack: failed });
        }
        expect(await acks()).toMatchObject({ owed: 1, waiting: 1 });
        const [ack] = await claim();
        expect(ack?.task).toEqual({ direction: "ack", ack: end === "done" ? arrived : failed });
      }
    });

    it("leaves beside the message when it is sent again", async () => {
      const { store, message, claim, sendAgain } = await setUp();
      await store.outbox.failed(message, dead, "no", { ack: failed });
      expect(await sendAgain()).toBe(true);
      expect((await claim()).map(({ direction }) => direction).sort()).toEqual(["ack", "outbound"]);
    });

    it("an answer to an older outcome leaves the newer one owed", async () => {
      const { store, message, claim, acks, sendAgain } = await setUp();
      await store.outbox.failed(message, dead, "no", { ack: failed });
      const [older] = (await claim()) as [Job];
      await sendAgain();
      const [again] = (await claim()) as [Job];
      await store.outbox.done(again, { ack: arrived });
      expect(await acks()).toMatchObject({ owed: 1, given: 0, waiting: 1, hole: 0 });
      expect(await store.outbox.done(older, {})).toBe(false);
      expect(await store.outbox.failed(older, dead, "no")).toBe(false);
      expect(await acks()).toMatchObject({ owed: 1, given: 0, waiting: 1, hole: 0 });
      const [newer] = (await claim()) as [Job];
      expect(newer.task).toEqual({ direction: "ack", ack: arrived });
      expect(await store.outbox.done(older, {})).toBe(false);
      expect(await store.outbox.failed(older, dead, "no")).toBe(false);
      expect(await store.outbox.done(newer, {})).toBe(true);
      expect(await acks()).toMatchObject({ owed: 1, given: 1, waiting: 0, hole: 0 });
    });

    it("leaves at once although an answer to an older outcome is under way when what is due is read", async () => {
      const { store, message, claim, sendAgain } = await setUp();
      await store.outbox.failed(message, dead, "no", { ack: failed });
      const [older] = (await claim()) as [Job];
      await sendAgain();
      const [again] = (await claim()) as [Job];
      await store.outbox.done(again, { ack: arrived });
      const late = store.outbox.done(older, {});
      await new Promise(setImmediate);
      await store.outbox.refresh();
      expect(await late).toBe(false);
      expect((await claim()).map(({ task }) => task)).toEqual([{ direction: "ack", ack: arrived }]);
    });

    it("is not owed when the message ends under a stale lease", async () => {
      const { store, account, message, acks } = await setUp();
      await store.outbox.takeOver(await takeLease(store, account.id, "next"));
      expect(await store.outbox.done(message, { ack: arrived })).toBe(false);
      expect(await acks()).toMatchObject({ owed: 0, waiting: 0, hole: 0 });
    });

    it("that was refused is listed, and owed again on request", async () => {
      const { store, account, message, claim, acks } = await setUp();
      await store.outbox.done(message, { ack: arrived });
      const [ack] = (await claim()) as [Job];
      await store.outbox.failed(ack, dead, "the gateway does not know it");
      expect(await store.outbox.ended(account.id, 9)).toMatchObject([
        { id: message.id, direction: "ack", state: "dead", error: "the gateway does not know it" },
      ]);
      expect(await store.outbox.sendAgain(account.id, message.id as JobId, 1_000)).toBe(true);
      expect(await acks()).toMatchObject({ owed: 1, refused: 0, waiting: 1, hole: 0 });
      expect(await store.outbox.ended(account.id, 9)).toEqual([]);
    });

    it("that is given after failures is not found by their errors", async () => {
      const { clock, store, account, message, claim } = await setUp();
      const found = async () => (await store.stories.find(account.id, "gateway is away")).length;
      await store.outbox.done(message, { ack: arrived });
      const [ack] = (await claim()) as [Job];
      const later = { state: "ready", runAt: clock.now(), countAttempt: true, unsure: 0 } as const;
      await store.outbox.failed(ack, later, "the gateway is away");
      expect(await found()).toBe(1);
      const [again] = (await claim()) as [Job];
      expect(await store.outbox.done(again, {})).toBe(true);
      expect(await found()).toBe(0);
    });

    it("under way in a crash is handed to the next holder of the lease", async () => {
      const { store, account, message, claim } = await setUp();
      await store.outbox.done(message, { ack: arrived });
      const [ack] = (await claim()) as [Job];
      const [again] = (await store.outbox.takeOver(await takeLease(store, account.id, "next"))) as [Job];
      expect(again).toMatchObject({ direction: "ack", crashes: 1, task: ack.task });
      expect(await store.outbox.done(ack, {})).toBe(false);
      expect(await store.outbox.done(again, {})).toBe(true);
    });
  });
});
