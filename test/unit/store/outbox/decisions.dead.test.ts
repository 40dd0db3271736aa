import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId, JobId } from "../../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../../support/engines.ts";
import { agentSays, chatOf, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { takeLease } from "../../../support/store.ts";

const HOUR_MS = 3_600_000;

describe.each(ENGINES)("dead letters on $name", (engine) => {
  /** A customer's message that is dead, an agent's that is held, and the ack of another that the gateway refused. */
  async function setUp() {
    const made = await oneChannelOn(engine);
    const { store, account, channel } = made;
    const lease = await takeLease(store, account.id);
    const claim = async () => store.outbox.claim(lease, roomFor(9));
    await store.outbox.acceptInbound(channel, { events: [customerSays("m1", "hello", "chat-1")] });
    const [inbound] = (await claim()) as [Job];
    await store.outbox.failed(inbound, { state: "dead", code: "general" }, "no luck");
    for (const id of ["1", "2"]) {
      const act = agentSays(id, `answer ${id}`, "chat-1");
      await store.outbox.acceptOutbound(channel, { key: id, act, patienceMs: HOUR_MS });
    }
    const [held] = (await claim()) as [Job];
    await store.outbox.failed(held, { state: "held", unsure: 1 }, "perhaps sent");
    const [sent] = (await claim()) as [Job];
    await store.outbox.done(sent, { ack: { gatewayMessageId: "2" as GatewayMessageId } });
    const [ack] = (await claim()) as [Job];
    await store.outbox.failed(ack, { state: "dead", code: "general" }, "unknown to the gateway");
    const ids = { dead: inbound.id, held: held.id, ack: sent.id };
    return { ...made, claim, ids };
  }

  it("are listed and shown", async () => {
    const { store, account, channel, ids } = await setUp();
    const dead = await store.dead.list({ state: "dead", accountId: account.id, limit: 9 });
    expect(dead).toMatchObject([
      { id: ids.dead, direction: "inbound", what: "message, text", error: "no luck", channel: channel.name },
      { id: ids.ack, direction: "ack", what: "ack", error: "unknown to the gateway" },
    ]);
    expect(await store.dead.list({ state: "held", limit: 9 })).toMatchObject([{ id: ids.held, unreadable: false }]);
    expect(await store.dead.show(ids.held)).toMatchObject({ unsure: 1, payload: { act: { type: "message" } } });
    expect(await store.dead.show(9_999)).toBeUndefined();
    expect(await store.dead.accountOf(channel.id)).toBe(account.id);
  });

  it("are left alone where they ended anew since the list was read", async () => {
    const { store, clock, account, claim } = await setUp();
    const refs = await store.dead.refs({ state: "dead", limit: 9 });
    const [inbound] = refs;
    clock.leap(1_000);
    await store.outbox.sendAgain(account.id, inbound?.id as JobId, HOUR_MS);
    const [again] = (await claim()).filter(({ id }) => id === inbound?.id);
    clock.leap(1_000);
    await store.outbox.failed(again as Job, { state: "held", unsure: 1 }, "perhaps it arrived");
    expect(await store.dead.replay(refs, HOUR_MS), "only the ack").toBe(1);
    expect(await store.dead.discard(refs)).toBe(0);
    expect(await store.dead.drop(refs)).toBe(0);
    expect((await store.dead.show(inbound?.id ?? 0))?.error).toBe("perhaps it arrived");
  });

  it("say which may have arrived, also of what was given up for another reason later", async () => {
    const { store, channel, claim, clock, ids } = await setUp();
    const act = agentSays("3", "answer 3", "chat-3");
    await store.outbox.acceptOutbound(channel, { key: "3", act, patienceMs: HOUR_MS });
    const [job] = (await claim()).filter((job) => chatOf(job) === "chat-3");
    await store.outbox.failed(job as Job, { state: "dead", code: "general", unsure: 2 }, "no answer");
    clock.leap(1);
    const unsure = async (state: "dead" | "held") =>
      Object.fromEntries((await store.dead.refs({ state, limit: 9 })).map((ref) => [ref.id, ref.unsure]));
    expect(await unsure("dead")).toEqual({ [ids.dead]: 0, [ids.ack]: 0, [job?.id ?? 0]: 2 });
    expect(await unsure("held")).toEqual({ [ids.held]: 1 });
  });

  it("are sent again or dropped, each with its entry in the audit, and the ledger has no hole", async () => {
    const { store, account, channel, ids, claim } = await setUp();
    const [dead, held] = [
      await store.dead.refs({ state: "dead", limit: 9 }),
      await store.dead.refs({ state: "held", limit: 9 }),
    ];
    const none = { id: 9_999 as JobId, endedAt: 0 };
    expect(await store.dead.replay([...dead, none], HOUR_MS)).toBe(2);
    const again = (await claim()).map(({ id, direction }) => `${direction} ${id}`).sort();
    expect(again).toEqual([`ack ${ids.ack}`, `inbound ${ids.dead}`]);
    expect(await store.dead.replay(dead, HOUR_MS), "what was sent again is not dead any more").toBe(0);
    expect(await store.dead.drop(held)).toBe(1);
    expect(await store.dead.list({ state: "held", limit: 9 })).toEqual([]);
    const actions = (await store.audit.list({ accountId: account.id, limit: 9 })).map(({ action, detail }) => [
      action,
      detail.job,
      detail.channel,
    ]);
    expect(actions).toEqual([
      ["message dropped", ids.held, channel.id],
      ["message sent again", ids.ack, channel.id],
      ["message sent again", ids.dead, channel.id],
    ]);
    expect(await store.ledger(account.id)).toMatchObject([{ accepted: 3, waiting: 1, hole: 0, acks: { hole: 0 } }]);
  });

  it("are restored as they were discarded, also an ack, and the ledger has no hole", async () => {
    const { store, account, ids } = await setUp();
    const { outbox } = store;
    const before = await outbox.ended(account.id, 9, { state: "dead" });
    const listed = await store.dead.list({ state: "dead", limit: 9 });
    for (const id of [ids.dead, ids.ack]) expect(await outbox.discarded(account.id, id, 7_000)).toBe(true);
    expect(await outbox.discarded(account.id, ids.held, 7_000)).toBe(false);
    expect(await outbox.ended(account.id, 9, { state: "dead" })).toEqual([]);
    expect(await outbox.discardedAt(account.id, 7_000)).toEqual([ids.dead, ids.ack]);
    expect(await outbox.discardedAt(account.id, 7_001)).toEqual([]);
    for (const id of [ids.dead, ids.ack])
      expect((await store.stories.of(account.id, id))?.isRestorable, `${id}`).toBe(true);
    for (const id of [ids.dead, ids.ack]) expect(await outbox.restored(account.id, id)).toBe(true);
    for (const id of [ids.dead, ids.held]) expect(await outbox.restored(account.id, id)).toBe(false);
    expect(await outbox.ended(account.id, 9, { state: "dead" })).toEqual(before);
    expect(await store.dead.list({ state: "dead", limit: 9 }), "nor has their time changed").toEqual(listed);
    expect(await store.ledger(account.id)).toMatchObject([{ hole: 0, acks: { hole: 0 } }]);
  });

  it("are restored also if an ack or an edit came between, or their content is gone by now", async () => {
    const { store, account, ids, change } = await setUp();
    await change(`UPDATE message SET payload = NULL WHERE id = ${ids.ack}`);
    for (const id of [ids.dead, ids.ack]) await store.outbox.discarded(account.id, id, 7_000);
    await change(`UPDATE message SET updated_at = 8000 WHERE id = ${ids.dead}`);
    expect(await store.outbox.discardedAt(account.id, 7_000)).toEqual([ids.dead, ids.ack]);
    for (const id of [ids.dead, ids.ack]) expect(await store.outbox.restored(account.id, id)).toBe(true);
  });
});
