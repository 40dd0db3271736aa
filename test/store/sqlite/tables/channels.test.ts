import { expect, it } from "vitest";
import { changeRows } from "../../../support/rows.ts";
import { oneChannel } from "../../../support/store.ts";

it("keeps one object of a channel and of an account, whatever it is found by", async () => {
  const { store, account, channel } = await oneChannel();
  const found = await store.channels.ofJob(channel.id);
  expect(found).toBeDefined();
  expect(await store.channels.byId(account.id, channel.id)).toBe(found);
  expect(await store.channels.byDoor(channel.door)).toBe(found);
  expect(await store.channels.byGatewayId(account.id, channel.gatewayChannelId ?? ("" as never))).toBe(found);
  expect((await store.channels.list(account.id))[0]).toBe(found);
  const owner = await store.accounts.byId(account.id);
  expect(await store.accounts.byWebhookSecret(account.webhookSecret)).toBe(owner);
  expect(await store.accounts.byClientId(account.clientId)).toBe(owner);
  expect((await store.accounts.list())[0]).toBe(owner);
});

it("shows a channel to its own account only, however it became known", async () => {
  const { store, channel } = await oneChannel();
  await store.channels.ofJob(channel.id);
  expect(await store.channels.byId("another" as never, channel.id)).toBeUndefined();
});

it("throws for a value that does not open on access only", async () => {
  const { store, folder, account, channel } = await oneChannel();
  changeRows(folder, "UPDATE channel SET settings_sealed = 'v1.test.bent.bent'");
  changeRows(folder, "UPDATE account SET gateway_token_sealed = 'v1.test.bent.bent'");
  await new Promise(setImmediate);
  const [found] = await store.channels.list(account.id);
  expect(found?.door).toBe(channel.door);
  expect(() => found?.settings).toThrow("channel.settings");
  const owner = await store.accounts.byId(account.id);
  expect(owner?.apiKey).toBe(account.apiKey);
  expect(() => owner?.gatewayToken).toThrow("account.gateway_token");
});

it("forgets the list of an account's channels when one is added, changed or removed", async () => {
  const { store, account, channel } = await oneChannel();
  const names = async () => (await store.channels.list(account.id)).map(({ name }) => name).sort();
  expect(await names()).toEqual(["Toy"]);
  const added = await store.channels.add(account.id, { kind: "toy", name: "Second", settings: {} });
  expect(await names()).toEqual(["Second", "Toy"]);
  await store.channels.change(channel.id, { name: "First", settings: {} });
  expect(await names()).toEqual(["First", "Second"]);
  await store.channels.setState(added.id, "removed");
  expect(await names()).toEqual(["First"]);
});

it("keeps the objects of other channels when one is written, since opening their secrets costs time", async () => {
  const { store, account, channel } = await oneChannel();
  const added = await store.channels.add(account.id, { kind: "toy", name: "Second", settings: {} });
  const both = () => Promise.all([store.channels.ofJob(channel.id), store.channels.ofJob(added.id)]);
  const [first, second] = await both();
  await store.channels.setTrouble(added.id, "no answer");
  const [kept, changed] = await both();
  expect(kept).toBe(first);
  expect(changed).toEqual({ ...second, trouble: "no answer" });
  expect(await store.channels.list(account.id)).toEqual(expect.arrayContaining([kept, changed]));
});

it("finds the channels of a group whose login is theirs, and none that has left it, lost its login or was removed", async () => {
  const { store, account, channel } = await oneChannel();
  const { id } = await store.channels.add(account.id, { kind: "toy", name: "Second", settings: {} });
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
