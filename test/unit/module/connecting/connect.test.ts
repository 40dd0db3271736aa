import { describe, expect, it } from "vitest";
import { connectFaultText } from "../../../../src/pages/fault-text.ts";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { writeRows } from "../../../support/engine.ts";
import { moduleWorld, registered, SHOP, says } from "../world.ts";

const VERSIONS = "GET /api/api-versions";
const RIGHTS = "GET /api/credentials";
const INFO = "GET /api/system-info";
const EDIT = "POST /api/v5/integration-modules/gangway/edit";
const READ = "GET /api/v5/integration-modules/gangway";
const ELSEWHERE = "https://x17.retailcrm.ru";
const TOKEN_1 = says(200, registered("token-1"));
const error = (errorMsg: string) => ({ success: false, errorMsg });

describe("connecting", () => {
  it("asks for version and rights, registers, and only then stores", async () => {
    const world = await moduleWorld();
    const account = await world.join();
    expect(world.calls).toEqual([VERSIONS, RIGHTS, INFO, EDIT]);
    const form = new URLSearchParams(world.bodies[3]?.text);
    expect(JSON.parse(form.get("integrationModule") ?? "")).toEqual({
      code: "gangway",
      integrationCode: "gangway",
      active: true,
      name: "Gangway",
      logo: "https://gangway.example/logo.svg",
      clientId: account.clientId,
      baseUrl: "https://gangway.example",
      accountUrl: "https://gangway.example/account",
      actions: { activity: "/actions/activity", settings: "/actions/settings" },
      integrations: { mgTransport: { webhookUrl: `https://gangway.example/gateway/${account.webhookSecret}` } },
    });
    expect(account).toMatchObject({ gatewayUrl: "https://gateway.example/api/transport/v1", gatewayToken: "token-1" });
    expect(account.clientId).toMatch(/^[\w-]{43}$/);
    expect(account.webhookSecret).not.toBe(account.clientId);
    expect(world.bodies.every(({ route, key }) => key === (route === INFO ? undefined : "a-key-that-works"))).toBe(
      true,
    );
    expect(world.connected).toEqual([account.id]);
  });

  it("connects the same CRM again under the same names, with the new key, without a second account", async () => {
    const world = await moduleWorld();
    const first = await world.join();
    await world.channels.add(first, "toy", { name: "Chat", settings: { token: "12345" } });
    const again = await world.connect({ crmUrl: "shop.retailcrm.ru/", apiKey: "another-key" });
    expect(again).toMatchObject({ ok: true, isNew: false, account: { apiKey: "another-key" } });
    const { id, clientId, webhookSecret } = first;
    expect(again).toMatchObject({ account: { id, clientId, webhookSecret } });
    expect(await world.store.accounts.list()).toHaveLength(1);
    expect(await world.store.channels.list(first.id)).toHaveLength(1);
  });

  it("finds it under its technical address, too, while the CRM does not say where it is", async () => {
    const world = await moduleWorld();
    const technicalUrl = "https://x17.retailcrm.ru";
    const where = says(200, { success: true, publicUrl: SHOP, technicalUrl });
    world.answers.set(INFO, where);
    const first = await world.join();
    expect(first).toMatchObject({ crmUrl: SHOP, technicalUrl });
    world.answers.set(INFO, says(503));
    const again = await world.connect({ crmUrl: technicalUrl, apiKey: first.apiKey });
    expect(again).toMatchObject({ ok: true, isNew: false, account: { id: first.id, crmUrl: SHOP, technicalUrl } });
    await world.connect({ crmUrl: SHOP, apiKey: first.apiKey });
    expect(await world.store.accounts.list()).toMatchObject([{ id: first.id, crmUrl: SHOP, technicalUrl }]);
  });

  const oneByOne = async (acts: (() => Promise<unknown>)[]) => {
    for (const act of acts) await act();
  };
  it.each([
    ["one after the other", oneByOne],
    ["at once", (acts: (() => Promise<unknown>)[]) => Promise.all(acts.map((act) => act()))],
  ])("makes one account of a CRM that is connected under two addresses %s", async (_, all) => {
    const world = await moduleWorld();
    world.answers.set(EDIT, TOKEN_1);
    await all([SHOP, ELSEWHERE].map((crmUrl) => () => world.join(crmUrl)));
    const accounts = await world.store.accounts.list();
    expect(accounts).toHaveLength(1);
    expect(new Set(world.connected)).toEqual(new Set([accounts[0]?.id]));
    // The CRM and the gateway know it by what is stored.
    const told = world.bodies.filter(({ route }) => route === EDIT).at(-1)?.text;
    expect(JSON.parse(new URLSearchParams(told).get("integrationModule") ?? "")).toMatchObject({
      clientId: accounts[0]?.clientId,
      integrations: { mgTransport: { webhookUrl: expect.stringContaining(accounts[0]?.webhookSecret ?? "") } },
    });
  });

  it("keeps the account's ids, channels and address when its gateway token tells which one it is", async () => {
    const world = await moduleWorld();
    const first = await world.join();
    await world.channels.add(first, "toy", { name: "Chat", settings: { token: "12345" } });
    world.answers.set(EDIT, TOKEN_1);
    const again = await world.connect({ crmUrl: ELSEWHERE, apiKey: "another-key" });
    const { id, crmUrl, clientId, webhookSecret } = first;
    const account = { id, crmUrl, clientId, webhookSecret, apiKey: "another-key" };
    expect(again).toMatchObject({ ok: true, isNew: false, account });
    expect(await world.store.channels.list(id)).toHaveLength(1);
  });

  it("gives nobody an account whose CRM refuses the key, though another CRM names its gateway token", async () => {
    const world = await moduleWorld();
    const first = await world.join();
    world.answers.set(EDIT, TOKEN_1);
    const credentials = says(200, { success: true, scopes: ["integration_read", "integration_write"] });
    world.answers.set(RIGHTS, (request) =>
      new URL(request.url).origin === SHOP ? says(403, error("Access denied."))(request) : credentials(request),
    );
    const fault = await world.faultOf({ crmUrl: ELSEWHERE });
    expect(connectFaultText(strings.en, fault ?? { code: "" })).toMatch(/connected to this module already/);
    expect(await world.store.accounts.list()).toEqual([first]);
    expect(world.connected).toEqual([first.id]);
  });

  it("gives an account no gateway token that another one has", async () => {
    const world = await moduleWorld();
    const [first, second] = [await world.join(), await world.join(ELSEWHERE)];
    world.answers.set(EDIT, TOKEN_1);
    expect(await world.faultOf({ crmUrl: ELSEWHERE })).toEqual({ code: "connected-elsewhere" });
    expect(await world.store.accounts.list()).toEqual([first, second]);
  });

  it("reconnects an account whose stored secrets no longer decrypt, with new ones", async () => {
    const world = await moduleWorld();
    const first = await world.join();
    await writeRows(
      world.folder,
      "UPDATE account SET client_id_sealed = 'gone', webhook_sealed = 'gone', api_key_sealed = 'gone'",
    );
    const again = await world.join();
    expect(again.id).toBe(first.id);
    expect([again.clientId, again.webhookSecret].every((secret) => /^[\w-]{43}$/.test(secret))).toBe(true);
    expect(await world.store.accounts.byClientId(again.clientId)).toMatchObject({ id: first.id, apiKey: first.apiKey });
  });

  it("makes one account and one client id of ten submits at once", async () => {
    const world = await moduleWorld();
    const accounts = await Promise.all(Array.from({ length: 10 }, () => world.join()));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    expect(new Set(accounts.map(({ clientId }) => clientId)).size).toBe(1);
    expect(await world.store.accounts.list()).toHaveLength(1);
  });

  it("works after a failed submit", async () => {
    const world = await moduleWorld();
    world.answers.set(EDIT, () => {
      world.answers.delete(EDIT);
      return Response.json(error("Wrong"), { status: 400 });
    });
    // Which of the two comes first is nobody's promise.
    const faults = await Promise.all([world.faultOf(), world.faultOf()]);
    expect(faults.flatMap((fault) => fault?.code ?? [])).toEqual(["refused"]);
  });

  it("leaves an account unchanged when somebody tries an invalid key", async () => {
    const world = await moduleWorld();
    const account = await world.join();
    world.answers.set(VERSIONS, says(403, error('Wrong "apiKey" value.')));
    expect(await world.faultOf({ apiKey: "stolen" })).toMatchObject({ code: "wrong-key" });
    expect(await world.store.accounts.byId(account.id)).toEqual(account);
  });

  it.each([
    ["an address without a form", { crmUrl: "not an address" }, undefined, 0, /does not look like the address/],
    ["a host that is not served", { crmUrl: "https://evil.example" }, undefined, 0, /does not serve accounts/],
    ["no key", { apiKey: " " }, undefined, 0, /Enter the API key/],
    ["a key with a line break in it", { apiKey: "a\r\nx-evil: 1" }, undefined, 0, /Enter the API key/],
    [
      "a site that is no CRM",
      {},
      [VERSIONS, () => new Response("<html>shop")],
      1,
      /a website at this address, but no CRM/,
    ],
    ["a wrong key", {}, [VERSIONS, says(403, error('Wrong "apiKey" value.'))], 1, /does not recognise this API key/],
    ["no such account", {}, [VERSIONS, says(400, error("Account does not exist."))], 1, /no CRM account/],
    ["a key without access", {}, [VERSIONS, says(403, error("Access denied."))], 1, /refused this API key/],
    ["an old CRM", {}, [VERSIONS, says(200, { success: true, versions: ["4.0"] })], 1, /version 5/],
    [
      "a right that is missing",
      {},
      [RIGHTS, says(200, { success: true, scopes: ["integration_read"] })],
      2,
      /lacks these rights: integration_write\./,
    ],
    ["a CRM that is down", {}, [RIGHTS, says(500, error("oh"))], 2, /could not reach/],
    ["a CRM that is busy", {}, [EDIT, says(503, error("slow"))], 4, /busy/],
    ["an account without money", {}, [EDIT, says(402, error("no funds"))], 4, /balance of your CRM account is too low/],
    ["chats that are off", {}, [EDIT, says(400, error("Failed to activate module"))], 4, /Switch chats on/],
    ["another refusal", {}, [EDIT, says(400, error("Name is taken"))], 4, /refused the connection: Name is taken/],
  ] as const)(
    "stops at the first fault and explains it in a sentence: %s",
    async (_, form, answer, calls, sentence) => {
      const world = await moduleWorld();
      if (answer) world.answers.set(answer[0], answer[1]);
      const fault = await world.faultOf(form);
      expect(connectFaultText(strings.en, fault ?? { code: "" })).toMatch(sentence);
      expect(world.calls).toHaveLength(calls);
      expect(await world.store.accounts.list()).toEqual([]);
      expect(world.connected).toEqual([]);
    },
  );

  it("has a sentence for every reason the CRM client knows", () => {
    for (const code of ["blocked", "unreachable", "rights", "version", "refused", "never heard of"])
      expect(connectFaultText(strings.en, { code })).toMatch(/[.!]$/);
    expect(connectFaultText(strings.en, { code: "blocked" })).toBe(
      connectFaultText(strings.en, { code: "unreachable" }),
    );
  });
});

