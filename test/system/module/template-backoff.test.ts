import { DeliveryError } from "gangway-messenger/errors";
import { expect, it } from "vitest";
import type { Account } from "../../../src/domain/account.ts";
import type { Channel } from "../../../src/domain/channel.ts";
import { createTemplateSync, type TemplateSyncParts } from "../../../src/module/templates/templates.ts";
import { handClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";

/** One channel of one account; the messenger is away as long as `away`. */
function office() {
  const clock = handClock();
  const account = { id: "a", active: true, frozen: false } as unknown as Account;
  const channel = { id: "c", accountId: "a", state: "active", gatewayChannelId: 7 } as unknown as Channel;
  const state = { away: true, lists: 0 };
  const list = async () => {
    state.lists += 1;
    if (state.away) throw new DeliveryError({ type: "retry" }, "away");
    return [];
  };
  const parts = {
    store: {
      accounts: { byId: async () => account, byClientId: async () => account, list: async () => [account] },
      channels: { ofJob: async () => channel, list: async () => [channel] },
      notes: { get: async () => undefined, set: async () => {} },
    },
    sessions: { featuresOf: () => ({ templates: {} }), peek: () => ({ templates: { list } }) },
    creating: { settled: async () => {}, isNew: () => false },
    gatewayOf: () => ({ templates: { list: async () => [] } }),
    clock,
    log: silentLog,
  } as unknown as TemplateSyncParts;
  return { clock, state, channel, sync: createTemplateSync(parts) };
}

it("the CRM's button for templates is not put off by the wait after failed runs", async () => {
  const { clock, state, channel, sync } = office();
  sync.ask(channel.id);
  // Runs after 1 s, then after a minute, two, four, eight, sixteen: the next one is half an hour away.
  for (let minute = 0; minute < 32; minute++) await clock.forward(60_000);
  const before = state.lists;
  state.away = false;
  expect(before).toBeGreaterThan(4);
  expect(await sync.manual(new URLSearchParams({ clientId: "x" }))).toEqual({ success: true });
  await clock.forward(2_000);
  expect(state.lists).toBe(before + 1);
  // Whoever repeats the request causes no more than a run in ten seconds.
  for (let n = 0; n < 5; n++) await sync.manual(new URLSearchParams({ clientId: "x" }));
  await clock.forward(5_000);
  expect(state.lists).toBe(before + 1);
  await clock.forward(6_000);
  expect(state.lists).toBe(before + 2);
  await sync.stop();
});
