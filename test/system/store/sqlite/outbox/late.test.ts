import type { MessengerMessageId } from "gangway-messenger/ids";
import type { SentPart } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../../src/domain/delivery.ts";
import { ackOf } from "../../../../../src/domain/delivery.ts";
import type { JobId } from "../../../../../src/domain/ids.ts";
import type { OutboundMessage } from "../../../../../src/domain/message.ts";
import type { Arrival } from "../../../../../src/store/outbox.ts";
import { textOnly } from "../../../../support/capabilities.ts";
import { agentSays, customerSays, messengerFails } from "../../../../support/events.ts";
import { brokenRows } from "../../../../support/invariants.ts";
import { roomFor } from "../../../../support/room.ts";
import { rowsOf } from "../../../../support/rows.ts";
import { oneChannel, takeLease } from "../../../../support/store.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REFUSED = { code: "customer_not_exists", message: "the number has no account", externalCode: "131026" };
const ERASED = { actor: "operator", action: "customer erased" } as const;
const raw = () => ({ path: "", headers: {}, body: "{}" });

/** A channel, and an agent's message to its customer; `sent` is under way. */
async function setUp(text = "hello") {
  const { clock, folder, store, account, channel } = await oneChannel();
  let lease = await takeLease(store, account.id, "test");
  const claim = () => store.outbox.claim(lease, roomFor(10));
  const act = agentSays("1", text) as OutboundMessage;
  const plan = planMessage(act, textOnly(10));
  await store.outbox.acceptOutbound(channel, { key: "sent:1", act, plan, patienceMs: HOUR });
  const [sent] = (await claim()) as [Job];
  const messengerMessageIds = (...ids: string[]): SentPart[] =>
    ids.map((id) => ({ messengerMessageId: id as MessengerMessageId, holds: "text" }));
  const done = (job: Job, ...ids: string[]) => {
    const parts = messengerMessageIds(...ids);
    return store.outbox.done(job, { parts, ack: ackOf(act, { messengerMessageId: parts[0]?.messengerMessageId }) });
  };
  const fails = (id: string, more: Partial<Arrival> = {}) =>
    store.outbox.acceptInbound(channel, { events: [messengerFails(id)], ...more });
  const ledger = async () => {
    const [row] = await store.ledger(account.id);
    const { accepted, delivered, refused, waiting, hole, acks } = row ?? {};
    return { accepted, delivered, refused, waiting, hole, acks };
  };
  const crash = async () => {
    lease = await takeLease(store, account.id, "next");
    return store.outbox.takeOver(lease);
  };
  const listed = () => store.outbox.ended(account.id, 9);
  const row = () => rowsOf(folder, ["message"]).message?.[0];
  const notes = () => rowsOf(folder, ["note"]).note?.length;
  const storyOf = (id: number) => store.stories.of(account.id, id as JobId);
  const sendAgain = () => store.outbox.sendAgain(account.id, sent.id, HOUR);
  const base = { clock, folder, store, account, channel, claim, sent, done, fails, ledger, crash };
  return { ...base, listed, row, notes, storyOf, sendAgain };
}

