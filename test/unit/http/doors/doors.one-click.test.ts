import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { WANTED_SCOPES } from "../../../../src/crm/rights.ts";
import { CRM, OWN, runningSite } from "../../../support/site.ts";
import { servedSite } from "../../../system/http/served.ts";

const SECRET = "secret-of-the-module";
const KEY = "key-made-by-the-crm";
const signed = (apiKey: string) => createHmac("sha256", SECRET).update(apiKey).digest("hex");

/** A server with the module's secret, and a CRM that has made a key for it. */
async function site(secret: string | undefined = SECRET) {
  const running = await runningSite({ secret });
  running.sandbox.world.keys.set(KEY, { scopes: WANTED_SCOPES, credentials: [] });
  const register = (fields: Record<string, string>) =>
    running.ask("/connect", { method: "POST", body: new URLSearchParams(fields) });
  const answer = async (fields: Record<string, string>) => {
    const response = await register(fields);
    return { status: response.status, ...((await response.json()) as { errorMsg?: string }) };
  };
  const given = (apiKey = KEY, systemUrl = CRM) => ({ token: signed(apiKey), apiKey, systemUrl });
  const accounts = () => running.stored((store) => store.accounts.list());
  return { ...running, answer, given, accounts };
}
const inJson = (register: object) => ({ register: JSON.stringify(register) });
const inBrackets = (register: object) =>
  Object.fromEntries(Object.entries(register).map(([name, value]) => [`register[${name}]`, value as string]));

describe("one-click connection", () => {
  it("tells the marketplace every right that the product uses, and where to register", async () => {
    const { ask } = await site();
    const answer = await ask("/connect");
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { success: true, scopes: WANTED_SCOPES, registerUrl: `${OWN}/connect` },
    ]);
  });

  it.each([
    ["a JSON string", inJson],
    ["bracketed fields", inBrackets],
  ])("registers by %s, and again with another key as the same account", async (_, encode) => {
    const { answer, given, accounts, sandbox } = await site();
    const done = { status: 200, success: true, accountUrl: `${OWN}/account` };
    expect(await answer(encode(given(KEY, `${CRM}/`)))).toEqual(done);
    const first = sandbox.world.modules.get("gangway")?.registration.clientId;
    sandbox.world.keys.set("second", { scopes: WANTED_SCOPES, credentials: [] });
    expect(await answer(encode(given("second")))).toEqual(done);
    expect(sandbox.world.modules.get("gangway")?.registration.clientId).toBe(first);
    expect(await accounts()).toMatchObject([{ crmUrl: CRM, apiKey: "second" }]);
  });

  it.each([
    ["another secret's token", { token: createHmac("sha256", "other").update(KEY).digest("hex") }],
    ["another key's token", { token: signed("another") }],
    ["an empty token", { token: "" }],
  ])("refuses %s before any call", async (_, change) => {
    const { answer, given, accounts, sandbox } = await site();
    expect(await answer(inJson({ ...given(), ...change }))).toEqual({
      status: 401,
      success: false,
      errorMsg: "The connection request is not signed with this module's secret.",
    });
    expect(sandbox.calls.totals().total).toBe(0);
    expect(await accounts()).toEqual([]);
  });

  it.each([
    ["nothing", {}],
    ["broken JSON", { register: "{" }],
    ["a list", { register: "[]" }],
    ["no address", inJson({ token: signed(KEY), apiKey: KEY })],
  ])("says that a request is incomplete: %s", async (_, fields) => {
    const { answer } = await site();
    expect(await answer(fields as Record<string, string>)).toMatchObject({ status: 400, success: false });
  });

  it("sends the key to no address that is not served, and stores nothing", async () => {
    const { answer, given, accounts, sandbox } = await site();
    expect(await answer(inJson(given(KEY, "https://evil.example")))).toMatchObject({
      status: 400,
      errorMsg: "This module does not serve accounts at this address. Check the address for typos.",
    });
    expect(sandbox.calls.totals().total).toBe(0);
    expect(await accounts()).toEqual([]);
  });

  it("sends an account's key to no other address, unless that is the same account's", async () => {
    const { answer, given, accounts, sandbox } = await site();
    expect(await answer(inJson(given()))).toMatchObject({ success: true });
    const other = CRM.replace("127.0.0.1", "localhost");
    const asked: string[] = [];
    sandbox.calls.observe(({ operation }) => void asked.push(operation ?? "unknown"));
    expect(await answer(inJson(given(KEY, other)))).toMatchObject({
      status: 400,
      errorMsg: "This key belongs to another CRM account.",
    });
    // Who is there is asked without the key.
    expect(new Set(asked)).toEqual(new Set(["systemInfo"]));
    expect(await accounts()).toMatchObject([{ crmUrl: CRM, apiKey: KEY }]);
  });

  it("limits the replays of a pair whose key is revoked like guesses", async () => {
    const { answer, given, sandbox } = await site();
    sandbox.world.keys.delete(KEY);
    const answers = await Promise.all(Array.from({ length: 60 }, () => answer(inJson(given()))));
    expect(answers.filter(({ errorMsg }) => /[Tt]oo many/.test(errorMsg ?? "")).length).toBeGreaterThan(10);
    expect(sandbox.calls.totals().total).toBeLessThan(100);
  });

  it("says why the CRM refused, in the language that is asked for", async () => {
    const { ask, given, sandbox } = await site();
    sandbox.world.keys.set(KEY, { scopes: ["integration_read"], credentials: [] });
    const body = new URLSearchParams(inJson(given()));
    const answer = await ask("/connect", { method: "POST", body, headers: { "accept-language": "es" } });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { success: false, errorMsg: expect.stringMatching(/clave.*integration_write/) },
    ]);
  });

  it("is off without a secret: nobody could prove to be the CRM", async () => {
    const { ask, answer, given } = await site("");
    expect(await (await ask("/connect")).json()).toMatchObject({ success: false, errorMsg: /not set up/ });
    expect(await answer(inJson(given()))).toMatchObject({ status: 401, success: false });
  });

  it("works from the sandbox's marketplace, which makes the key", async () => {
    const { origin, sandbox } = await servedSite(undefined, SECRET);
    const body = JSON.stringify({ configUrl: `${origin}/connect`, secret: SECRET });
    const headers = { "content-type": "application/json" };
    const done = await sandbox.fetch(new Request(`${CRM}/sandbox/connect`, { method: "POST", body, headers }));
    expect(await done.json()).toEqual({ type: "connected", accountUrl: `${origin}/account` });
    expect(sandbox.world.modules.get("gangway")?.active).toBe(true);
  });
});
