import { SANDBOX_KEY } from "gangway-sandbox";
import { describe, expect, it } from "vitest";
import { readRows } from "../../../support/engine.ts";
import { CLIENT_ID, formerAccount, isWrite, Killed } from "../../../support/moving-in.ts";
import { OWN } from "../../../support/site.ts";

type World = Awaited<ReturnType<typeof formerAccount>>;

const TABLES = ["account", "channel", "note", "audit"];
const stored = ({ folder }: World) => readRows(folder, TABLES);
const accountIn = async ({ store }: World) => {
  const account = await store.accounts.byClientId(CLIENT_ID);
  if (!account) throw new Error("it is not here");
  return account;
};
const reasonsOf = (reports: Awaited<ReturnType<World["run"]>>) =>
  reports.map(({ outcome, why, todo }) => [outcome, why, todo].join(" | "));

describe("an account of the former module", () => {
  it("keeps its client id and its channels at the gateway, and the messenger sends here last", async () => {
    const world = await formerAccount();
    const { run, old, calls, state, store, sandbox } = world;
    const before = state();
    const [report] = await run();
    expect(report).toMatchObject({ outcome: "imported", logins: [{ outcome: "imported" }, { outcome: "imported" }] });
    const account = await accountIn(world);
    const channels = await store.channels.list(account.id);
    expect(channels.map(({ gatewayChannelId }) => gatewayChannelId)).toEqual(old.channels);
    const after = state();
    expect(after.module).toMatchObject({
      clientId: CLIENT_ID,
      integrations: { mgTransport: { webhookUrl: `${OWN}/gateway/${account.webhookSecret}` } },
    });
    expect(after.channels.map(({ id, name }) => [id, name])).toEqual(before.channels.map(({ id, name }) => [id, name]));
    expect(after.channels.map(({ settings }) => settings)).not.toEqual(before.channels.map(({ settings }) => settings));
    expect(after.webhooks.slice(0, 2).map(({ url }) => url)).toEqual(channels.map(({ door }) => `${OWN}/m/${door}`));
    const writes = calls.filter(isWrite).map((call) => call.replace(/.*\//, ""));
    expect(writes.slice(0, 3), "the CRM, then the gateway").toEqual(["edit", ...old.channels]);
    expect(
      writes.slice(3).every((name) => /^set(Webhook|MyCommands)$/.test(name)),
      writes.join(),
    ).toBe(true);
    expect(sandbox.calls.totals().faults).toBe(0);
    const acts = await store.audit.list({ accountId: account.id, limit: 99 });
    expect(acts.map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      "operator: channel imported",
      "operator: channel imported",
      "operator: account imported",
    ]);
    expect(JSON.stringify([acts, report])).not.toContain(CLIENT_ID);
  });

  it("changes nothing when it is imported again", async () => {
    const world = await formerAccount();
    await world.run();
    const [before, rows] = [world.state(), await stored(world)];
    world.calls.length = 0;
    expect(await world.run()).toMatchObject([{ outcome: "already here", changes: [] }]);
    expect(world.calls.filter(isWrite)).toEqual([]);
    expect(world.state()).toEqual(before);
    expect(await stored(world)).toEqual(rows);
  });

  it("is only looked at by a dry run, which says what would change", async () => {
    const world = await formerAccount();
    const [before, rows] = [world.state(), await stored(world)];
    world.calls.length = 0;
    expect(await world.run(undefined, { dryRun: true })).toMatchObject([
      { outcome: "imported", changes: expect.arrayContaining(["the CRM registers this server"]) },
    ]);
    expect(world.calls.filter(isWrite)).toEqual([]);
    expect(world.state()).toEqual(before);
    expect(await stored(world)).toEqual(rows);
  });

  it("is here whole after a kill at any call, once the import is run again", async () => {
    const whole = await formerAccount();
    await whole.run();
    const writes = whole.calls.filter(isWrite).length;
    for (let after = 0; after <= writes; after++) {
      const world = await formerAccount();
      world.calls.length = 0;
      world.killing.after = after;
      const killed = await world.run().catch((error) => error);
      if (after < writes) expect(killed, String(after)).toBeInstanceOf(Killed);
      world.killing.after = Number.POSITIVE_INFINITY;
      expect((await world.run())[0]?.outcome, String(after)).toMatch(/^(imported|already here)$/);
      const account = await accountIn(world);
      const channels = await world.store.channels.list(account.id);
      expect(channels.map(({ gatewayChannelId: id, state }) => [id, state])).toEqual(
        world.old.channels.map((id) => [id, "active"]),
      );
      expect(world.state().webhooks.map(({ url }) => url)).toEqual([
        ...channels.map(({ door }) => `${OWN}/m/${door}`),
        undefined,
      ]);
      expect(world.sandbox.world.channels.size).toBe(2);
    }
  });

  it("is imported switched off if it is so in its CRM: its gateway is left alone", async () => {
    const world = await formerAccount();
    const module = world.sandbox.world.modules.get("mg-telegram");
    if (module) module.active = false;
    const before = world.state();
    expect(await world.run()).toMatchObject([{ outcome: "imported" }]);
    expect(await accountIn(world)).toMatchObject({ active: false });
    expect(module?.active).toBe(false);
    expect(world.state().channels).toEqual(before.channels);
    expect(world.state().webhooks[0]?.url).toContain(`${OWN}/m/`);
    expect(await world.run()).toMatchObject([{ outcome: "already here" }]);
  });
});

it("an account that was imported switched off is switched on here by a run that finds it on in its CRM", async () => {
  const world = await formerAccount();
  const turn = (active: boolean) => Object.assign(world.sandbox.world.modules.get("mg-telegram") ?? {}, { active });
  turn(false);
  await world.run();
  expect(await accountIn(world)).toMatchObject({ active: false });
  turn(true);
  await world.run();
  expect(await accountIn(world)).toMatchObject({ active: true });
});

describe("what cannot be imported is refused in words", () => {
  it.each<[string, (world: World) => World["former"], RegExp]>([
    ["a key that the CRM refuses", ({ former }) => ({ ...former, apiKey: "dead" }), /refuses the API key.*by the form/],
    ["no key", ({ former }) => ({ ...former, apiKey: "" }), /key is missing/],
    ["no client id", ({ former }) => ({ ...former, clientId: "" }), /client id is missing/],
    ["a strange address", ({ former }) => ({ ...former, crmUrl: "https://shop.example" }), /not among CRM_HOSTS/],
    [
      "another client id",
      ({ former }) => ({ ...former, clientId: "b".repeat(64) }),
      /mg-telegram in its CRM belongs to another client id.*set MODULE_CODE/,
    ],
    [
      "a module code that the CRM does not know",
      (world) => {
        world.config.module.code = "other";
        return world.former;
      },
      /no module with the code other.*set MODULE_CODE to the code of the former module/,
    ],
  ])("%s", async (_, change, words) => {
    const world = await formerAccount();
    const [before, rows] = [world.state(), await stored(world)];
    expect(reasonsOf(await world.run([change(world)]))).toEqual([expect.stringMatching(words)]);
    expect(world.state()).toEqual(before);
    expect(await stored(world)).toEqual(rows);
  });

  it("an account that has connected here by itself", async () => {
    const world = await formerAccount();
    await world.store.accounts.bind({
      ...{ crmUrl: "http://127.0.0.1:7001", apiKey: SANDBOX_KEY, clientId: "own", webhookSecret: "own" },
      ...{ gatewayUrl: "https://gateway.example", gatewayToken: "own" },
    });
    expect(reasonsOf(await world.run())).toEqual([expect.stringContaining("has connected here by itself")]);
  });

  it("when the CRM refuses the registration, nothing of the account stays", async () => {
    const world = await formerAccount();
    world.sandbox.world.unpaid = true;
    const before = world.state();
    expect(reasonsOf(await world.run())).toEqual([expect.stringContaining("has not paid for the module")]);
    expect(world.state()).toEqual(before);
    expect((await stored(world)).account).toEqual([]);
    world.sandbox.world.unpaid = false;
    expect(await world.run()).toMatchObject([{ outcome: "imported" }]);
  });

  it("a login with a dead token is imported with its account: its channel waits for a new one", async () => {
    const world = await formerAccount();
    Object.assign(world.former.logins[0]?.settings ?? {}, { token: `777777777:${"A".repeat(35)}` });
    const { url } = world.state().webhooks[0] ?? {};
    const stopped = { outcome: "stopped", why: expect.stringContaining("does not recognise this token") };
    expect(await world.run()).toMatchObject([{ outcome: "imported", logins: [stopped, { outcome: "imported" }] }]);
    expect(world.state().webhooks[0]?.url).toBe(url);
    expect(world.state().webhooks[1]?.url).toContain(`${OWN}/m/`);
    expect(await world.run()).toMatchObject([{ outcome: "already here", changes: [] }]);
  });

  it.each<[string, (world: World) => void, object]>([
    [
      "no answer from its messenger",
      ({ failing, former }) => {
        failing.calls = new RegExp(`bot${former.logins[0]?.loginId}:`);
      },
      { outcome: "not finished" },
    ],
    [
      "a token of another form",
      ({ former }) => void Object.assign(former.logins[0]?.settings ?? {}, { token: "none" }),
      { outcome: "refused", why: expect.stringContaining("another form") },
    ],
    [
      "a channel id above an int64",
      ({ former }) => void Object.assign(former.logins[0] ?? {}, { gatewayChannelId: "9223372036854775808" }),
      { outcome: "refused", why: expect.stringContaining("none of the gateway's") },
    ],
    [
      "a channel that the gateway does not have, with an id beyond doubles",
      ({ former }) => void Object.assign(former.logins[0] ?? {}, { gatewayChannelId: "9007199254740993" }),
      { outcome: "refused", why: expect.stringContaining("the gateway has no channel 9007199254740993") },
    ],
    [
      "one whose messages another service gets",
      ({ sandbox }) => {
        const [bot] = sandbox.telegram.world.bots.values();
        if (bot) bot.queue.webhook = { url: "https://rival.example/hook", maxConnections: 40 };
      },
      { outcome: "refused", why: expect.stringContaining("another service gets its messages now (rival.example)") },
    ],
  ])(
    "a login with %s keeps all of its account where it is, and without it the others move",
    async (_, change, report) => {
      const world = await formerAccount();
      change(world);
      const [before, rows] = [world.state(), await stored(world)];
      for (const dryRun of [true, false]) {
        const { outcome } = report as { outcome: string };
        expect(await world.run(undefined, { dryRun })).toMatchObject([
          { outcome, changes: [], logins: [report, { outcome }] },
        ]);
        expect(world.state()).toEqual(before);
        expect(await stored(world)).toEqual(rows);
      }
      world.former.logins.shift();
      expect(await world.run()).toMatchObject([{ outcome: "imported", logins: [{ outcome: "imported" }] }]);
      expect(world.state().webhooks[1]?.url).toContain(`${OWN}/m/`);
    },
  );

  it("a login that does not answer while the messenger is to send here: the next run goes on", async () => {
    const world = await formerAccount();
    world.killing.after = 5;
    await world.run().catch(() => {});
    world.killing.after = Number.POSITIVE_INFINITY;
    world.failing.calls = new RegExp(`bot${world.former.logins[1]?.loginId}:`);
    expect(await world.run()).toMatchObject([
      { outcome: "not finished", logins: [{ outcome: "already here" }, { outcome: "not finished" }] },
    ]);
    world.failing.calls = undefined;
    expect(await world.run()).toMatchObject([{ outcome: "imported", logins: [{}, { outcome: "imported" }] }]);
    expect(world.state().webhooks[1]?.url).toContain(`${OWN}/m/`);
  });

  it("a login that another service has taken before the import could: a second run leaves it there", async () => {
    const world = await formerAccount();
    world.killing.after = 3;
    await world.run().catch(() => {});
    world.killing.after = Number.POSITIVE_INFINITY;
    const bot = [...world.sandbox.telegram.world.bots.values()][1];
    if (bot) bot.queue.webhook = { url: "https://rival.example/hook", maxConnections: 40 };
    const refused = { outcome: "refused", why: expect.stringContaining("(rival.example)") };
    expect(await world.run()).toMatchObject([{ logins: [{}, refused] }]);
    expect(world.state().webhooks[1]?.url).toBe("https://rival.example/hook");
  });

  it("an account that is here stays whole when its CRM refuses to register it again", async () => {
    const world = await formerAccount();
    await world.run();
    const rows = await stored(world);
    const module = world.sandbox.world.modules.get("mg-telegram");
    if (module) module.registration = world.old.module as never;
    world.sandbox.world.unpaid = true;
    expect(reasonsOf(await world.run())).toEqual([expect.stringContaining("has not paid for the module")]);
    expect(await stored(world)).toEqual(rows);
    world.sandbox.world.unpaid = false;
    expect(await world.run()).toMatchObject([{ changes: ["the CRM has registered this server"] }]);
  });

  it.each<[string, (former: World["former"]) => World["former"][], RegExp]>([
    [
      "a channel",
      (former) => {
        const [login] = former.logins;
        return [{ ...former, logins: login ? [login, { ...login, loginId: "9" }] : [] }];
      },
      /its channel \d+ stands twice/,
    ],
    ["a login", (former) => [former, { ...former, clientId: "b".repeat(64) }], /its login @bot_\d stands twice/],
    ["an account", (former) => [former, { ...former, logins: [] }], /its client id stands twice/],
  ])("%s that stands twice in the database: all that have it", async (_, rows, words) => {
    const world = await formerAccount();
    const before = world.state();
    const all = rows(world.former);
    expect(reasonsOf(await world.run(all))).toEqual(all.map(() => expect.stringMatching(words)));
    expect(world.state()).toEqual(before);
    expect((await stored(world)).account).toEqual([]);
  });

  it("one of two accounts of a CRM that does not say whose the module is", async () => {
    const world = await formerAccount();
    const module = world.sandbox.world.modules.get("mg-telegram");
    if (module) Object.assign(module.registration, { clientId: undefined });
    const twin = { ...world.former, clientId: "b".repeat(64), logins: [] };
    expect(reasonsOf(await world.run([world.former, twin]))).toEqual([
      expect.stringContaining("another account in the database has the same CRM"),
      expect.stringContaining("another account in the database has the same CRM"),
    ]);
    expect((await stored(world)).account).toEqual([]);
  });

  it("an account whose merchant connects by the form while it moves", async () => {
    const world = await formerAccount();
    const { serial } = world.parts.store;
    const key = "http://127.0.0.1:7001";
    const own = { crmUrl: key, apiKey: SANDBOX_KEY, clientId: "own", webhookSecret: "own" };
    world.parts.store.serial = async (name, act) => {
      if (name === key)
        await world.store.accounts.bind({ ...own, gatewayUrl: "https://gateway.example", gatewayToken: "own" });
      return serial(name, act);
    };
    const before = world.state();
    expect(reasonsOf(await world.run())).toEqual([expect.stringContaining("has connected here by itself")]);
    expect(world.state()).toEqual(before);
    expect((await world.store.accounts.list()).map(({ clientId }) => clientId)).toEqual(["own"]);
  });

  it("a fault of the program at one account is told of that account, and the others go on", async () => {
    const world = await formerAccount();
    const { tryKey } = world.parts;
    world.parts.tryKey = async (entered) => {
      if (entered.apiKey === "odd") throw new TypeError("odd\nparams: secret");
      return tryKey(entered);
    };
    const odd = { ...world.former, crmUrl: "https://odd.example", clientId: "c".repeat(64), apiKey: "odd", logins: [] };
    const reports = await world.run([odd, world.former]);
    expect(reports).toMatchObject([
      { outcome: "not finished", why: "this program has failed (TypeError: odd)" },
      { outcome: "imported" },
    ]);
  });
});
