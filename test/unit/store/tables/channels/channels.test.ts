import { describe, expect, it } from "vitest";
import type { GatewayChannelId } from "../../../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";

describe.each(ENGINES)("a channel, on $name,", (engine) => {
  it("is found by whatever names it, by its own account only", async () => {
    const { store, account, channel } = await oneChannelOn(engine);
    const other = await addAccount(store, "other");
    await store.channels.reserveIdentity(channel.id, "toy:1", "https://toy.example/1");
    const found = { ...channel, identity: "toy:1", link: "https://toy.example/1" };
    const gatewayId = channel.gatewayChannelId as GatewayChannelId;
    expect(await store.channels.ofJob(channel.id)).toEqual(found);
    expect(await store.channels.byId(account.id, channel.id)).toEqual(found);
    expect(await store.channels.byDoor(channel.door)).toEqual(found);
    expect(await store.channels.byIdentity("toy:1")).toEqual(found);
    expect(await store.channels.byGatewayId(account.id, gatewayId)).toEqual(found);
    expect(await store.channels.list(account.id)).toEqual([found]);
    expect(await store.channels.byId(other.id, channel.id)).toBeUndefined();
    expect(await store.channels.byGatewayId(other.id, gatewayId)).toBeUndefined();
    expect(await store.channels.list(other.id)).toEqual([]);
  });

  it("knows since when it is stopped, or has its trouble, whatever becomes known of it meanwhile", async () => {
    const { store, clock, account, channel } = await oneChannelOn(engine);
    const start = clock.now();
    const since = async () => {
      const at = (await store.channels.byId(account.id, channel.id))?.troubleAt;
      return at === undefined ? undefined : at - start;
    };
    const passes = () => clock.leap(1_000);
    expect(await since()).toBeUndefined();
    await store.channels.setTrouble(channel.id, "the webhook is gone");
    passes();
    await store.channels.setTrouble(channel.id, "the webhook is gone: 404");
    expect(await since()).toBe(0);
    await store.channels.setState(channel.id, "stopped", "the token is dead");
    passes();
    await store.channels.setState(channel.id, "stopped", "the token is dead");
    await store.channels.change(channel.id, { name: "Other", settings: {} });
    expect(await since()).toBe(1_000);
    await store.channels.setState(channel.id, "active");
    expect(await since()).toBeUndefined();
    await store.channels.setTrouble(channel.id, "the webhook is gone");
    await store.channels.setState(channel.id, "paused", "the webhook is gone");
    expect(await since()).toBe(2_000);
    await store.channels.setState(channel.id, "active");
    expect(await since()).toBeUndefined();
  });

  it("that does not open fails alone, and on access only", async () => {
    const { store, account, channel, rows, change } = await oneChannelOn(engine);
    expect(JSON.stringify(await rows("channel"))).not.toContain(channel.door);
    await change("UPDATE channel SET settings_sealed = 'v1.test.bent.bent'");
    const [found] = await store.channels.list(account.id);
    expect(found?.door).toBe(channel.door);
    expect(() => found?.settings).toThrow("channel.settings");
  });

  it("is listed as it is after each change, oldest first, and no more once it is removed", async () => {
    const { store, clock, account, channel } = await oneChannelOn(engine);
    const names = async () => (await store.channels.list(account.id)).map(({ name }) => name);
    clock.leap(1);
    const added = await store.channels.add(account.id, { kind: "toy", name: "Second", settings: { a: ["ß"] } });
    expect(await names()).toEqual(["Toy", "Second"]);
    await store.channels.change(channel.id, { name: "First", settings: { b: 1 }, unsure: "hold" });
    expect(await names()).toEqual(["First", "Second"]);
    const changed = { settings: { b: 1 }, unsure: "hold", epoch: channel.epoch + 1 };
    expect(await store.channels.ofJob(channel.id)).toMatchObject(changed);
    await store.channels.setState(added.id, "removed");
    expect(await names()).toEqual(["First"]);
    expect(await store.channels.ofJob(added.id)).toBeUndefined();
    expect(await store.channels.byDoor(added.door)).toBeUndefined();
  });

  it("has the row of its adding in lists, also of several within one millisecond", async () => {
    const { store, account } = await oneChannelOn(engine);
    const names = ["c", "a", "e", "b", "d", "g", "f"];
    for (const name of names) await store.channels.add(account.id, { kind: "toy", name, settings: {} });
    expect((await store.channels.list(account.id)).map(({ name }) => name)).toEqual(["Toy", ...names]);
  });

  it("keeps its trouble until it is reported, and old credentials set none on new ones", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const unreported = async () => (await store.channels.unreported(9)).map(({ id, trouble }) => [id, trouble]);
    await store.channels.setTrouble(channel.id, "no answer", channel.epoch + 1);
    expect(await unreported()).toEqual([]);
    await store.channels.setTrouble(channel.id, "no answer", channel.epoch);
    expect(await unreported()).toEqual([[channel.id, "no answer"]]);
    await store.channels.setReported(channel.id, "no answer");
    expect(await unreported()).toEqual([]);
    await store.channels.setTrouble(channel.id, undefined);
    expect(await unreported()).toEqual([[channel.id, undefined]]);
  });

  it("is found by its groups while the login is its own, and not after it has left, lost it or was removed", async () => {
    const { store, account, channel } = await oneChannelOn(engine);
    const { id } = await addChannel(store, account);
    const members = async (group = "g") => (await store.channels.inGroup(group)).map((each) => each.id).sort();
    for (const each of [channel.id, id]) await store.channels.setGroups(each, ["g", `of ${each}`]);
    expect(await members()).toEqual([]);
    await store.channels.reserveIdentity(channel.id, "toy:1");
    await store.channels.reserveIdentity(id, "toy:2");
    expect(await members()).toEqual([channel.id, id].sort());
    expect([await members(`of ${id}`), await members("other")]).toEqual([[id], []]);
    await store.channels.setGroups(channel.id, []);
    expect(await members()).toEqual([id]);
    await store.channels.setState(id, "removed");
    expect(await members()).toEqual([]);
  });
});
