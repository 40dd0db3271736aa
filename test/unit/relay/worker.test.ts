import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelAdapter } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { ackOf, type Job, MAX_FATAL_CRASHES, SUSPECT_CRASHES } from "../../../src/domain/delivery.ts";
import type { Perform } from "../../../src/relay/deliver/attempt.ts";
import type { WorkerParts } from "../../../src/relay/worker.ts";
import type { Outcome } from "../../../src/store/outbox.ts";
import { forgetDead } from "../../support/engine.ts";
import { heard } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { type Life, mortal, mortalClock } from "../../support/lives.ts";
import { seeded } from "../../support/random.ts";
import { addAccount, addChannel, oneChannel, storeIn, takeLease, temporaryStore } from "../../support/store.ts";
import { until } from "../../support/until.ts";
import { partsOf, workerOf, working } from "../../support/worker.ts";

type Behaviour = (job: Job, tries: number, signal: AbortSignal) => Promise<Outcome> | Outcome;

async function setUp(
  behave: Behaviour,
  changes: Partial<Omit<WorkerParts, "store" | "holdings">> & { idempotency?: "native" | "none" } = {},
) {
  const { clock, folder, store, account, channel } = await oneChannel();
  const tries = new Map<string, number>();
  const performed: string[] = [];
  const perform: Perform = async (job, signal) => {
    const count = (tries.get(job.key) ?? 0) + 1;
    tries.set(job.key, count);
    const outcome = await behave(job, count, signal);
    const { task } = job;
    performed.push(
      task.direction === "inbound" ? task.event.key : task.direction === "outbound" ? `out:${job.key}` : "ack",
    );
    if (task.direction === "outbound")
      return { ack: ackOf(task.act, { messengerMessageId: "t" as MessengerMessageId }), ...outcome };
    return outcome;
  };
  const adapter = { sendIdempotency: changes.idempotency ?? "none" } as ChannelAdapter;
  const limits = { calls: 16, callsPerAccount: 8 };
  const { worker, parts } = await working({ store, perform, adapter: () => adapter, limits, ...changes, clock });
  return { clock, folder, store, account, channel, worker, tries, performed, parts };
}
const fails = (verdict: Verdict) => () => {
  throw new DeliveryError(verdict, "no luck");
};

