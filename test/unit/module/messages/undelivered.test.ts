import { systemClock } from "gangway-messenger/clock";
import { createExplain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { type Job, newWork } from "../../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { JobId } from "../../../../src/domain/ids.ts";
import {
  createUndelivered,
  type Filter,
  totalsOf,
  type Undelivered,
} from "../../../../src/module/messages/undelivered.ts";
import { readRows } from "../../../support/engine.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, oneChannel, takeLease } from "../../../support/store.ts";
import { bottles } from "../../../system/contract/toy/bottles.ts";

const LONG = "one two three four five six seven eight nine ten eleven twelve thirteen";

/** The list, and the totals, as a page shows them. */
function readsOf(undelivered: Undelivered, account: Account) {
  const counts = () => undelivered.counts(account);
  const list = async (filter: Filter = {}) => undelivered.list(account, filter, "en", await counts());
  return { list, totals: async () => totalsOf(await counts()) };
}

/** A message held after this many steps. */
async function setUp(text = "ahoy", stepsDone = 0) {
  const { store, account, channel } = await oneChannel({ kind: "bottles" });
  const stranger = await addAccount(store, "stranger");
  const wakes: unknown[] = [];
  const undelivered = createUndelivered({
    ...{ store, adapters: [bottles], explain: createExplain(COMMON_EXPLANATIONS), clock: systemClock },
    config: { limits: { outboundPatienceMs: 60_000 } as never },
    wake: (woken) => void wakes.push(woken),
  });
  const act = agentSays("77", text);
  const plan = act.type === "message" ? planMessage(act, bottles.capabilities(bottles.settings.parse({}))) : undefined;
  await store.outbox.acceptOutbound(channel, { key: "sent:77", act, plan, patienceMs: 60_000 });
  const lease = await takeLease(store, account.id, "test");
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
  const reads = readsOf(undelivered, account);
  return { store, account, stranger, channel, undelivered, job, claim, counts, ...reads, woken: () => wakes.length };
}

describe("a held message", () => {
  it("counts as delivered when the user confirms it; without the messenger's id a note tells the agent", async () => {
    const { account, undelivered, job, claim, counts, woken, list, totals } = await setUp();
    expect((await undelivered.decide(account, job.id, "arrived")).count).toBe(1);
    expect([await counts(), woken()]).toEqual([{ waiting: 0, done: 1, dead: 0, held: 0 }, 1]);
    const [told] = await claim();
    expect(told?.task).toMatchObject({
      event: { type: "note", chat: "chat-1", text: expect.stringContaining("“ahoy”") },
    });
    expect((await list()).rows).toEqual([]);
    expect(await totals()).toEqual({ held: 0, dead: 0 });
  });

  it("is acked with the messenger's id where one is known, and its parts are found again", async () => {
    const { store, account, undelivered, job, claim, channel, counts } = await setUp(LONG, 1);
    expect((await undelivered.decide(account, job.id, "arrived")).count).toBe(1);
    const [told] = await claim();
    expect(told?.task).toEqual({
      direction: "ack",
      ack: { gatewayMessageId: "77", messengerMessageId: "b0" },
    });
    expect(await store.messages.gatewayId(channel.id, "b0" as MessengerMessageId)).toBe("77");
    expect(await counts()).toMatchObject({ done: 1, waiting: 0 });
  });

  it("resumes with the unsent steps, under the same key", async () => {
    const { account, undelivered, job, claim, counts } = await setUp(LONG, 0);
    expect((await undelivered.decide(account, job.id, "arrived")).count).toBe(1);
    const [rest] = await claim();
    expect(rest).toMatchObject({ key: job.key, direction: "outbound", work: { progress: { done: 1 } } });
    expect(rest?.doubtAt).toBeUndefined();
    expect(await counts()).toEqual({ waiting: 1, done: 0, dead: 0, held: 0 });
  });

  it("can be discarded: it ends undelivered, without another ack", async () => {
    const { account, undelivered, job, claim, counts, list } = await setUp();
    expect((await undelivered.decide(account, job.id, "drop")).count).toBe(1);
    expect([await counts(), await claim()]).toEqual([{ waiting: 0, done: 0, dead: 1, held: 0 }, []]);
    expect((await list()).rows).toMatchObject([
      { state: "dead", error: expect.stringContaining("given up by a person") },
    ]);
  });

  it("is decided once, by its own account, and only while it is held", async () => {
    const { account, stranger, undelivered, job } = await setUp();
    for (const what of ["arrived", "drop"] as const) {
      expect((await undelivered.decide(stranger, job.id, what)).count).toBe(0);
      expect((await undelivered.decide(account, 999 as JobId, what)).count).toBe(0);
    }
    expect((await undelivered.decide(account, job.id, "drop")).count).toBe(1);
    expect((await undelivered.decide(account, job.id, "arrived")).count).toBe(0);
    expect((await undelivered.decide(account, job.id, "drop")).count).toBe(0);
  });

  it("is listed however many dead letters came after it", async () => {
    const { store, channel, list, totals, job, claim } = await setUp();
    for (let n = 0; n < 60; n++) {
      const id = String(1_000 + n);
      await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, id, id), patienceMs: 60_000 });
    }
    for (let left = await claim(); left.length > 0; left = await claim())
      for (const each of left) await store.outbox.failed(each, { state: "dead", code: "general" }, "no");
    expect((await list()).rows).toMatchObject([{ id: job.id, state: "held" }]);
    expect(await totals()).toEqual({ held: 1, dead: 60 });
  });
});

