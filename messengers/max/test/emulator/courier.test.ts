import { describe, expect, it } from "vitest";
import { connected, HOOK } from "./stage.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe("a webhook that is not answered with 200", () => {
  it("comes again every 30 to 60 seconds, with the same body", async () => {
    const { customers, dialog, state, bodies, clock, settled, emulator } = await connected();
    state.status = 503;
    await customers.says(dialog, { text: "hello" });
    for (let n = 0; n < 5; n++) {
      clock.jump(MINUTE_MS);
      await settled();
    }
    const tries = emulator.journal.entries().filter(({ kind }) => kind === "webhook");
    expect(tries.length).toBe(6);
    expect(new Set(tries.map(({ request }) => JSON.stringify(request))).size).toBe(1);
    state.status = 200;
    clock.jump(MINUTE_MS);
    await settled();
    expect(bodies).toMatchObject([{ update_type: "message_created", message: { body: { text: "hello" } } }]);
    expect(emulator.waiting()).toBe(0);
  });

  it("ends the subscription after eight hours, and updates wait for GET /updates", async () => {
    const { customers, dialog, state, clock, settled, call } = await connected();
    state.status = 500;
    await customers.says(dialog, { text: "lost" });
    for (let n = 0; n < 8 * 60 - 1; n++) {
      clock.jump(MINUTE_MS);
      await settled();
    }
    expect((await call("GET", "/subscriptions")).body.subscriptions).toHaveLength(1);
    clock.jump(2 * MINUTE_MS);
    await settled();
    clock.jump(2 * MINUTE_MS);
    await settled();
    expect((await call("GET", "/subscriptions")).body).toEqual({ subscriptions: [] });
    await customers.says(dialog, { text: "kept" });
    const { updates, marker } = (await call("GET", "/updates?timeout=0")).body;
    expect(updates).toMatchObject([{ message: { body: { text: "kept" } } }]);
    expect((await call("GET", "/updates?timeout=0")).body.updates).toHaveLength(1);
    expect((await call("GET", `/updates?timeout=0&marker=${marker}`)).body.updates).toEqual([]);
  });

  it("is not brought where a subscription has ended meanwhile", async () => {
    const { customers, dialog, state, clock, settled, call, bodies } = await connected();
    state.status = 500;
    await customers.says(dialog, { text: "hello" });
    await call("DELETE", `/subscriptions?url=${encodeURIComponent(HOOK)}`);
    state.status = 200;
    clock.jump(HOUR_MS);
    await settled();
    expect(bodies).toEqual([]);
  });
});

it("webhooks can be withheld and come twice, only what was asked for comes, and only with the secret", async () => {
  const { customers, dialog, emulator, bodies, clock, settled, call } = await connected({ random: () => 0.5 });
  emulator.switches.set({ withheld: 1 });
  await customers.says(dialog, { text: "one" });
  emulator.switches.set({ withheld: 0, duplicates: 1 });
  await customers.says(dialog, { text: "two" });
  clock.jump(MINUTE_MS);
  await settled();
  emulator.switches.set({ duplicates: 0 });
  await call("POST", "/subscriptions", { url: HOOK, secret: "a-secret_of-the-module", update_types: ["bot_started"] });
  await customers.says(dialog, { text: "three" });
  await customers.starts(dialog, "spring");
  expect(
    bodies.map(({ update_type, message }) => (message as { body: { text: string } })?.body.text ?? update_type),
  ).toEqual(["two", "two", "bot_started"]);
});

it("faults cut, delay and spoil webhooks", async () => {
  const { customers, dialog, emulator, bodies, clock, settled } = await connected();
  for (const fault of [{ drop: "before" as const }, { drop: "after" as const }, { status: 500 }])
    emulator.plans.plan({ operation: "webhook", ...fault });
  await customers.says(dialog, { text: "hello" });
  for (let n = 0; n < 3; n++) {
    clock.jump(MINUTE_MS);
    await settled();
  }
  // One whose answer was lost came twice.
  expect(bodies).toHaveLength(2);
});

it("plain http, and a secret that MAX does not take, are refused", async () => {
  const { call } = await connected();
  const subscribe = (body: object) => call("POST", "/subscriptions", body);
  expect(await subscribe({ url: "http://gangway.example/m/x" })).toMatchObject({ status: 400 });
  expect(await subscribe({ url: HOOK, secret: "four" })).toMatchObject({
    status: 400,
    body: { code: "proto.payload" },
  });
  expect(await subscribe({ url: "https://gangway.example/m/x", secret: "s".repeat(256) })).toMatchObject({
    status: 200,
  });
});
