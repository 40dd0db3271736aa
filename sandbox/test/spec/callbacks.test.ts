import { describe, expect, it } from "vitest";
import { account, type ModuleAnswer, module, moduleServer, until } from "./account.ts";

/** An account with a module whose server answers like this. */
async function called(answer?: ModuleAnswer, settings: object = {}) {
  const server = await moduleServer(answer);
  const own = account(settings);
  await own.edit(module({ baseUrl: `${server.url}/base/`, actions: { activity: "/on-off" } }));
  const toggle = (active: boolean) => own.json("POST", "/sandbox/activity", { code: "m", active, freeze: false });
  const listed = async () => (await own.json("GET", "/sandbox/callbacks")).body as unknown as Record<string, unknown>[];
  const activities = () =>
    server.received.map(({ text }) => JSON.parse(String(new URLSearchParams(text).get("activity"))).active);
  return { ...own, server, toggle, listed, activities };
}
const fails = (times: number) => {
  let left = times;
  return () => ({ success: left-- <= 0 });
};

describe("spec: Callbacks made by the service to a module", () => {
  it('"{integrationModule.baseUrl}/{integrationModule.actions.activity} … Called when the user enables or disables the module." / "The activity callback fires when the user enables or disables a module." / "The service calls back into a module at the module\'s own base address."', async () => {
    const { toggle, server, listed, activities, faults } = await called();
    expect((await toggle(false)).body).toEqual({ status: 200, answer: '{"success":true}' });
    const [received] = server.received;
    const fields = Object.fromEntries(new URLSearchParams(received?.text));
    expect([received?.path, fields]).toEqual([
      "/base/on-off",
      { clientId: "client-1", activity: '{"active":false,"freeze":false}', systemUrl: "http://sandbox" },
    ]);
    expect(await listed()).toMatchObject([
      { module: "m", action: "activity", state: "done", attempts: 1, status: 200 },
    ]);
    await toggle(true);
    expect(activities()).toEqual([false, true]);
    expect(faults()).toEqual([]);
  });

  it("a refusal is the module's last word", async () => {
    const { toggle, listed, jump, server, faults } = await called(fails(9));
    expect((await toggle(false)).body.answer).toBe('{"success":false}');
    await jump(60_000);
    expect(await listed()).toMatchObject([{ state: "refused", attempts: 1 }]);
    expect(server.received).toHaveLength(1);
    expect(faults()).toEqual([]);
  });

  it("an answer that breaks the contract is the call's end, and a fault", async () => {
    const { toggle, listed, faults } = await called(() => ({ ok: true }));
    await toggle(false);
    expect(await listed()).toMatchObject([{ state: "malformed", attempts: 1 }]);
    expect(faults()).toEqual(["answer: (body) must have required property 'success'"]);
  });

  it("a call without an answer is made again, until it has one", async () => {
    const { json, toggle, listed, activities } = await called();
    await json("POST", "/sandbox/faults", { operation: "onActivity", drop: "before", times: 2 });
    expect((await toggle(false)).body.status).toBe(0);
    await until(() => activities().length === 1);
    await until(async () => (await listed())[0]?.state === "done");
    expect(await listed()).toMatchObject([{ attempts: 3, status: 200 }]);
  });

  it("a call is given up when its patience is over", async () => {
    const { json, toggle, listed, wait, activities } = await called(undefined, { callbackRetryForMs: 5_000 });
    await json("POST", "/sandbox/faults", { operation: "onActivity", drop: "before", times: 99 });
    await toggle(false);
    expect(await listed()).toMatchObject([{ state: "waiting", attempts: 1 }]);
    wait(6_000);
    await until(async () => (await listed())[0]?.state === "unanswered");
    await json("DELETE", "/sandbox/faults");
    await toggle(true);
    expect(activities()).toEqual([true]);
  });

  it("a later call replaces one that waits: the module hears the last state alone", async () => {
    const { json, toggle, listed, activities } = await called();
    await json("POST", "/sandbox/faults", { operation: "onActivity", drop: "before" });
    await toggle(false);
    expect((await toggle(true)).body.status).toBe(200);
    expect(activities()).toEqual([true]);
    expect(await listed()).toMatchObject([
      { state: "dropped", attempts: 1 },
      { state: "done", attempts: 1 },
    ]);
  });

  it("changed settings are told as the API answers them, and again until the module answers", async () => {
    const own = await called();
    await own.edit(module({ baseUrl: own.server.url, actions: { settings: "/locale" } }));
    await own.json("POST", "/sandbox/faults", { operation: "onSettings", drop: "before" });
    const { status, body } = await own.json("POST", "/sandbox/language", { language: "es", timeZone: "Europe/Madrid" });
    expect([status, body]).toMatchObject([200, [{ status: 0 }]]);
    await until(async () => (await own.listed())[0]?.state === "done");
    expect(await own.listed()).toMatchObject([{ module: "m", action: "settings", attempts: 2, status: 200 }]);
    const [received] = own.server.received;
    const fields = Object.fromEntries(new URLSearchParams(received?.text));
    expect([received?.path, fields.clientId]).toEqual(["/locale", "client-1"]);
    const settings = JSON.parse(String(fields.settings));
    expect(settings).toEqual((await own.crm("GET", "/api/v5/settings")).body.settings);
    expect(settings).toMatchObject({ system_language: { value: "es" }, timezone: { value: "Europe/Madrid" } });
    expect(own.sandbox.calls.entries().map(({ operation, faults }) => [operation, faults])).toContainEqual([
      "onSettings",
      [],
    ]);
  });

  it("the account's page lists the calls", async () => {
    const { toggle, sandbox } = await called();
    await toggle(false);
    const page = await (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    expect(page).toMatch(/activity of m: .*done, attempts: 1, last answer: 200/);
  });
});
