import { describe, expect, it } from "vitest";
import { activity } from "../../src/module/activity.ts";
import { moduleWorld, says } from "./world.ts";

const READ = "GET /api/v5/integration-modules/gangway";
const crmSays = (active: boolean, freeze = false) =>
  says(200, { success: true, integrationModule: { active, freeze } });

async function setUp() {
  const world = await moduleWorld();
  const account = await world.join();
  const activated: string[] = [];
  const post = activity({ ...world, activated: ({ id }) => activated.push(id) });
  const send = (fields: Record<string, string>) => post(new URLSearchParams({ clientId: account.clientId, ...fields }));
  const state = async () => {
    const now = await world.store.accounts.byId(account.id);
    return [now?.active, now?.frozen];
  };
  world.calls.length = 0;
  return { ...world, account, activated, send, post, state };
}
const json = (value: object) => ({ activity: JSON.stringify(value) });

describe("the activity callback", () => {
  it.each([
    ["JSON", json({ active: false, freeze: false }), [false, false]],
    ["JSON of texts", json({ active: "1", freeze: "true" }), [true, true]],
    ["JSON of numbers", json({ active: 0, freeze: 1 }), [false, true]],
    ["JSON without a freeze", json({ active: false }), [false, false]],
    ["JSON with a null", json({ active: true, freeze: null }), [true, false]],
    ["brackets", { "activity[active]": "0", "activity[freeze]": "0" }, [false, false]],
    ["brackets with words", { "activity[active]": "true", "activity[freeze]": "true" }, [true, true]],
    ["brackets without a freeze", { "activity[active]": "0" }, [false, false]],
    ["an empty bracket", { "activity[active]": "", "activity[freeze]": "" }, [false, false]],
  ])("is read from %s; out of reach, the CRM leaves only its word", async (_, fields, state) => {
    const site = await setUp();
    site.answers.set(READ, says(503));
    expect(await site.send(fields)).toEqual({ success: true });
    expect(await site.state()).toEqual(state);
  });

  it.each([
    ["no JSON", { activity: "{" }],
    ["a list", { activity: "[]" }],
    ["nothing", {}],
    ["another word", { "activity[active]": "perhaps" }],
    ["no active", json({ freeze: true })],
  ])("changes nothing and asks nobody for %s", async (_, fields) => {
    const site = await setUp();
    expect(await site.send(fields as Record<string, string>)).toEqual({ success: false });
    expect(await site.state()).toEqual([true, false]);
    expect(site.calls).toEqual([]);
  });

  it("tells a stranger exactly what it tells of a broken form", async () => {
    const site = await setUp();
    const stranger = await site.post(
      new URLSearchParams({ clientId: "guess", ...json({ active: false, freeze: false }) }),
    );
    expect(stranger).toEqual(await site.send({ activity: "{" }));
    expect(await site.post(new URLSearchParams())).toEqual(stranger);
    expect(site.calls).toEqual([]);
  });

  it("believes the CRM at the stored address with the stored key, whatever else is posted", async () => {
    const site = await setUp();
    site.bodies.length = 0;
    await site.send({
      ...json({ active: false, freeze: true, mg_url: "https://evil.example" }),
      systemUrl: "https://evil.example",
      mgUrl: "https://evil.example",
      accountId: "x",
    });
    expect(site.bodies).toEqual([{ route: READ, text: "", key: site.account.apiKey }]);
    expect(await site.store.accounts.byId(site.account.id)).toEqual(site.account);
  });

  it("starts what waited when the module is switched on, and only then", async () => {
    const site = await setUp();
    site.answers.set(READ, crmSays(false));
    await site.send(json({ active: false }));
    site.answers.set(READ, crmSays(true, true));
    await site.send(json({ active: true }));
    expect(site.activated).toEqual([]);
    site.answers.set(READ, crmSays(true));
    await site.send(json({ active: true }));
    expect(site.activated).toEqual([site.account.id]);
  });

  it("keeps the order of two switches, although the first answer of the CRM is slow", async () => {
    const site = await setUp();
    let first = true;
    site.answers.set(READ, async (request) => {
      const active = !first;
      first = false;
      if (!active) await new Promise((resolve) => setTimeout(resolve, 50));
      return crmSays(active)(request);
    });
    await Promise.all([site.send(json({ active: false })), site.send(json({ active: true }))]);
    expect(await site.state()).toEqual([true, false]);
  });
});
