import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../src/domain/account.ts";
import type { Channel } from "../../../src/domain/channel.ts";
import type { AccountId, JobId } from "../../../src/domain/ids.ts";
import type { OutboundAct } from "../../../src/domain/message.ts";
import { createFeeds } from "../../../src/relay/sessions/feeds.ts";
import type { Store } from "../../../src/store/store.ts";
import { handClock } from "../../support/clock.ts";
import { forgetDead, writeRows } from "../../support/engine.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease, temporaryFolder, temporaryStore } from "../../support/store.ts";
import { working } from "../../support/worker.ts";

async function shops(count: number) {
  const clock = handClock();
  const folder = temporaryFolder();
  const store = await temporaryStore(clock, folder);
  const tenant = async (name: string) => {
    const account = await addAccount(store, name);
    return { account, channel: await addChannel(store, account) };
  };
  const tenants = await Promise.all(Array.from({ length: count }, (_, n) => tenant(`shop${n}`)));
  return { clock, folder, store, tenants };
}

/** A store that fails to read an account's hosts when the test says so. */
function failing(store: Store, fails: (id: AccountId) => boolean): Store {
  const hosts = (id: AccountId) => {
    if (fails(id)) throw new Error("disk I/O error");
    return store.outbox.hosts(id);
  };
  return { ...store, outbox: { ...store.outbox, hosts } };
}

async function relaying(store: Store, clock: ReturnType<typeof handClock>) {
  const done: AccountId[] = [];
  const warned: object[] = [];
  const log = { ...silentLog, warn: (_: string, fields?: object) => void warned.push(fields ?? {}) };
  const perform = async ({ accountId }: { accountId: AccountId }) => {
    done.push(accountId);
    return {};
  };
  const { worker } = await working({ store, clock, log, perform });
  const ask = async (store: Store, { account, channel }: { account: Account; channel: Channel }) => {
    await store.outbox.acceptInbound(channel, { events: [customerSays("hello")] });
    worker.wake(account.id);
  };
  return { done, warned, ask };
}
const ids = (tenants: { account: Account }[]) => tenants.map(({ account }) => account.id).sort();
describe("an account whose hosts cannot be read", () => {
  it.each([
    ["once", 1],
    ["always", Number.POSITIVE_INFINITY],
  ])("%s delays neither itself nor others", async (_, times) => {
    const { clock, store, tenants } = await shops(3);
    const [bad] = ids(tenants);
    let faults = 0;
    const { done, ask } = await relaying(
      failing(store, (id) => id === bad && ++faults <= times),
      clock,
    );
    for (const tenant of tenants) await ask(store, tenant);
    await clock.forward(100);
    expect(faults).toBeGreaterThan(0);
    expect(done.sort()).toEqual(ids(tenants));
  });
});

describe("a sealed value that does not open", () => {
  const spoil = (table: string, column: string) =>
    `UPDATE ${table} SET ${column} = substr(${column}, 1, length(${column}) - 4) || 'AAAA' WHERE id = ?`;

  /** As after a restart: nothing opened before is cached. */
  async function restarted(table: string, column: string) {
    const { clock, folder, store, tenants } = await shops(2);
    const [bad, well] = tenants;
    if (!bad || !well) throw new Error("there are two");
    const other = await addChannel(store, bad.account);
    store.close();
    await writeRows(folder, spoil(table, column), table === "channel" ? bad.channel.id : bad.account.id);
    const again = await temporaryStore(clock, folder);
    const { done, ask } = await relaying(again, clock);
    const started: string[] = [];
    const of = ({ id, settings }: Channel) => {
      const run = async () => void started.push(id);
      return { feed: settings ? { run } : undefined };
    };
    const feeds = createFeeds({
      ...{ store: again, clock, log: silentLog },
      sessions: { of, peek: of } as never,
      acceptInbound: async () => {},
      random: () => 0.5,
    });
    await feeds.start();
    await clock.forward(1);
    await feeds.stop();
    return { clock, store: again, bad, well, other, done, ask, started };
  }

  it.each([
    ["channel", "settings_sealed"],
    ["channel", "door_sealed"],
    ["account", "gateway_token_sealed"],
  ])("of one %s (%s) does not keep anything else from starting", async (table, column) => {
    const { clock, store, bad, well, other, done, ask, started } = await restarted(table, column);
    for (const tenant of [bad, well, { ...bad, channel: other }]) await ask(store, tenant);
    await clock.forward(60_000);
    expect(new Set(done)).toEqual(new Set([bad.account.id, well.account.id]));
    expect(started).toEqual(expect.arrayContaining([well.channel.id, other.id]));
    expect(started.includes(bad.channel.id)).toBe(column !== "settings_sealed");
  });

  it("throws when it is read, and only then", async () => {
    const { store, bad } = await restarted("channel", "settings_sealed");
    const [channel] = (await store.channels.list(bad.account.id)).filter(({ id }) => id === bad.channel.id);
    expect(channel).toMatchObject({ kind: "toy", state: "active", door: bad.channel.door });
    expect(() => channel?.settings).toThrow("channel.settings");
  });
});

