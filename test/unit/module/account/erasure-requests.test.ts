import type { CustomerId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import { createErasureRequests } from "../../../../src/module/account/erasure-requests.ts";
import { createHousekeeping } from "../../../../src/module/account/housekeeping.ts";
import { readRows } from "../../../support/engine.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel, RETAIN_DAYS } from "../../../support/store.ts";

const ANN = "ann4711" as CustomerId;

it("what a person asked for is done by housekeeping when the first try failed, or the process ended", async () => {
  const { store, folder, clock, channel } = await oneChannel();
  await store.outbox.acceptInbound(channel, { events: [customerSays("a", "hello", ANN)] });
  const busy = { ...store, erasure: { ...store.erasure, fulfil: () => Promise.reject(new Error("busy")) } };
  const warned: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void warned.push(event) };
  const code = await createErasureRequests({ store: busy, log }).ask("toy", ANN);
  await clock.forward(0);
  expect([warned, (await readRows(folder, ["message"])).message?.length]).toEqual([["erasure.not-done"], 1]);
  const config = { retainDays: RETAIN_DAYS, rawWebhookDays: 3, keepContents: true };
  await createHousekeeping({ config, store, clock, log }).round();
  expect((await createErasureRequests({ store, log }).state(code))?.doneAt).toBe(clock.now());
  expect((await readRows(folder, ["message"])).message).toEqual([]);
});
