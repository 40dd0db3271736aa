import { describe, expect, it } from "vitest";
import { handClock } from "../../../support/clock.ts";
import { moduleWorld, SHOP, says } from "../world.ts";

const INFO = "GET /api/system-info";
const VERSIONS = "GET /api/api-versions";
const RIGHTS = "GET /api/credentials";
const READ_ONLY = ["integration_read", "settings_read"];

/** A CRM that says where it is. */
async function setUp() {
  const world = await moduleWorld();
  world.answers.set(INFO, says(200, { success: true, publicUrl: SHOP, technicalUrl: SHOP }));
  const keysSent = () => world.bodies.flatMap(({ key }) => key ?? []);
  return { ...world, keysSent };
}

describe("a check of the form while it is filled", () => {
  it("of an address asks there without a key, and says that a CRM has answered", async () => {
    const world = await setUp();
    expect(await world.checkForm({ crmUrl: "shop.retailcrm.ru/admin/integration", apiKey: " " })).toEqual({
      crmUrl: SHOP,
    });
    expect(world.calls).toEqual([INFO]);
    expect(world.keysSent()).toEqual([]);
  });

  it("of a key reads version and rights, and posts and stores nothing", async () => {
    const world = await setUp();
    world.answers.set(RIGHTS, says(200, { success: true, scopes: [...READ_ONLY, "integration_write"] }));
    expect(await world.checkForm()).toEqual({
      crmUrl: SHOP,
      rights: [
        { scope: "integration_read", required: true, given: true },
        { scope: "integration_write", required: true, given: true },
        { scope: "settings_read", required: false, given: true },
        { scope: "notification_write", required: false, given: false },
      ],
    });
    expect(world.calls).toEqual([INFO, VERSIONS, RIGHTS]);
    expect(await world.store.accounts.list()).toEqual([]);
    expect(world.connected).toEqual([]);
  });

  it("tells each right of a key that lacks one", async () => {
    const world = await setUp();
    world.answers.set(RIGHTS, says(200, { success: true, scopes: READ_ONLY }));
    const { fault, rights } = await world.checkForm();
    expect(fault).toMatchObject({ code: "rights", missing: ["integration_write"] });
    expect(rights?.map(({ given }) => given)).toEqual([true, false, true, false]);
  });

  it.each([
    ["no address at all", { crmUrl: "?" }, undefined, "address-form", 0],
    ["a host that is not served", { crmUrl: "https://evil.example" }, undefined, "address-host", 0],
    ["a site that is no CRM", {}, () => new Response("<html>shop"), "not-a-crm", 1],
    [
      "a CRM without this account",
      {},
      says(400, { success: false, errorMsg: "Account does not exist." }),
      "no-account",
      1,
    ],
    ["a CRM that is down", {}, says(500), "unreachable", 1],
  ])("sends the key to no address that is none of a CRM: %s", async (_, form, answer, code, calls) => {
    const world = await setUp();
    if (answer) world.answers.set(INFO, answer);
    const checked = await world.checkForm(form);
    expect(checked).toMatchObject({ fault: { code } });
    expect(checked.crmUrl).toBeUndefined();
    expect(world.calls).toHaveLength(calls);
    expect(world.keysSent()).toEqual([]);
  });

  it("knows a CRM that is too old to say where it is by the shape of its refusal", async () => {
    const world = await setUp();
    world.answers.set(INFO, says(404, { success: false, errorMsg: "API method not found" }));
    expect(await world.checkForm()).toMatchObject({ crmUrl: SHOP, rights: expect.any(Array) });
  });

  it("answers for a connected account as for any other", async () => {
    const world = await setUp();
    const [before, wrong] = [await world.checkForm(), { apiKey: "wrong" }];
    await world.join();
    expect(await world.checkForm()).toEqual(before);
    world.answers.set(VERSIONS, says(403, { success: false, errorMsg: 'Wrong "apiKey" value.' }));
    expect(await world.checkForm(wrong)).toEqual({
      crmUrl: SHOP,
      fault: { code: "wrong-key", detail: 'Wrong "apiKey" value.' },
    });
  });

  it("ends with its asker: nothing more is called", async () => {
    const world = await setUp();
    const asker = new AbortController();
    world.answers.set(INFO, () => {
      asker.abort();
      return says(200, { success: true })(new Request(SHOP));
    });
    await world.checkForm({}, asker.signal);
    expect(world.calls).toEqual([INFO]);
  });

  it("that still waits for its turn ends with its asker, too", async () => {
    const clock = handClock();
    const world = await moduleWorld({}, clock);
    const asker = new AbortController();
    const checks = Array.from({ length: 30 }, () => world.checkForm({ apiKey: "" }, asker.signal));
    await clock.forward(0);
    const begun = world.calls.length;
    expect(begun).toBeLessThan(30);
    asker.abort();
    await Promise.all(checks);
    expect(world.calls).toHaveLength(begun);
  });
});