describe("a failure that comes after the messenger had accepted the message", () => {
  it("moves it from delivered to refused, lists it, and owes the ack anew with the reason", async () => {
    const { clock, sent, done, fails, claim, store, ledger, listed, storyOf, folder } = await setUp();
    await done(sent, "w-1");
    const [told] = (await claim()) as [Job];
    await store.outbox.done(told, {});
    const acceptedAt = clock.now();
    clock.leap(5 * 60_000);
    expect(await fails("w-1")).toBe(1);
    expect(await ledger()).toMatchObject({
      ...{ accepted: 1, delivered: 0, refused: 1, waiting: 0, hole: 0 },
      acks: { owed: 2, given: 1, waiting: 1, hole: 0 },
    });
    expect(await listed()).toMatchObject([
      { id: sent.id, state: "dead", code: REFUSED.code, error: REFUSED.message, at: clock.now(), words: "hello" },
    ]);
    const [ack] = (await claim()) as [Job];
    expect(ack.ackVersion).toBe(2);
    expect(ack.task).toMatchObject({ ack: { gatewayMessageId: "1", messengerMessageId: "w-1", error: REFUSED } });
    expect(await storyOf(sent.id)).toMatchObject({
      ...{ state: "dead", endedAt: acceptedAt, lateAt: clock.now(), error: REFUSED.message },
      tries: [{ at: clock.now(), error: REFUSED.message }],
    });
    expect(brokenRows(folder)).toEqual([]);
  });

  it("changes nothing when it is repeated", async () => {
    const { sent, done, fails, claim, ledger, row } = await setUp();
    await done(sent, "w-1");
    await fails("w-1");
    const before = [await ledger(), row()];
    expect(await fails("w-1")).toBe(0);
    expect(await fails("w-1", { again: true })).toBe(0);
    expect([await ledger(), row()]).toEqual(before);
    expect(await claim()).toHaveLength(1);
  });

  it("is not cleared by the answer to the older ack, which must not reach the gateway after the newer", async () => {
    const { clock, sent, done, fails, claim, store, ledger } = await setUp();
    await done(sent, "w-1");
    const [older] = (await claim()) as [Job];
    await fails("w-1");
    expect(await claim()).toEqual([]);
    expect(await store.outbox.done(older, {})).toBe(false);
    clock.leap(10_000);
    const [newer] = (await claim()) as [Job];
    expect(newer.task).toMatchObject({ ack: { error: REFUSED } });
    expect(await store.outbox.done(newer, {})).toBe(true);
    expect((await ledger()).acks).toMatchObject({ owed: 1, given: 1, waiting: 0, hole: 0 });
  });

  it("of one part makes the whole message undelivered, and says which part it was", async () => {
    const { sent, done, fails, listed, claim } = await setUp("one two three four five");
    expect(sent.work?.plan.steps).toHaveLength(3);
    await done(sent, "w-1", "w-2", "w-3");
    await fails("w-2");
    await fails("w-3");
    const error = "Part 2 of 3 was not delivered: the number has no account";
    expect(await listed()).toMatchObject([{ state: "dead", error }]);
    expect((await claim())[0]?.task).toMatchObject({ ack: { messengerMessageId: "w-1", error: { message: error } } });
  });

  it("is ignored and counted if nobody knows the message, and nothing is under way in its chat", async () => {
    const { sent, done, fails, ledger, notes } = await setUp();
    await done(sent, "w-1");
    const before = await ledger();
    let unmatched = 0;
    const counted = {
      unmatched(failures: number) {
        unmatched += failures;
      },
    };
    expect(await fails("of another server", counted)).toBe(0);
    expect(await fails("w-1", counted)).toBe(1);
    expect([unmatched, notes()]).toEqual([1, 0]);
    expect(await ledger()).toMatchObject({ accepted: before.accepted, hole: 0 });
  });

  it("that names a customer's own message changes nothing", async () => {
    const { sent, done, store, channel, ledger } = await setUp();
    await done(sent, "w-1");
    const before = await ledger();
    await store.outbox.acceptInbound(channel, { events: [customerSays("c-1")] });
    expect(await store.outbox.acceptInbound(channel, { events: [messengerFails("c-1")] })).toBe(0);
    expect(await ledger()).toMatchObject({ accepted: 2, waiting: 1, delivered: before.delivered, hole: 0 });
  });

  it("leaves the content's retention to the other rules: without content it is told, and not listed", async () => {
    const { clock, sent, done, fails, claim, store, ledger, listed } = await setUp();
    await done(sent, "w-1");
    const [told] = (await claim()) as [Job];
    await store.outbox.done(told, {});
    clock.leap(30 * DAY);
    await store.retention.sweep("settled", clock.now() - 7 * DAY, new Map(), Number.MIN_SAFE_INTEGER);
    expect(await fails("w-1")).toBe(1);
    expect(await listed()).toEqual([]);
    expect(await ledger()).toMatchObject({ delivered: 0, refused: 1, hole: 0 });
    expect((await claim())[0]?.task).toMatchObject({ ack: { gatewayMessageId: "1", error: REFUSED } });
  });
});