/** Two channels with dead letters: `agents` from agents with one reason, `customers` from customers with another. */
async function manyDead(agents: number, customers: number) {
  const { folder, store, account, channel } = await oneChannel({ kind: "bottles" });
  const other = await addChannel(store, account, "bottles");
  const lease = await takeLease(store, account.id, "test");
  const claim = async () => (await store.outbox.claim(lease, roomFor(999))) as Job[];
  for (let n = 0; n < agents; n++) {
    const id = String(1_000 + n);
    await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, `text ${n}`), patienceMs: 60_000 });
  }
  for (let n = 0; n < customers; n++) await store.outbox.acceptInbound(other, { events: [customerSays(`c${n}`)] });
  for (let left = await claim(); left.length > 0; left = await claim())
    for (const each of left) {
      const code = each.direction === "outbound" ? "reply_timed_out" : "general";
      await store.outbox.failed(each, { state: "dead", code }, "no");
    }
  const undelivered = createUndelivered({
    ...{ store, adapters: [bottles], explain: createExplain(COMMON_EXPLANATIONS), clock: systemClock, wake: () => {} },
    config: { limits: { outboundPatienceMs: 60_000 } as never },
  });
  return { folder, store, account, channel, other, undelivered, ...readsOf(undelivered, account) };
}

