import type { Call, CallResult } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { handClock } from "../../support/clock.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { readRows } from "../../support/engine.ts";
import { EVASIVE_ANSWERS, FOREIGN_ANSWERS } from "../../support/foreign-answers.ts";
import { LONG } from "../../support/long.ts";
import { CRM, runningSite } from "../../support/site.ts";

/** A server whose CRM answers `first` more calls; then `foreign` replaces every answer. */
async function setUp() {
  const clock = handClock();
  const way: { first: number; foreign?: CallResult } = { first: 0 };
  const call = (real: Call) => async (request: Parameters<Call>[0]) => {
    if (!way.foreign) return real(request);
    way.first -= 1;
    return way.first < 0 ? way.foreign : real(request);
  };
  const site = await runningSite({ call, clock });
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const module = site.sandbox.world.modules.get("gangway");
  const clientId = module?.registration.clientId ?? "";
  const says = (active: boolean, freeze: boolean) =>
    site.submit("/actions/activity", { clientId, activity: JSON.stringify({ active, freeze }) });
  const settings = async () => (await site.ask("/account/settings", { headers: { cookie } })).text();
  const state = async () => /class="badge \w+">([^<]+)/.exec(await settings())?.[1];
  const kept = () => readRows(site.folder, ["account", "channel", "web_session"]);
  const later = () => clock.skip(10 * 60_000);
  return { ...site, way, module, says, state, kept, later };
}

const ANSWERS = [...FOREIGN_ANSWERS, ...EVASIVE_ANSWERS];

describe("an answer that is not the CRM's own", () => {
  it.each(LONG ? ANSWERS : ANSWERS.filter((_, n) => n % 4 === 0))(
    "%s confirms no deactivation or freeze claimed by a callback, nor its end",
    async (_, foreign) => {
      const site = await setUp();
      Object.assign(site.way, { foreign });
      const before = await site.kept();
      for (const [active, freeze] of [
        [false, false],
        [true, true],
        [false, true],
      ] satisfies [boolean, boolean][])
        expect(await (await site.says(active, freeze)).json()).toEqual({ success: true });
      expect(await site.kept()).toEqual(before);

      Object.assign(site.module ?? {}, { freeze: true });
      Object.assign(site.way, { foreign: undefined });
      await site.later();
      expect(await site.state()).toBe(strings.en.account.state.frozen);
      Object.assign(site.way, { foreign });
      await site.says(true, false);
      await site.later();
      expect(await site.state()).toBe(strings.en.account.state.frozen);
    },
  );

  it("binds no account and no new key, whichever call it answers", async () => {
    const site = await setUp();
    const rights = { scopes: ["integration_read", "integration_write"], credentials: [] };
    for (const crmUrl of [CRM, OTHER_CRM]) site.crmAt(crmUrl).world.keys.set("second-key", rights);
    const before = await site.kept();
    for (const [name, foreign] of ANSWERS) {
      for (const first of [0, 1, 2])
        for (const crmUrl of [CRM, OTHER_CRM]) {
          Object.assign(site.way, { foreign, first });
          const refused = await site.submit("/", { crmUrl, apiKey: "second-key" });
          expect([refused.status, refused.headers.get("set-cookie")], `${name}, after ${first}`).toEqual([422, null]);
        }
      expect(await site.kept(), name).toEqual(before);
      // The limit of guesses.
      await site.later();
    }
  });
});
