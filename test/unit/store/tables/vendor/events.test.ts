import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { GatewayMessageId } from "../../../../../src/domain/ids.ts";
import { MESSAGE_KINDS } from "../../../../../src/domain/message.ts";
import { EVENT_TYPES } from "../../../../../src/domain/vendor.ts";
import { handClock } from "../../../../support/clock.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../../../support/engines.ts";
import { agentSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../../support/store.ts";

const SECRET = "the secret words of a customer";

async function listening(engine: TestedEngine) {
  const opened = await engine.open(handClock(Date.now()), {});
  const { store } = opened;
  await store.vendorEvents.listen(true);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const told = async () =>
    (await store.vendorEvents.list(99)).reverse().map(({ type, body, ...event }) => {
      const { data, type: same, timestamp } = JSON.parse(body);
      expect([same, data.account]).toEqual([type, { id: account.id, crmUrl: account.crmUrl }]);
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
      expect(Math.abs(Date.parse(timestamp) - event.createdAt)).toBeLessThan(5);
      const { account: _, ...rest } = data;
      return [type, rest];
    });
  return { ...opened, account, channel, told };
}

async function failing({ store, account, channel }: Awaited<ReturnType<typeof listening>>, ...names: string[]) {
  for (const name of names)
    await store.outbox.acceptOutbound(channel, {
      key: name,
      act: agentSays(name, SECRET, `chat-${name}`),
      patienceMs: 60_000,
    });
  return store.outbox.claim(await takeLease(store, account.id), roomFor(9));
}

describe.each(ENGINES)("what the vendor's system is told, on $name", (engine) => {
  it("is written for an account that connects, goes off, is frozen, and comes back, and for its trouble", async () => {
    const { store, account, told } = await listening(engine);
    await store.accounts.setActivity(account.id, { active: true, frozen: true }, 1);
    await store.accounts.setActivity(account.id, { active: true, frozen: true }, 1);
    await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1);
    await store.accounts.setActivity(account.id, { active: true, frozen: false }, 1);
    await store.accounts.setTrouble(account.id, { text: "refused", restUntil: 1 });
    await store.accounts.prolongTrouble(account.id, { text: "refused again", restUntil: 2 });
    await store.accounts.setTrouble(account.id, undefined);
    await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1);
    expect(await told()).toEqual([
      ["account.connected", {}],
      ["account.disconnected", { reason: "frozen" }],
      ["account.connected", { reason: null }],
      ["account.troubled", {}],
      ["account.recovered", {}],
      ["account.disconnected", { reason: "off" }],
    ]);
  });

  it("is written once for each trouble of a channel, by name and kind, and not for a change within it", async () => {
    const { store, channel, told } = await listening(engine);
    const own = { id: channel.id, kind: channel.kind, name: channel.name };
    await store.channels.setTrouble(channel.id, "one");
    await store.channels.setTrouble(channel.id, "another");
    await store.channels.setState(channel.id, "stopped", "the token was refused");
    await store.channels.setState(channel.id, "active");
    await store.channels.setState(channel.id, "paused");
    await store.channels.setState(channel.id, "removed");
    expect((await told()).slice(1)).toEqual([
      ["channel.troubled", { channel: own, reason: "troubled" }],
      ["channel.troubled", { channel: own, reason: "stopped" }],
      ["channel.recovered", { channel: own, reason: null }],
      ["channel.removed", { channel: own, reason: null }],
    ]);
  });

  it("is written for messages that are held or do not arrive, without what is in them", async () => {
    const made = await listening(engine);
    const { store, account, channel, told } = made;
    const by = { actor: "operator", action: "test" } as const;
    const [dead, held] = await failing(made, "dead", "held");
    if (!dead || !held) throw new Error("two jobs were accepted");
    await store.outbox.failed(dead, { state: "dead", code: "access_restricted" }, SECRET);
    await store.outbox.failed(held, { state: "held", unsure: 1 }, "perhaps");
    await store.outbox.givenUp(account.id, held.id, by);
    await store.outbox.discarded(account.id, dead.id, 1, by);
    await store.outbox.restored(account.id, dead.id, by);
    const of = (id: number) => ({ id, kind: "message", direction: "outbound" });
    const own = { id: channel.id, kind: channel.kind, name: channel.name };
    expect((await told()).slice(1)).toEqual([
      ["message.undelivered", { channel: own, message: of(dead.id), reason: "access_restricted" }],
      ["message.held", { channel: own, message: of(held.id), reason: "general" }],
      ["message.undelivered", { channel: own, message: of(held.id), reason: "general" }],
    ]);
    expect(JSON.stringify(await store.vendorEvents.list(99))).not.toContain(SECRET);
  });

  it("is nothing of what an erasure ends: what arrived and is owed its ack, waits, or is held", async () => {
    const made = await listening(engine);
    const { store, account, channel, told } = made;
    const [arrived, held] = await failing(made, "arrived", "held", "waiting");
    if (!arrived || !held) throw new Error("three jobs were accepted");
    const ack = { gatewayMessageId: "9" as GatewayMessageId };
    await store.outbox.done(arrived, {
      parts: [{ messengerMessageId: "w" as MessengerMessageId, holds: "text" }],
      ack,
    });
    await store.outbox.failed(held, { state: "held", unsure: 1 }, "perhaps");
    const before = await told();
    for (const name of ["arrived", "held", "waiting"]) {
      const person = { channelId: channel.id, chat: `chat-${name}` as ChatId };
      await store.erasure.customer(account.id, person, { actor: "account user", action: "customer erased" });
    }
    expect(await told()).toEqual(before);
  });

  it("is written for what an operator drops instead of deciding on it", async () => {
    const made = await listening(engine);
    const { store, told } = made;
    const [held] = await failing(made, "held");
    if (!held) throw new Error("a job was accepted");
    await store.outbox.failed(held, { state: "held", unsure: 1 }, "perhaps");
    await store.dead.drop(await store.dead.refs({ state: "held", limit: 9 }));
    expect((await told()).map(([type]) => type)).toEqual(["account.connected", "message.held", "message.undelivered"]);
  });

  it("is nothing of an act that fails in the middle: both are one transaction", async () => {
    const { store, account, channel, told } = await listening(engine);
    // The entry of the audit, which comes after the change, cannot be written.
    const by = { actor: "operator", action: "test", detail: { count: 1n as never } } as const;
    await expect(store.channels.setState(channel.id, "stopped", "it fails", { by })).rejects.toThrow("BigInt");
    expect((await store.channels.byId(account.id, channel.id))?.state).toBe("active");
    expect((await told()).map(([type]) => type)).toEqual(["account.connected"]);
  });

  it("is nothing while nobody listens, and begins and ends with the listener", async () => {
    const { store, account, channel } = await oneChannelOn(engine);
    await store.channels.setTrouble(channel.id, "one");
    await store.vendorEvents.report("ledger.hole", account.id, {});
    expect(await store.vendorEvents.list(9)).toEqual([]);
    await store.vendorEvents.listen(true);
    await store.vendorEvents.listen(true);
    await store.channels.setTrouble(channel.id, undefined);
    await store.vendorEvents.report("ledger.hole", account.id, { hole: 1 });
    await store.vendorEvents.report("ledger.hole", "nobody", { hole: 1 });
    expect((await store.vendorEvents.list(9)).map(({ type }) => type)).toEqual(["ledger.hole", "channel.recovered"]);
    await store.vendorEvents.listen(false);
    await store.channels.setTrouble(channel.id, "another");
    expect(await store.vendorEvents.list(9)).toHaveLength(2);
  });

  it("goes with its account when that is erased", async () => {
    const { store, account } = await listening(engine);
    await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1);
    expect(await store.vendorEvents.list(9)).toHaveLength(2);
    await store.erasure.account(account.id, { actor: "operator", action: "erased" });
    expect(await store.vendorEvents.list(9)).toEqual([]);
  });

  it("names every kind of message that counts, as the migration writes it", async () => {
    expect([...MESSAGE_KINDS].sort()).toEqual(["deleted", "edited", "message"]);
    expect(EVENT_TYPES).toHaveLength(new Set(EVENT_TYPES).size);
  });
});

