import { describe, expect, it } from "vitest";
import type { Bounds, Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId, JobId } from "../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { boundOf } from "../../support/overload.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";

const dead = { state: "dead" as const, code: "general" as const };

describe.each(ENGINES)("on $name", (engine) => {
  async function setUp(bounds: Partial<Bounds>) {
    const { clock, store, account, channel, rows } = await oneChannelOn(engine, { bounds });
    const lease = await takeLease(store, account.id, "test");
    const claim = (most = 50) => store.outbox.claim(lease, roomFor(most));
    const say = (id: string, chat = id) =>
      store.outbox.acceptInbound(channel, { events: [customerSays(id, id, chat)] });
    const answer = (id: string, chat = id) =>
      store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id, id, chat), patienceMs: 1_000 });
    const stored = async () => {
      await store.ping();
      return Promise.all(["message", "chat", "journal"].map(async (table) => (await rows(table)).length));
    };
    /** PostgreSQL's counts are a second old. */
    const counted = () => clock.forward(1_000);
    return { clock, store, account, channel, claim, say, answer, stored, counted };
  }

  describe("the bounds", () => {
    it("refuse an account at its limit in both directions, store nothing of it, and accept other accounts", async () => {
      const { stored, store, say, answer } = await setUp({ perAccount: 4 });
      const other = await addChannel(store, await addAccount(store, "other"));
      for (const id of ["a", "b", "c"]) await say(id);
      expect(await boundOf(answer("1"))).toBe("taken");
      const before = await stored();
      expect(await boundOf(say("d"))).toBe("account");
      expect(await boundOf(answer("2"))).toBe("account");
      expect(await stored()).toEqual(before);
      expect(await boundOf(store.outbox.acceptInbound(other, { events: [customerSays("x")] }))).toBe("taken");
    });

    it("give agents and customers separate shares", async () => {
      const { say, answer } = await setUp({ perAccount: 8 });
      const taken = async (accept: (id: string) => Promise<unknown>, name: string) => {
        for (let n = 0; n < 20; n++) if ((await boundOf(accept(`${name}${n}`))) !== "taken") return n;
        return 20;
      };
      expect([await taken(say, "m"), await taken(answer, "a")]).toEqual([5, 2]);
    });

    it("leave every channel room while one or two others are flooded", async () => {
      const { store, account, channel } = await setUp({ perAccount: 400 });
      const [second, third] = [await addChannel(store, account), await addChannel(store, account)];
      const flood = async (to: typeof channel) => {
        for (let n = 0; ; n++) {
          const bound = await boundOf(
            store.outbox.acceptInbound(to, { events: [customerSays(`${n}`, "x", `chat-${n}`)] }),
          );
          if (bound !== "taken") return [n, bound];
        }
      };
      // Of 300: four fifths, then four fifths of the remaining 60, and so on; some room is always left.
      expect(await flood(channel)).toEqual([240, "channel"]);
      expect(await flood(second)).toEqual([48, "channel"]);
      expect((await flood(third))[0]).toBeGreaterThan(5);
    });

    it("hold within one event-loop tick, too", async () => {
      const { say } = await setUp({ perAccount: 8 });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => boundOf(say(`m${n}`))));
      expect(answers.filter((answer) => answer === "taken")).toHaveLength(5);
    });

    it("refuse agents' messages to a long chat only, and never a customer's", async () => {
      const { say, answer } = await setUp({ perLane: 2 });
      for (const id of ["a", "b", "c"]) expect(await boundOf(say(id, "long"))).toBe("taken");
      for (const id of ["1", "2"]) await answer(id, "long");
      expect(await boundOf(answer("3", "long"))).toBe("lane");
      expect(await boundOf(answer("4", "short"))).toBe("taken");
    });

    it("refuse everybody when the process is full", async () => {
      const { store, say } = await setUp({ all: 2 });
      const other = await addChannel(store, await addAccount(store, "other"));
      for (const id of ["a", "b"]) await say(id);
      expect(await boundOf(store.outbox.acceptInbound(other, { events: [customerSays("x")] }))).toBe("process");
    });

    it("never refuse acks, outcomes or resends, and free room however a job ends", async () => {
      const { store, account, claim, say, answer, counted } = await setUp({ perAccount: 2 });
      await answer("1");
      expect(await boundOf(answer("2"))).toBe("account");
      await say("a");
      const [sent, said] = (await claim()) as [Job, Job];
      const ack = { gatewayMessageId: "1" as GatewayMessageId };
      expect(await store.outbox.done(sent, { ack })).toBe(true);
      expect(await boundOf(say("b"))).toBe("account");
      expect(await store.outbox.failed(said, dead, "no")).toBe(true);
      await counted();
      expect(await boundOf(say("b"))).toBe("taken");
      expect(await store.outbox.sendAgain(account.id, said.id as JobId, 1_000)).toBe(true);
      const live = await claim();
      expect(live.map((job) => job.direction).sort()).toEqual(["ack", "inbound", "inbound"]);
      for (const job of live) await store.outbox.done(job, {});
      await counted();
      expect(await boundOf(say("c"))).toBe("taken");
      expect(await boundOf(say("e"))).toBe("account");
      expect(await boundOf(answer("3"))).toBe("taken");
    });

    it("count a job ended by its deadline or its channel's removal once", async () => {
      const { clock, store, channel, say, answer, counted } = await setUp({ perAccount: 4 });
      await answer("1");
      await clock.forward(2_000);
      await store.outbox.endOverdue(() => ({}));
      expect(await boundOf(answer("2"))).toBe("taken");
      for (const id of ["a", "b", "c"]) expect(await boundOf(say(id))).toBe("taken");
      await store.channels.setState(channel.id, "removed");
      await counted();
      for (const id of ["d", "e", "f"]) expect(await boundOf(say(id))).toBe("taken");
      expect(await boundOf(say("g"))).toBe("account");
      expect([await boundOf(answer("3")), await boundOf(answer("4"))]).toEqual(["taken", "account"]);
    });

    it("accept a batch whole when it begins below them, or it would be refused for ever", async () => {
      const { store, channel } = await setUp({ perAccount: 6, perLane: 3 });
      const events = Array.from({ length: 10 }, (_, n) => customerSays(`m${n}`));
      expect(await store.outbox.acceptInbound(channel, { events })).toBe(10);
      expect(await boundOf(store.outbox.acceptInbound(channel, { events: [customerSays("x")] }))).toBe("account");
      expect(
        await boundOf(store.outbox.acceptInbound(channel, { events: [], notes: [{ key: "k", value: "v" }] })),
      ).toBe("taken");
    });

    it("undo the counts of a write that was rolled back", async () => {
      const { store, channel, say } = await setUp({ perAccount: 4 });
      const broken = { ...customerSays("bad"), content: { type: "text" as const, text: 1n as never } };
      for (let n = 0; n < 5; n++)
        await store.outbox.acceptInbound(channel, { events: [customerSays(`good${n}`), broken] }).catch(() => {});
      for (const id of ["a", "b", "c"]) expect(await boundOf(say(id))).toBe("taken");
      expect(await boundOf(say("d"))).toBe("account");
    });
  });
});