describe("renewing the gateway's token", () => {
  it("asks the CRM once for concurrent callers, and stores the new token", async () => {
    const world = await moduleWorld();
    const { id } = await world.join();
    world.calls.length = 0;
    const tokens = await Promise.all(Array.from({ length: 5 }, () => world.renewToken(id, "token-1")));
    expect(tokens).toEqual(Array(5).fill("token-2"));
    expect(world.calls).toEqual([READ]);
    expect((await world.store.accounts.byId(id))?.gatewayToken).toBe("token-2");
    expect(await world.renewToken(id, "token-1")).toBe("token-2");
    expect(world.calls).toEqual([READ]);
  });

  it.each([
    [
      "knows no other",
      says(200, {
        success: true,
        integrationModule: { code: "gangway", integrations: { mgTransport: { token: "token-1" } } },
      }),
    ],
    ["tells none", says(200, { success: true, integrationModule: { code: "gangway" } })],
    ["refuses", says(403, error("Access denied."))],
  ])("has none when the CRM %s, and asks again the next time", async (_, answer) => {
    const world = await moduleWorld();
    const { id } = await world.join();
    world.answers.set(READ, answer);
    expect(await world.renewToken(id, "token-1")).toBeUndefined();
    expect((await world.store.accounts.byId(id))?.gatewayToken).toBe("token-1");
    world.answers.delete(READ);
    expect(await world.renewToken(id, "token-1")).toBe("token-2");
  });

  it("takes none that another account has", async () => {
    const world = await moduleWorld();
    const [first, second] = [await world.join(), await world.join(ELSEWHERE)];
    expect(await world.renewToken(first.id, first.gatewayToken)).toBe("token-2");
    expect(await world.renewToken(second.id, second.gatewayToken)).toBeUndefined();
    expect(await world.store.accounts.byId(second.id)).toEqual(second);
  });

  it("has none for an unknown account", async () => {
    const world = await moduleWorld();
    expect(await world.renewToken("nobody" as never, "x")).toBeUndefined();
  });
});
