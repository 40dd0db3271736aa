import { describe, expect, it } from "vitest";
import { createConfirmation } from "../../../../src/module/connecting/confirmation.ts";
import { createRegisterAgain } from "../../../../src/module/connecting/connect.ts";
import { handClock } from "../../../support/clock.ts";
import { writeRows } from "../../../support/engine.ts";
import { silentLog } from "../../../support/log.ts";
import { config, moduleWorld, registered, says } from "../world.ts";

const EDIT = "POST /api/v5/integration-modules/gangway/edit";
const READ = "GET /api/v5/integration-modules/gangway";
const VISITS = { visits: "/actions/visits", online: "/actions/online" };

/** An account of a version whose registration had no such actions. */
async function upgraded() {
  const world = await moduleWorld();
  const account = await world.join();
  await writeRows(world.folder, "UPDATE account SET registered = NULL");
  const parts = { ...world, config, log: silentLog };
  const working = createRegisterAgain({ ...parts, offers: { siteVisits: true } });
  const confirmation = createConfirmation({ ...parts, clock: handClock(), activated: () => {}, working });
  const ask = () => confirmation.ask(account.id, { active: true, frozen: false });
  world.bodies.length = 0;
  const edits = () => world.bodies.filter(({ route }) => route === EDIT);
  return { ...world, account, ask, edits };
}
const moduleIn = ({ text }: { text: string }) => JSON.parse(new URLSearchParams(text).get("integrationModule") ?? "");

describe("a module that the CRM knows without its present actions", () => {
  it("is registered with them once, when the CRM has said that it works", async () => {
    const site = await upgraded();
    await site.ask();
    await site.ask();
    expect(site.edits()).toHaveLength(1);
    const { clientId, active, integrations } = moduleIn(site.edits()[0] as { text: string });
    expect([clientId, active, integrations.mgTransport.actions]).toEqual([site.account.clientId, true, VISITS]);
  });

  it.each([
    ["switched off", { active: false, freeze: false }],
    ["frozen", { active: true, freeze: true }],
  ])("is left alone while it is %s, since registering would switch it on", async (_, state) => {
    const site = await upgraded();
    site.answers.set(READ, says(200, { success: true, integrationModule: { code: "gangway", ...state } }));
    await site.ask();
    expect(site.edits()).toEqual([]);
  });

  it("is registered by a later answer if the CRM refuses, and the callback does not fail", async () => {
    const site = await upgraded();
    site.answers.set(EDIT, says(402, { success: false, errorMsg: "no money" }));
    await site.ask();
    site.answers.set(EDIT, says(200, registered("token-1")));
    await site.ask();
    expect(site.edits()).toHaveLength(2);
    expect((await site.store.accounts.byId(site.account.id))?.registered).toContain("visits");
  });
});