describe("the worker", () => {
  it("delivers the messages of a chat in the order of acceptance", async () => {
    const random = seeded(1).next;
    const { clock, store, account, channel, worker, performed } = await setUp(async () => {
      await new Promise((resolve) => setTimeout(resolve, random() * 5));
      return {};
    });
    const names = Array.from({ length: 30 }, (_, n) => `m${String(n).padStart(2, "0")}`);
    await store.outbox.acceptInbound(channel, { events: names.map((name) => customerSays(name)) });
    worker.wake(account.id);
    while (performed.length < names.length) await clock.forward(1);
    expect(performed).toEqual(names);
  });

  it("finds within seconds what another process put into the outbox", async () => {
    const { clock, folder, channel, performed } = await setUp(() => ({}));
    await clock.forward(20_000);
    const otherStore = await storeIn(folder, clock, { shared: true });
    await otherStore.outbox.acceptInbound(channel, { events: [customerSays("from elsewhere")] });
    await otherStore.close();
    await until("the other's message", async () => {
      await clock.forward(1_000);
      return performed.length > 0;
    });
    expect(performed).toEqual(["from elsewhere"]);
  });

  it("goes on with other chats while one is stuck", async () => {
    const { clock, store, account, channel, worker, performed } = await setUp((job) =>
      job.task.direction === "inbound" && job.task.event.chat === "stuck" ? fails({ type: "retry" })() : {},
    );
    await store.outbox.acceptInbound(channel, {
      events: [customerSays("s1", "s1", "stuck"), customerSays("s2", "s2", "stuck"), customerSays("f1")],
    });
    worker.wake(account.id);
    await clock.forward(60_000);
    expect(performed).toEqual(["f1"]);
  });

  it("retries until it works, and counts each attempt", async () => {
    const { clock, store, account, channel, worker, performed, tries } = await setUp((_, count) =>
      count <= 3 ? fails({ type: "retry" })() : {},
    );
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1"), customerSays("m2")] });
    worker.wake(account.id);
    await clock.forward(120_000);
    expect(performed).toEqual(["m1", "m2"]);
    expect([...tries.values()]).toEqual([4, 4]);
  });

  it("waits as long as the other side requests, at no attempt", async () => {
    const attempts: number[] = [];
    const { clock, store, account, channel, worker } = await setUp((job, count) => {
      attempts.push(job.attempts);
      return count <= 2 ? fails({ type: "retry", afterMs: 30_000 })() : {};
    });
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1")] });
    worker.wake(account.id);
    await clock.forward(29_000);
    expect(attempts).toEqual([1]);
    await clock.forward(31_000);
    expect(attempts).toEqual([1, 1, 1]);
  });

  it("gives up an inbound message only after three days, and keeps it as a dead letter", async () => {
    const { clock, store, account, channel, worker, tries } = await setUp(fails({ type: "retry" }));
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1")] });
    worker.wake(account.id);
    for (let hours = 0; hours < 71; hours++) {
      clock.leap(59 * 60_000);
      await clock.forward(60_000);
    }
    expect(await store.outbox.ended(account.id, 9)).toEqual([]);
    await clock.forward(2 * 3_600_000);
    expect(await store.outbox.ended(account.id, 9)).toMatchObject([{ state: "dead", error: "no luck" }]);
    expect([...tries.values()][0]).toBeGreaterThan(71);
  });

  it("tells the agent of a refusal with the gateway's code", async () => {
    const acks: unknown[] = [];
    const { clock, store, account, channel, worker } = await setUp((job) => {
      if (job.task.direction === "ack") acks.push(job.task.ack);
      return job.direction === "outbound"
        ? fails({ type: "reject", code: "customer_not_exists", externalCode: "403" })()
        : {};
    });
    await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
    worker.wake(account.id);
    await clock.forward(1_000);
    expect(acks).toEqual([
      { gatewayMessageId: "1", error: { code: "customer_not_exists", message: "no luck", externalCode: "403" } },
    ]);
  });

  it("tells the agent within the gateway's patience that a message failed", async () => {
    const acks: unknown[] = [];
    const { clock, store, account, channel, worker } = await setUp((job) => {
      if (job.task.direction === "ack") acks.push(job.task.ack);
      return job.direction === "outbound" ? fails({ type: "retry" })() : {};
    });
    await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
    worker.wake(account.id);
    await clock.forward(70_000);
    expect(acks).toMatchObject([{ gatewayMessageId: "1", error: { code: "general" } }]);
  });

  describe("an outbound message that was perhaps delivered", () => {
    const unsureOnce: Behaviour = (job, count) =>
      job.direction === "outbound" && count === 1 ? fails({ type: "unsure" })() : {};

    it("is sent once more, since loss is worse than a duplicate", async () => {
      const { clock, store, account, channel, worker, performed } = await setUp(unsureOnce);
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      worker.wake(account.id);
      await clock.forward(10_000);
      expect(performed).toEqual(["out:1", "ack"]);
    });

    it("becomes a dead letter if its outcome is unknown again", async () => {
      const { clock, store, account, channel, worker, tries } = await setUp((job) =>
        job.direction === "outbound" ? fails({ type: "unsure" })() : {},
      );
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      worker.wake(account.id);
      await clock.forward(30_000);
      expect(tries.get("1")).toBe(2);
      expect(await store.outbox.ended(account.id, 9)).toMatchObject([{ state: "dead" }]);
    });

    it("waits for a person under `hold`", async () => {
      const { clock, store, account, channel, worker, tries } = await setUp(unsureOnce);
      await store.channels.change(channel.id, { name: channel.name, settings: {}, unsure: "hold" });
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      worker.wake(account.id);
      await clock.forward(30_000);
      expect(tries.get("1")).toBe(1);
      expect(await store.outbox.ended(account.id, 9)).toMatchObject([{ state: "held" }]);
    });

    it("is repeated freely if the messenger recognizes its key", async () => {
      const { clock, store, account, channel, worker, performed } = await setUp(
        (job, count) => (job.direction === "outbound" && count <= 4 ? fails({ type: "unsure" })() : {}),
        { idempotency: "native" },
      );
      await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
      worker.wake(account.id);
      await clock.forward(30_000);
      expect(performed).toEqual(["out:1", "ack"]);
    });
  });

  it("stops a channel whose credentials died, and resumes when a person has fixed them", async () => {
    const { clock, store, account, channel, worker, performed } = await setUp((job, count) =>
      job.direction === "outbound" && count === 1 ? fails({ type: "reconnect" })() : {},
    );
    await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1")] });
    worker.wake(account.id);
    await clock.forward(10_000);
    expect(performed).toEqual(["m1"]);
    expect(await store.channels.byId(account.id, channel.id)).toMatchObject({ state: "stopped", trouble: "no luck" });
    await store.channels.setState(channel.id, "active");
    worker.wake(account.id);
    await until("the others", async () => {
      await clock.forward(5_000);
      return performed.length === 3;
    });
    expect(performed).toEqual(["m1", "out:1", "ack"]);
  });

  it("rests work that needs a refused gateway token, reports it, and lets agents' messages go on", async () => {
    let refused = true;
    const { clock, store, account, channel, worker, performed, tries } = await setUp((job) =>
      refused && job.direction !== "outbound" ? fails({ type: "reconnect" })() : {},
    );
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1"), customerSays("n1", "n1", "other")] });
    worker.wake(account.id);
    await clock.forward(1_000);
    for (let n = 0; n < 10; n++)
      await store.outbox.acceptOutbound(channel, { key: `${n}`, act: agentSays(`${n}`), patienceMs: 60_000 });
    worker.wake(account.id);
    await clock.forward(1_000);
    expect(performed).toHaveLength(10);
    await clock.forward(50_000);
    expect((await store.accounts.byId(account.id))?.trouble).toBe("no luck");
    expect([...tries.values()].slice(0, 2)).toEqual([1, 1]);
    refused = false;
    await clock.forward(60_000);
    expect(performed.slice(10).sort()).toEqual([...Array.from({ length: 10 }, () => "ack"), "m1", "n1"]);
    expect((await store.accounts.byId(account.id))?.trouble).toBeUndefined();
  });

  describe("a message under way in crash after crash", () => {
    /** Processes, each ended by a crash; `stuck` says what the first message is doing then. */
    async function lives(count: number, stuck: Perform) {
      const { clock, folder, account, channel, ...scene } = await oneChannel();
      let { store } = scene;
      let life: Life = { alive: true };
      /** A process, after the one before it has crashed. */
      const live = async (perform: Perform) => {
        life.alive = false;
        await clock.forward(0);
        await store.close();
        await forgetDead(folder);
        const own = { alive: true };
        life = own;
        store = await temporaryStore(clock, folder, { onWork: (id) => own.alive && worker.wake(id) });
        const parts = { store: mortal(store, own), clock: mortalClock(clock, own), perform };
        const worker = workerOf(partsOf(parts));
        await worker.start();
        return worker;
      };
      const first = await live(() => new Promise(() => {}));
      await store.outbox.acceptInbound(channel, { events: [customerSays("first"), customerSays("next")] });
      first.wake(account.id);
      await clock.forward(10);
      const done: string[] = [];
      const perform: Perform = async (job, ...given) => {
        if (job.task.direction !== "inbound") return {};
        if (job.task.event.key === "first") return stuck(job, ...given);
        done.push(job.task.event.key);
        return {};
      };
      for (let n = 0; n < count; n++) {
        await live(perform);
        await clock.forward(60_000);
      }
      return { clock, ended: () => store.outbox.ended(account.id, 9), done, live };
    }
    const never = new Promise<never>(() => {});

    it("is parked if our own code ran on it each time, and the chat goes on", async () => {
      const { ended, done } = await lives(SUSPECT_CRASHES + MAX_FATAL_CRASHES, () => never);
      expect(done).toEqual(["next"]);
      expect(await ended()).toMatchObject([{ state: "dead" }]);
    });

    it("is never parked if it waited for another party, however often", async () => {
      const waits: Perform = (_job, _signal, waitOutside) => (waitOutside ? waitOutside(() => never) : never);
      const { clock, ended, done, live } = await lives(30, waits);
      expect(done).toEqual([]);
      expect(await ended()).toEqual([]);
      const sent: string[] = [];
      await live(async (job) => {
        if (job.task.direction === "inbound") sent.push(job.task.event.key);
        return {};
      });
      await clock.forward(30_000);
      expect(sent).toEqual(["first", "next"]);
    });

    it("is cleared by an attempt that completes", async () => {
      let life = 0;
      const { ended } = await lives(12, async () => {
        life += 1;
        if (life % 4 === 0) throw new DeliveryError({ type: "retry" }, "no luck");
        return never;
      });
      expect(await ended()).toEqual([]);
    });
  });

  it("finishes what is under way before it stops, and starts nothing new", async () => {
    const gate = Promise.withResolvers<Outcome>();
    const { clock, store, account, channel, worker, performed } = await setUp(() => gate.promise);
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1"), customerSays("m2")] });
    worker.wake(account.id);
    await clock.forward(1);
    const stopped = worker.stop(10_000);
    gate.resolve({});
    await stopped;
    await clock.forward(1_000);
    expect(performed).toEqual(["m1"]);
  });

  it("takes turns between accounts, so that one's backlog does not delay another", async () => {
    const { clock, store, account, channel, worker, performed } = await setUp(() => ({}), {
      limits: { calls: 4, callsPerAccount: 4 },
    });
    const small = await addAccount(store, "small");
    const smallChannel = await addChannel(store, small);
    const flood = Array.from({ length: 200 }, (_, n) => customerSays(`big${n}`, "", `chat${n}`));
    await store.outbox.acceptInbound(channel, { events: flood });
    await store.outbox.acceptInbound(smallChannel, { events: [customerSays("small")] });
    worker.wake(account.id);
    worker.wake(small.id);
    while (performed.length < 201) await clock.forward(1);
    expect(performed.indexOf("small")).toBeLessThan(20);
  });

  it("rests an account whose claim fails, and no other", async () => {
    const limits = { calls: 1, callsPerAccount: 1 };
    const { clock, store, channel, worker, performed, parts } = await setUp(() => ({}), { limits });
    const other = await addAccount(store, "broken");
    const broken = await addChannel(store, other);
    let failed = 0;
    const { claim } = store.outbox;
    store.outbox.claim = async (lease, room) => {
      if (lease.accountId !== other.id) return claim(lease, room);
      failed += 1;
      throw new Error("a row of its cannot be read");
    };
    const lane = Array.from({ length: 10 }, (_, n) => `m${n}`);
    await parts.store.outbox.acceptInbound(broken, { events: [customerSays("b")] });
    await parts.store.outbox.acceptInbound(channel, { events: lane.map((id) => customerSays(id)) });
    await heard(store);
    for (const { accountId } of [broken, channel]) worker.wake(accountId);
    await clock.forward(900);
    expect([failed, performed]).toEqual([1, lane]);
    store.outbox.claim = claim;
    await clock.forward(1_000);
    expect(performed).toEqual([...lane, "b"]);
  });

  it("takes over nothing that it has claimed itself: a wake before the start is deferred", async () => {
    const { clock, folder, store, account, channel, parts, worker: last } = await setUp(() => ({}));
    const stopped = last.stop(0);
    await clock.forward(1_000);
    await stopped;
    await forgetDead(folder);
    const sent: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const perform: Perform = async (job) => {
      sent.push(job.key);
      await ended;
      return {};
    };
    const worker = workerOf({ ...parts, perform });
    await store.outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 60_000 });
    worker.wake(account.id);
    await worker.start();
    await clock.forward(20_000);
    end();
    await clock.forward(20_000);
    expect(sent.filter((key) => key === sent[0])).toHaveLength(1);
  });

  it("has finished an account once its own claim and calls have ended, however busy others are", async () => {
    const { clock, store, account } = await oneChannel();
    const other = await addAccount(store, "other");
    const channel = await addChannel(store, other);
    let answer = () => {};
    const claimed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const claim: typeof store.outbox.claim = async (lease, room) => {
      await claimed;
      return store.outbox.claim(lease, room);
    };
    const { worker } = await working({
      store: { ...store, outbox: { ...store.outbox, claim } },
      clock,
      perform: async () => ({}),
    });
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1")] });
    worker.wake(other.id);
    await clock.forward(100);
    const finished: string[] = [];
    void worker.finished(account.id).then(() => finished.push("idle"));
    void worker.finished(other.id).then(() => finished.push("busy"));
    await clock.forward(100);
    expect(finished).toEqual(["idle"]);
    answer();
    await until("the other has finished", async () => {
      await clock.forward(100);
      return finished.includes("busy");
    });
  });

  it("waits at its stop for a claim under way and its jobs", async () => {
    const { folder, store, account, channel, parts } = await setUp(() => ({}));
    const ended: string[] = [];
    const perform: Perform = async (job) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended.push(job.key);
      return {};
    };
    await forgetDead(folder);
    const worker = workerOf({ ...parts, perform });
    await worker.start();
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1")] });
    worker.wake(account.id);
    await worker.stop(10_000);
    await forgetDead(folder);
    const left = await store.outbox.takeOver(await takeLease(store, account.id, "next"));
    expect(left).toEqual([]);
    expect(ended.length).toBeLessThanOrEqual(1);
  });
});
