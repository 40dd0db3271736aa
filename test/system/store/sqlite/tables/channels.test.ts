import { expect, it } from "vitest";
import { oneChannel } from "../../../../support/store.ts";

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

it("keeps the objects of other channels when one is written, since opening their secrets costs time", async () => {
  const { store, clock, account, channel } = await oneChannel();
  const added = await store.channels.add(account.id, { kind: "toy", name: "Second", settings: {} });
  const both = () => Promise.all([store.channels.ofJob(channel.id), store.channels.ofJob(added.id)]);
  const [first, second] = await both();
  await store.channels.setTrouble(added.id, "no answer");
  const [kept, changed] = await both();
  expect(kept).toBe(first);
  expect(changed).toEqual({ ...second, trouble: "no answer", troubleAt: clock.now() });
  expect(await store.channels.list(account.id)).toEqual(expect.arrayContaining([kept, changed]));
});