describe("undelivered messages", () => {
  it("are listed page by page, each once, with the customer's name and the beginning of the text", async () => {
    const { list } = await manyDead(120, 3);
    const seen: number[] = [];
    let pages = 0;
    for (let before: JobId | undefined, more = true; more; pages += 1) {
      const page = await list({ before });
      seen.push(...page.rows.map(({ id }) => id));
      before = page.next;
      more = before !== undefined;
    }
    expect([pages, seen.length, new Set(seen).size]).toEqual([5, 123, 123]);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    const [fromCustomer] = (await list()).rows;
    expect(fromCustomer).toMatchObject({ customer: "Visitor", chat: "chat-1", words: "c2", direction: "inbound" });
  });

  it("are filtered by messenger and reason, and counted", async () => {
    const { list, totals, channel, other } = await manyDead(4, 2);
    const all = await list();
    expect(await totals()).toEqual({ held: 0, dead: 6 });
    expect(all).toMatchObject({ fitting: 6 });
    expect(all.groups).toMatchObject([
      { code: "reply_timed_out", channelId: channel.id, count: 4 },
      { code: "general", channelId: other.id, count: 2 },
    ]);
    expect(await list({ channelId: other.id })).toMatchObject({ fitting: 2, rows: [{}, {}] });
    expect((await list({ code: "reply_timed_out" })).rows).toHaveLength(4);
    expect((await list({ code: "reply_timed_out", channelId: other.id })).rows).toEqual([]);
    expect((await list({ state: "held" })).rows).toEqual([]);
  });

  it("are sent again all of a reason, in their order, and no other", async () => {
    const { folder, account, undelivered, totals } = await manyDead(60, 2);
    expect((await undelivered.decideAll(account, { state: "dead", code: "reply_timed_out" }, "again")).count).toBe(60);
    expect(await totals()).toEqual({ held: 0, dead: 2 });
    const rows = (await readRows(folder, ["message"])).message ?? [];
    const waiting = rows.filter(({ state }) => state === "ready").map(({ id, position }) => [id, position].map(Number));
    const [byId, byPosition] = [0, 1].map((of) => waiting.toSorted((a, b) => (a[of] ?? 0) - (b[of] ?? 0)));
    expect([waiting.length, byPosition]).toEqual([60, byId]);
  });

  it("are all decided on only as far as they had failed when the question was asked", async () => {
    const { account, undelivered, totals } = await manyDead(3, 1);
    const filter = { state: "dead" } as const;
    expect((await undelivered.decideAll(account, { ...filter, to: 1 }, "discard")).count).toBe(0);
    expect((await undelivered.decideAll(account, { ...filter, to: Date.now() }, "discard")).count).toBe(4);
    expect((await totals()).dead).toBe(0);
  });

  it("are decided on in small turns, however many, so that the server answers others meanwhile", async () => {
    const { store, account, totals } = await manyDead(120, 0);
    let [under, most] = [0, 0];
    const discarded: typeof store.outbox.discarded = async (...args) => {
      most = Math.max(most, ++under);
      return store.outbox.discarded(...args).finally(() => under--);
    };
    const undelivered = createUndelivered({
      store: { ...store, outbox: { ...store.outbox, discarded } },
      ...{ adapters: [bottles], explain: createExplain(COMMON_EXPLANATIONS), clock: systemClock, wake: () => {} },
      config: { limits: { outboundPatienceMs: 60_000 } as never },
    });
    const ids = (await store.outbox.ended(account.id, 70, { state: "dead" })).map(({ id }) => id);
    expect((await undelivered.decideAll(account, ids, "discard")).count).toBe(70);
    expect((await undelivered.decideAll(account, { state: "dead" }, "discard")).count).toBe(50);
    expect(most).toBeLessThanOrEqual(25);
    expect((await totals()).dead).toBe(0);
  });

  it("are restored together when their discarding is undone, and no others", async () => {
    const { store, account, undelivered, list, totals } = await manyDead(60, 2);
    const before = await list({ state: "dead" });
    const [first] = before.rows;
    await undelivered.decide(account, first?.id as JobId, "discard");
    const { count, discardedAt = 0 } = await undelivered.decideAll(account, { code: "reply_timed_out" }, "discard");
    expect([count, (await totals()).dead]).toEqual([60, 1]);
    const stranger = await addAccount(store, "stranger");
    expect(await undelivered.undo(stranger, discardedAt)).toBe(0);
    expect(await undelivered.undo(account, discardedAt)).toBe(60);
    expect(await undelivered.undo(account, discardedAt)).toBe(0);
    expect((await totals()).dead).toBe(61);
    expect((await undelivered.decide(account, first?.id as JobId, "restore")).count).toBe(1);
    expect(await list({ state: "dead" })).toEqual({ ...before, readAt: expect.any(Number) });
    expect((await undelivered.decideAll(account, { state: "dead" }, "again")).count).toBe(62);
    expect((await store.ledger(account.id)).map(({ hole }) => hole)).toEqual([0, 0]);
  });

  it("are discarded, one or many, and still known to the ledger", async () => {
    const { store, account, undelivered, list, totals } = await manyDead(3, 1);
    const [newest, second] = (await list()).rows;
    expect((await undelivered.decide(account, newest?.id as JobId, "discard")).count).toBe(1);
    expect((await undelivered.decide(account, newest?.id as JobId, "discard")).count).toBe(0);
    const stranger = await addAccount(store, "stranger");
    expect((await undelivered.decideAll(stranger, [second?.id as JobId], "discard")).count).toBe(0);
    expect((await undelivered.decideAll(account, { state: "dead" }, "discard")).count).toBe(3);
    expect(await totals()).toEqual({ held: 0, dead: 0 });
    const sums = await store.ledger(account.id);
    expect(sums.map(({ refused, hole }) => [refused, hole])).toEqual(
      expect.arrayContaining([
        [3, 0],
        [1, 0],
      ]),
    );
  });
});