describe("an unreadable job", () => {
  const BROKEN = `UPDATE message SET payload = substr(payload, 1, 20) WHERE id = (SELECT min(id) FROM message)`;

  async function damaged() {
    const { clock, folder, store, tenants } = await shops(1);
    const [shop] = tenants;
    if (!shop) throw new Error("there is one");
    const { account, channel } = shop;
    const say = (id: string, more: object = {}) =>
      store.outbox.acceptInbound(channel, { events: [{ ...customerSays(id), ...more } as ChannelEvent] });
    const line = async () => (await store.ledger(account.id)).map(({ hole, refused }) => ({ hole, refused }));
    return { clock, folder, store, account, channel, say, line };
  }

  it.each([
    ["cut off", BROKEN],
    ["without a task", "UPDATE message SET payload = '{}' WHERE id = (SELECT min(id) FROM message)"],
  ])("%s ends as undelivered when it is due, and lets the next in its chat go", async (_, damage) => {
    const { clock, folder, store, account, say, line } = await damaged();
    await say("broken");
    await say("well");
    await writeRows(folder, damage);
    const { done } = await relaying(store, clock);
    await clock.forward(1_000);
    expect(done).toEqual([account.id]);
    const [letter] = await store.outbox.ended(account.id, 9);
    expect(letter).toMatchObject({ state: "dead", error: expect.stringContaining("cannot be read") });
    expect(await store.outbox.sendAgain(account.id, letter?.id as JobId, 1_000)).toBe(false);
    expect(await line()).toEqual([{ hole: 0, refused: 1 }]);
  });

  it("that was under way when the process ended does not keep the next one from starting", async () => {
    const { clock, folder, store, account, say, line } = await damaged();
    await say("broken");
    await say("well");
    await store.outbox.claim(await takeLease(store, account.id, "the one before"), roomFor(1));
    await forgetDead(folder);
    await writeRows(folder, BROKEN);
    const { done } = await relaying(store, clock);
    await clock.forward(60_000);
    expect([done, await line()]).toEqual([[account.id], [{ hole: 0, refused: 1 }]]);
  });

  it("is swept with the others after its deadline", async () => {
    const { clock, folder, store, channel, account, line } = await damaged();
    for (const id of ["1", "2"])
      await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id), patienceMs: 1_000 });
    await writeRows(folder, BROKEN);
    await clock.forward(2_000);
    const acked: string[] = [];
    const toTold = (act: OutboundAct) => {
      acked.push("gatewayMessageId" in act ? act.gatewayMessageId : "");
      return {};
    };
    expect(await store.outbox.endOverdue(toTold)).toBe(2);
    expect([acked, await line()]).toEqual([["2"], [{ hole: 0, refused: 2 }]]);
    expect(await store.outbox.nextDue(account.id)).toEqual({ due: [] });
  });

  it("that waits for a person can be discarded, and nothing else", async () => {
    const { folder, store, account, channel, line } = await damaged();
    await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 1_000 });
    const [job] = await store.outbox.claim(await takeLease(store, account.id, "test"), roomFor(1));
    if (!job) throw new Error("nothing to hold");
    await store.outbox.failed(job, { state: "held", unsure: 1 }, "the line broke");
    await writeRows(folder, BROKEN);
    const how = { patienceMs: 1_000, text: () => "it arrived" };
    expect(await store.outbox.arrived(account.id, job.id, how)).toBe(false);
    expect(await store.outbox.givenUp(account.id, job.id)).toBe(true);
    expect(await line()).toEqual([{ hole: 0, refused: 1 }]);
  });

  it("takes no more parts of its album; they become messages of their own", async () => {
    const { clock, folder, store, account, say, line } = await damaged();
    await say("one", { album: "holiday" });
    await writeRows(folder, BROKEN);
    await say("two", { album: "holiday" });
    const { done } = await relaying(store, clock);
    await clock.forward(10_000);
    expect([done, await line()]).toEqual([[account.id], [{ hole: 0, refused: 1 }]]);
  });
});
