import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import { NO_PROXIES } from "../../src/domain/proxies.ts";
import { handClock } from "../support/clock.ts";
import { readRows } from "../support/engine.ts";
import { customerSays } from "../support/events.ts";
import { silentLog } from "../support/log.ts";
import { configOf, OWN } from "../support/site.ts";
import { addAccount, addChannel, storeIn, temporaryFolder } from "../support/store.ts";

it("a start that fails after the relay has begun stops it before reporting", async () => {
  const hand = handClock();
  const folder = temporaryFolder();
  const store = await storeIn(folder, hand);
  const account = await addAccount(store);
  await store.outbox.acceptInbound(await addChannel(store, account, "webchat"), { events: [customerSays("hello")] });
  await store.close();
  // Fails the last step of a start, recognised by its timer.
  const clock: Clock = {
    now: hand.now,
    monotonic: hand.monotonic,
    after(ms, run) {
      if (ms === 300_000) throw new Error("no more timers");
      return hand.after(ms, run);
    },
  };
  let calls = 0;
  const app = await createApp(await configOf(folder), {
    log: silentLog,
    clock,
    call: async () => {
      calls += 1;
      return { type: "failure", sent: "no", reason: "refused", detail: "test" };
    },
  });
  onTestFinished(app.close);
  let [said, callsByThen] = ["", 0];
  app.start().catch((error) => {
    said = String(error);
    callsByThen = calls;
  });
  await hand.forward(10_000);
  expect(said).toBe("Error: no more timers");
  expect((await app.fetch(new Request(`${OWN}/health/ready`), {})).status).toBe(503);
  await hand.forward(60_000);
  expect(calls).toBe(callsByThen);
});

it.each<[string, Partial<Config>, number]>([
  ["if unset", { trustedProxies: undefined }, 1],
  ["not if set to none", { trustedProxies: NO_PROXIES }, 0],
  ["not for a public http address", { trustedProxies: undefined, publicUrl: "http://own.example" }, 0],
])("a start warns about TRUSTED_PROXIES %s", async (_, change, count) => {
  const warned: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void warned.push(event) };
  const call: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "test" });
  const app = await createApp({ ...(await configOf(temporaryFolder())), ...change }, { log, call });
  await app.close();
  expect(warned.filter((event) => event === "proxies.not-set")).toHaveLength(count);
});

it("a start asks every account's CRM whether the module is still active", async () => {
  const hand = handClock();
  const folder = temporaryFolder();
  const store = await storeIn(folder, hand);
  await addAccount(store);
  await store.close();
  const integrationModule = { code: "gangway", active: true, freeze: true };
  const bytes = Buffer.from(JSON.stringify({ success: true, integrationModule }));
  const call: Call = async () => ({ type: "answer", status: 200, headers: {}, bytes });
  const app = await createApp(await configOf(folder), { log: silentLog, clock: hand, call });
  onTestFinished(async () => {
    await app.drain();
    await app.close();
  });
  const started = app.start();
  await hand.forward(1_000);
  await started;
  expect((await readRows(folder, ["account"])).account).toMatchObject([{ active: 1, frozen: 1 }]);
});

it("an account whose token was refused is probed again once the CRM reports its module active", async () => {
  const hand = handClock();
  const folder = temporaryFolder();
  const store = await storeIn(folder, hand);
  const { id } = await addAccount(store);
  await store.accounts.setTrouble(id, { text: "no", restUntil: hand.now() + 3_600_000 });
  await store.accounts.setActivity(id, { active: true, frozen: true }, 60_000);
  await store.close();
  const integrationModule = { code: "gangway", active: true, freeze: false };
  const module = JSON.stringify({ success: true, integrationModule });
  const call: Call = async ({ url }) => {
    // The CRM answers later than a restart's own probe.
    if (!url.includes("/channels")) await pause(hand, 5_000);
    return { type: "answer", status: 200, headers: {}, bytes: Buffer.from(url.includes("/channels") ? "[]" : module) };
  };
  const app = await createApp(await configOf(folder), { log: silentLog, clock: hand, call });
  onTestFinished(async () => {
    await app.drain();
    await app.close();
  });
  const started = app.start();
  await hand.forward(30_000);
  await started;
  expect((await readRows(folder, ["account"])).account).toMatchObject([{ frozen: 0, trouble: null }]);
});
