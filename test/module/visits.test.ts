import { describe, expect, it } from "vitest";
import type { Job } from "../../src/domain/delivery.ts";
import { createExplain } from "../../src/domain/explanations.ts";
import type { JobId, MessengerMessageId } from "../../src/domain/ids.ts";
import { newWork, planMessage } from "../../src/domain/plan.ts";
import { createVisits } from "../../src/module/visits.ts";
import { bottles } from "../contract/toy/bottles.ts";
import { agentSays } from "../support/events.ts";
import { roomFor } from "../support/room.ts";
import { addAccount, oneChannel } from "../support/store.ts";

const LONG = "one two three four five six seven eight nine ten eleven twelve thirteen";

/** A message held after this many steps. */
async function setUp(text = "ahoy", stepsDone = 0) {
  const { store, account, channel } = await oneChannel({ kind: "bottles" });
  const stranger = await addAccount(store, "stranger");
  const wakes: unknown[] = [];
  const config = {
    publicUrl: "https://gangway.example",
    limits: { outboundPatienceMs: 60_000 } as never,
    markup: "none" as const,
  };
  const visits = createVisits({
    store,
    adapters: [bottles],
    config,
    wake: (woken) => void wakes.push(woken),
    explain: createExplain([]),
    learn: async () => {},
  });
  const act = agentSays("77", text);
  const plan = act.type === "message" ? planMessage(act, bottles.capabilities(bottles.settings.parse({}))) : undefined;
  await store.outbox.acceptOutbound(channel, { key: "sent:77", act, plan, patienceMs: 60_000 });
  const lease = await store.accounts.takeLease(account.id, "test");
  const claim = async () => (await store.outbox.claim(lease, roomFor(9))) as Job[];
  const [job] = await claim();
  if (!job || !plan) throw new Error("nothing to hold");
  const parts = Array.from({ length: stepsDone }, (_, n) => ({
    messengerMessageId: `b${n}` as MessengerMessageId,
    holds: "text" as const,
  }));
  const work = newWork(plan);
  if (stepsDone > 0)
    await store.outbox.advanced(job, { ...work, progress: { ...work.progress, done: stepsDone, parts } });
  await store.outbox.failed(job, { state: "held", unsure: 1 }, "the line broke");
  const counts = async () => {
    const [line] = await store.ledger(account.id);
    if (line?.hole !== 0) throw new Error("the ledger does not balance");
    return { waiting: line.waiting - line.held, done: line.delivered, dead: line.refused, held: line.held };
  };
  return { store, account, stranger, channel, visits, job, claim, counts, woken: () => wakes.length };
}

describe("a held message", () => {
  it("counts as delivered when the user confirms it; without the messenger's id a note tells the agent", async () => {
    const { account, visits, job, claim, counts, woken } = await setUp();
    expect(await visits.decide(account, job.id, "arrived")).toBe(true);
    expect([await counts(), woken()]).toEqual([{ waiting: 0, done: 1, dead: 0, held: 0 }, 1]);
    const [told] = await claim();
    expect(told?.task).toMatchObject({
      event: { type: "note", chat: "chat-1", text: expect.stringContaining("“ahoy”") },
    });
    expect(await visits.view(account, "en")).toMatchObject({ ended: [] });
  });

  it("is acked with the messenger's id where one is known, and its parts are found again", async () => {
    const { store, account, visits, job, claim, channel, counts } = await setUp(LONG, 1);
    expect(await visits.decide(account, job.id, "arrived")).toBe(true);
    const [told] = await claim();
    expect(told?.task).toEqual({
      direction: "ack",
      ack: { gatewayMessageId: "77", messengerMessageId: "b0" },
    });
    expect(await store.messages.gatewayId(channel.id, "b0" as MessengerMessageId)).toBe("77");
    expect(await counts()).toMatchObject({ done: 1, waiting: 0 });
  });

  it("resumes with the unsent steps, under the same key", async () => {
    const { account, visits, job, claim, counts } = await setUp(LONG, 0);
    expect(await visits.decide(account, job.id, "arrived")).toBe(true);
    const [rest] = await claim();
    expect(rest).toMatchObject({ key: job.key, direction: "outbound", work: { progress: { done: 1 } } });
    expect(rest?.doubtAt).toBeUndefined();
    expect(await counts()).toEqual({ waiting: 1, done: 0, dead: 0, held: 0 });
  });

  it("can be discarded: it ends undelivered, without another ack", async () => {
    const { account, visits, job, claim, counts } = await setUp();
    expect(await visits.decide(account, job.id, "drop")).toBe(true);
    expect([await counts(), await claim()]).toEqual([{ waiting: 0, done: 0, dead: 1, held: 0 }, []]);
    expect((await visits.view(account, "en")).ended).toMatchObject([
      { state: "dead", error: expect.stringContaining("given up by a person") },
    ]);
  });

  it("is decided once, by its own account, and only while it is held", async () => {
    const { account, stranger, visits, job } = await setUp();
    for (const what of ["arrived", "drop"] as const) {
      expect(await visits.decide(stranger, job.id, what)).toBe(false);
      expect(await visits.decide(account, 999 as JobId, what)).toBe(false);
    }
    expect(await visits.decide(account, job.id, "drop")).toBe(true);
    expect(await visits.decide(account, job.id, "arrived")).toBe(false);
    expect(await visits.decide(account, job.id, "drop")).toBe(false);
  });

  it("is listed however many dead letters came after it", async () => {
    const { store, account, channel, visits, job, claim } = await setUp();
    for (let n = 0; n < 60; n++) {
      const id = String(1_000 + n);
      await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, id, id), patienceMs: 60_000 });
    }
    for (let left = await claim(); left.length > 0; left = await claim())
      for (const each of left) await store.outbox.failed(each, { state: "dead", code: "general" }, "no");
    const { ended } = await visits.view(account, "en");
    expect(ended[0]).toMatchObject({ id: job.id, state: "held" });
    expect(ended.length).toBeLessThan(60);
  });
});
