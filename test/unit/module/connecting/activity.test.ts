import { describe, expect, it } from "vitest";
import { createActivity } from "../../../../src/module/connecting/activity.ts";
import type { Switches } from "../../../../src/module/connecting/confirmation.ts";
import { moduleWorld } from "../world.ts";

async function setUp() {
  const world = await moduleWorld();
  const account = await world.join();
  const asked: [string, Switches][] = [];
  const confirmation = { ask: async (...given: [string, Switches]) => void asked.push(given) };
  const post = createActivity({ store: world.store, confirmation, follow: async () => {} });
  const send = (fields: Record<string, string>) => post(new URLSearchParams({ clientId: account.clientId, ...fields }));
  return { account, asked, send, post };
}
const json = (value: object) => ({ activity: JSON.stringify(value) });

describe("the activity callback", () => {
  it.each([
    ["JSON", json({ active: false, freeze: false }), { active: false, frozen: false }],
    ["JSON of texts", json({ active: "1", freeze: "true" }), { active: true, frozen: true }],
    ["JSON of numbers", json({ active: 0, freeze: 1 }), { active: false, frozen: true }],
    ["JSON without a freeze", json({ active: false }), { active: false, frozen: false }],
    ["JSON with a null", json({ active: true, freeze: null }), { active: true, frozen: false }],
    ["brackets", { "activity[active]": "0", "activity[freeze]": "0" }, { active: false, frozen: false }],
    ["brackets with words", { "activity[active]": "true", "activity[freeze]": "true" }, { active: true, frozen: true }],
    ["brackets without a freeze", { "activity[active]": "0" }, { active: false, frozen: false }],
    ["an empty bracket", { "activity[active]": "", "activity[freeze]": "" }, { active: false, frozen: false }],
  ])("is read from %s, and confirmed with the CRM", async (_, fields, said) => {
    const site = await setUp();
    expect(await site.send(fields)).toEqual({ success: true });
    expect(site.asked).toEqual([[site.account.id, said]]);
  });

  it.each([
    ["no JSON", { activity: "{" }],
    ["a list", { activity: "[]" }],
    ["nothing", {}],
    ["another word", { "activity[active]": "perhaps" }],
    ["no active", json({ freeze: true })],
  ])("makes no call for %s", async (_, fields) => {
    const site = await setUp();
    expect(await site.send(fields as Record<string, string>)).toEqual({ success: false });
    expect(site.asked).toEqual([]);
  });

  it("gives a stranger the same answer as a broken form", async () => {
    const site = await setUp();
    const stranger = await site.post(
      new URLSearchParams({ clientId: "guess", ...json({ active: false, freeze: false }) }),
    );
    expect(stranger).toEqual(await site.send({ activity: "{" }));
    expect(await site.post(new URLSearchParams())).toEqual(stranger);
    expect(site.asked).toEqual([]);
  });
});
