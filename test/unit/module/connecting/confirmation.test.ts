import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { createConfirmation } from "../../../../src/module/connecting/confirmation.ts";
import { handClock } from "../../../support/clock.ts";
import { writeRows } from "../../../support/engine.ts";
import { EVASIVE_ANSWERS, FOREIGN_ANSWERS } from "../../../support/foreign-answers.ts";
import { silentLog } from "../../../support/log.ts";
import { moduleWorld, SHOP, says } from "../world.ts";

const READ = "GET /api/v5/integration-modules/gangway";
const crmSays = (active: boolean, freeze = false) =>
  says(200, { success: true, integrationModule: { code: "gangway", active, freeze } });
const MINUTE_MS = 60_000;
const OFF = { active: false, frozen: false };
const FROZEN = { active: true, frozen: true };

async function setUp() {
  const world = await moduleWorld();
  const account = await world.join();
  const clock = handClock();
  const activated: string[] = [];
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (event: string, fields: object = {}) => void warned.push([event, fields]) };
  const way = { call: world.call };
  const call: Call = (request) => way.call(request);
  /** A process's own instance; another process does not know its questions. */
  const process = () => {
    const made = createConfirmation({ ...world, call, clock, log, activated: ({ id }) => activated.push(id) });
    return { ...made, ask: (said: typeof OFF) => made.ask(account.id, said) };
  };
  const state = async (id = account.id) => {
    const { active, frozen } = (await world.store.accounts.byId(id)) ?? {};
    return { active, frozen };
  };
  const unreachable = (result: Awaited<ReturnType<Call>>) => Object.assign(way, { call: async () => result });
  const backAgain = () => Object.assign(way, { call: world.call });
  world.calls.length = 0;
  return { ...world, account, clock, activated, warned, process, state, unreachable, backAgain };
}