describe.each(ENGINES)("events on $name", (engine) => {
  it("come first to last, stay first while they fail, and end once", async () => {
    const { store, channel, clock } = await oneChannelOn(engine);
    const { vendorEvents: events } = store;
    await events.listen(true);
    for (const trouble of ["one", undefined, "two"]) await store.channels.setTrouble(channel.id, trouble);
    const first = await events.next();
    if (!first) throw new Error("an event is due");
    expect([await events.isDue(), await events.figures()]).toEqual([true, { due: 3, oldestAt: first.createdAt }]);
    await events.failed(first.id, "answered 500", clock.now() + 1_000);
    expect(await events.next()).toMatchObject({ id: first.id, uid: first.uid, attempts: 1, error: "answered 500" });
    clock.setBack(3_600_000);
    expect(await events.isDue(), "although the clock was put back").toBe(true);
    await events.delivered(first.id);
    await events.failed(first.id, "late", 5);
    const second = await events.next();
    expect(second?.id).toBeGreaterThan(first.id);
    await events.givenUp(second?.id ?? 0, "answered 410");
    expect((await events.list(9)).map(({ state, attempts, error }) => [state, attempts, error])).toEqual([
      ["due", 0, undefined],
      ["given up", 1, "answered 410"],
      ["delivered", 2, undefined],
    ]);
  });

  it("that have ended are swept after a week, others ten days after they were written", async () => {
    // The engines write their own time.
    const { store, channel, clock } = await oneChannelOn(engine, { clock: handClock(Date.now()) });
    const { vendorEvents: events } = store;
    await events.listen(true);
    for (const trouble of ["one", undefined]) await store.channels.setTrouble(channel.id, trouble);
    await events.delivered((await events.next())?.id ?? 0);
    const sweep = () => store.retention.sweep("events", clock.now() - 7 * 86_400_000, new Map(), 0);
    expect((await sweep()).deleted).toBe(0);
    clock.leap(7.5 * 86_400_000);
    expect((await sweep()).deleted).toBe(1);
    expect((await events.list(9)).map(({ state }) => state)).toEqual(["due"]);
    clock.leap(3 * 86_400_000);
    expect((await sweep()).deleted).toBe(1);
  });
});