describe("a failure that overtakes the answer to our call", () => {
  it("is kept on the disk, and applied by the update that ends the message", async () => {
    const { sent, done, fails, claim, ledger, listed, notes } = await setUp();
    expect(await fails("w-1", { raw })).toBe(1);
    expect(await fails("w-1")).toBe(0);
    expect(await ledger()).toMatchObject({ waiting: 1, delivered: 0, refused: 0, hole: 0 });
    await done(sent, "w-1");
    expect(await ledger()).toMatchObject({ waiting: 0, delivered: 0, refused: 1, hole: 0, acks: { owed: 1 } });
    expect(await listed()).toMatchObject([{ state: "dead", error: REFUSED.message }]);
    expect((await claim()).map(({ task }) => task)).toMatchObject([
      { ack: { gatewayMessageId: "1", messengerMessageId: "w-1", error: REFUSED } },
    ]);
    expect(notes()).toBe(0);
    expect(await fails("w-1")).toBe(0);
  });

  it("is found after other messages of the channel have ended without one", async () => {
    const { sent, done, fails, claim, listed, store, channel } = await setUp();
    await done(sent, "w-1");
    await store.outbox.acceptOutbound(channel, { key: "sent:2", act: agentSays("2"), patienceMs: HOUR });
    const next = (await claim()).find(({ direction }) => direction === "outbound") ?? expect.fail("not claimed");
    await fails("w-2", { raw });
    await done(next, "w-2");
    expect(await listed()).toMatchObject([{ id: next.id, state: "dead", error: REFUSED.message }]);
  });

  it("survives a crash in between", async () => {
    const { sent, done, fails, crash, ledger, listed } = await setUp();
    await fails("w-1");
    const [again] = (await crash()) as [Job];
    expect(await done(sent, "w-1")).toBe(false);
    expect(await listed()).toEqual([]);
    await done(again, "w-1");
    expect(await listed()).toMatchObject([{ state: "dead", error: REFUSED.message }]);
    expect(await ledger()).toMatchObject({ delivered: 0, refused: 1, hole: 0 });
  });

  it("is found among the parts of a message that is sent step by step", async () => {
    const { sent, done, fails, store, listed } = await setUp("one two three four five");
    const work = sent.work ?? expect.fail("no steps");
    const parts = [{ messengerMessageId: "w-1" as MessengerMessageId, holds: "text" as const }];
    await store.outbox.advanced(sent, { ...work, progress: { done: 1, parts, losses: [] } });
    await fails("w-1");
    await done(sent, "w-1", "w-2", "w-3");
    expect(await listed()).toMatchObject([{ error: "Part 1 of 3 was not delivered: the number has no account" }]);
  });

  it("is found when a person confirms a held message", async () => {
    const { sent, fails, store, account, listed, ledger, claim } = await setUp("one two three four");
    const work = sent.work ?? expect.fail("no steps");
    expect(work.plan.steps).toHaveLength(2);
    const parts = [{ messengerMessageId: "w-1" as MessengerMessageId, holds: "text" as const }];
    await store.outbox.advanced(sent, { ...work, progress: { done: 1, parts, losses: [] } });
    await store.outbox.failed(sent, { state: "held", unsure: 1 }, "perhaps");
    expect(await fails("w-1")).toBe(1);
    const how = { patienceMs: HOUR, text: () => "it arrived" };
    expect(await store.outbox.arrived(account.id, sent.id, how)).toBe(true);
    expect(await listed()).toMatchObject([{ state: "dead", error: REFUSED.message }]);
    expect(await ledger()).toMatchObject({ delivered: 0, refused: 1, waiting: 0, hole: 0 });
    expect((await claim())[0]?.task).toMatchObject({ ack: { error: REFUSED } });
  });

  it("goes with its customer when they are erased, and expires", async () => {
    const { fails, store, account, notes, clock } = await setUp();
    await fails("w-1");
    expect(notes()).toBe(1);
    clock.leap(91 * DAY);
    await store.retention.sweep("notes", clock.now() - 90 * DAY, new Map(), Number.MIN_SAFE_INTEGER);
    expect(notes()).toBe(0);
    await fails("w-2");
    const [person] = await store.erasure.find(account.id, "hello");
    await store.erasure.customer(account.id, person ?? expect.fail("not found"), ERASED);
    expect(notes()).toBe(0);
    expect(await fails("w-3")).toBe(0);
  });
});

describe("a message that failed late and is sent again by a person", () => {
  it("goes from its first step on, under a new key, and ends as delivered under its new id", async () => {
    const { sent, done, fails, sendAgain, claim, ledger, row, storyOf } = await setUp("one two three four");
    await done(sent, "w-1", "w-2");
    await fails("w-2");
    expect(await sendAgain()).toBe(true);
    const again = (await claim()).find(({ direction }) => direction === "outbound") ?? expect.fail("not claimed");
    expect(again.work?.progress).toMatchObject({ done: 0, parts: [] });
    expect([sent.key, again.key]).toEqual([`${sent.id}`, `${sent.id}-1`]);
    await done(again, "w-3", "w-4");
    expect(row()).toMatchObject({ state: "done", messenger_message_id: "w-3", late_at: null });
    expect(await ledger()).toMatchObject({ delivered: 1, refused: 0, waiting: 0, hole: 0 });
    expect(await storyOf(sent.id)).toMatchObject({ state: "done", parts: 2, tries: [{ error: /Part 2 of 2/ }] });
  });

  it("is not ended by a repeat of the old failure, wherever it is by then", async () => {
    const { sent, done, fails, sendAgain, claim, row } = await setUp();
    await done(sent, "w-1");
    await fails("w-1");
    await sendAgain();
    await fails("w-1");
    expect(row()).toMatchObject({ state: "ready" });
    const again = (await claim()).find(({ direction }) => direction === "outbound") ?? expect.fail("not claimed");
    await fails("w-1");
    await done(again, "w-2");
    await fails("w-1");
    expect(row()).toMatchObject({ state: "done", messenger_message_id: "w-2" });
    await fails("w-2");
    expect(row()).toMatchObject({ state: "dead" });
  });

  it("stays discarded once it is discarded", async () => {
    const { sent, done, fails, store, account, ledger, listed, row } = await setUp();
    await done(sent, "w-1");
    await fails("w-1");
    expect(await store.outbox.discarded(account.id, sent.id, 1)).toBe(true);
    const before = await ledger();
    expect(await fails("w-1")).toBe(0);
    expect([await ledger(), await listed()]).toEqual([before, []]);
    expect(row()).toMatchObject({ state: "dropped" });
  });
});