describe("a callback about the module", () => {
  it("is confirmed only by the CRM at the stored address with the stored key", async () => {
    const site = await setUp();
    site.bodies.length = 0;
    await site.process().ask({ active: false, frozen: true });
    expect(site.bodies).toEqual([{ route: READ, text: "", key: site.account.apiKey }]);
    expect(await site.store.accounts.byId(site.account.id)).toEqual(site.account);
  });

  it.each([...FOREIGN_ANSWERS, ...EVASIVE_ANSWERS])(
    "changes nothing while %s is all that comes, and holds once the CRM says it",
    async (_, result) => {
      const site = await setUp();
      const { ask, start } = site.process();
      start();
      await site.clock.forward(0);
      site.answers.set(READ, crmSays(true, true));
      site.unreachable(result);
      await ask(FROZEN);
      await site.clock.forward(5 * MINUTE_MS);
      expect(await site.state()).toEqual({ active: true, frozen: false });
      site.backAgain();
      await site.clock.forward(10 * MINUTE_MS);
      expect(await site.state()).toEqual(FROZEN);
    },
  );

  it("is confirmed again after ten seconds, then with backoff, with one warning per reason", async () => {
    const site = await setUp();
    const { ask, start } = site.process();
    start();
    await site.clock.forward(0);
    site.calls.length = 0;
    site.answers.set(READ, says(503));
    await ask(OFF);
    await site.clock.forward(MINUTE_MS);
    expect(site.calls).toHaveLength(3);
    await site.clock.forward(60 * MINUTE_MS);
    expect(site.calls.length).toBeLessThan(14);
    expect(site.warned).toEqual([["account.activity-unconfirmed", { account: site.account.id, reason: "busy" }]]);
  });

  it("is still confirmed after a restart, and so is one sent while the server was down", async () => {
    const site = await setUp();
    const before = site.process();
    site.answers.set(READ, says(503));
    await before.ask(OFF);
    before.stop();
    const other = await site.join("https://other.retailcrm.ru");
    site.answers.set(READ, crmSays(false));
    site.process().start();
    await site.clock.forward(1_000);
    expect([await site.state(), await site.state(other.id)]).toEqual([OFF, OFF]);
  });

  it("is confirmed by the process that works for the account from now on, though another was told", async () => {
    const site = await setUp();
    const { start, taken } = site.process();
    start();
    await site.clock.forward(MINUTE_MS);
    site.answers.set(READ, crmSays(false));
    taken(site.account.id);
    await site.clock.forward(10_000);
    expect(await site.state()).toEqual(OFF);
  });

  it("is confirmed a few times more when the CRM contradicts it: its own write may not be visible yet", async () => {
    const site = await setUp();
    const { ask, start } = site.process();
    start();
    await site.clock.forward(0);
    await ask(OFF);
    expect(await site.state()).toEqual({ active: true, frozen: false });
    site.answers.set(READ, crmSays(false));
    await site.clock.forward(20_000);
    expect(await site.state()).toEqual(OFF);
    await ask({ active: true, frozen: false });
    site.calls.length = 0;
    await site.clock.forward(24 * 60 * MINUTE_MS);
    expect(site.calls).toHaveLength(3);
    expect(await site.state()).toEqual(OFF);
  });

  it("blocks its caller for at most five seconds, however slow the CRM is", async () => {
    const site = await setUp();
    let arrive = () => {};
    const slow = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    site.answers.set(READ, async (request) => {
      await slow;
      return crmSays(false)(request);
    });
    let over = false;
    const asked = site.process().ask(OFF);
    void asked.then(() => {
      over = true;
    });
    await site.clock.forward(4_999);
    expect(over).toBe(false);
    await site.clock.forward(1);
    expect(over).toBe(true);
    arrive();
    await site.clock.forward(0);
    expect(await site.state()).toEqual(OFF);
  });

  it("costs the CRM two calls when it comes a hundred times at once", async () => {
    const site = await setUp();
    const { ask } = site.process();
    await Promise.all(Array.from({ length: 100 }, () => ask(OFF)));
    expect(site.calls).toHaveLength(1);
    let arrive = () => {};
    site.answers.set(READ, async (request) => {
      await new Promise<void>((resolve) => {
        arrive = resolve;
      });
      return crmSays(true)(request);
    });
    const first = ask(OFF);
    await site.clock.forward(0);
    const rest = Array.from({ length: 99 }, () => ask(OFF));
    for (let n = 0; n < 3; n++) {
      arrive();
      await site.clock.forward(0);
    }
    await Promise.all([first, ...rest]);
    expect(site.calls).toHaveLength(3);
  });

  it("keeps the order of two switches, although the first answer of the CRM is slow", async () => {
    const site = await setUp();
    const { ask } = site.process();
    let first = true;
    site.answers.set(READ, async (request) => {
      const active = !first;
      first = false;
      if (!active) await new Promise((resolve) => setTimeout(resolve, 50));
      return crmSays(active)(request);
    });
    const off = ask(OFF);
    await site.clock.forward(0);
    await Promise.all([off, ask({ active: true, frozen: false })]);
    expect(await site.state()).toEqual({ active: true, frozen: false });
  });
});

describe("a module that was switched on", () => {
  it("starts waiting work, unless it was on before", async () => {
    const site = await setUp();
    const { ask } = site.process();
    await ask({ active: true, frozen: false });
    site.answers.set(READ, crmSays(false));
    await ask(OFF);
    site.answers.set(READ, crmSays(true, true));
    await ask({ active: true, frozen: false });
    expect(site.activated).toEqual([]);
    site.answers.set(READ, crmSays(true));
    await ask({ active: true, frozen: false });
    expect(site.activated).toEqual([site.account.id]);
  });
});

it("is confirmed although another account's key does not decrypt", async () => {
  const site = await setUp();
  const other = await site.join("https://other.retailcrm.ru");
  await writeRows(site.folder, "UPDATE account SET api_key_sealed = 'v1.test.x.y' WHERE crm_url = ?", SHOP);
  site.answers.set(READ, crmSays(false));
  site.process().start();
  await site.clock.forward(1_000);
  expect([await site.state(), await site.state(other.id)]).toEqual([{ active: true, frozen: false }, OFF]);
});
