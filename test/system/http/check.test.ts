import type { AddressInfo } from "node:net";
import type { Call } from "gangway-messenger/call";
import { LANGUAGES } from "gangway-messenger/language";
import { describe, expect, it, onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../../sandbox/src/crm/rights.ts";
import { listen } from "../../../src/http/serving/listening.ts";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { CRM, runningSite } from "../../support/site.ts";

const KEY = "a-key-that-nobody-may-read-0123456789";

async function setUp(scopes: string[] = ["integration_read", "integration_write", "settings_read"]) {
  const asked: string[] = [];
  const counted = (real: Call) => (request: Parameters<Call>[0]) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return real(request);
  };
  const site = await runningSite({ call: counted });
  site.sandbox.world.keys.set(KEY, { scopes, credentials: [] });
  const check = async (fields: object = {}, headers: Record<string, string> = {}) => {
    const answer = await site.submit("/check", { crmUrl: CRM, apiKey: KEY, ...fields }, headers);
    const text = (await answer.text()).replaceAll("&#39;", "'");
    const part = (field: string) =>
      new RegExp(`data-checked="${field}"[^>]*>(.*?)</div>`, "s").exec(text)?.[1] ?? "(none)";
    return { answer, text, address: part("crmUrl"), key: part("apiKey") };
  };
  return { ...site, check, asked };
}
/** A CRM that answers only when the call is ended. */
let hold: (signal?: AbortSignal) => void = () => {};
const silent = (signal?: AbortSignal): ReturnType<Call> =>
  new Promise((resolve) => {
    hold(signal);
    signal?.addEventListener("abort", () =>
      resolve({ type: "failure", sent: "perhaps", reason: "aborted", detail: "x" }),
    );
  });
const marks = (html: string) => [...html.matchAll(/[✓✗]|<code>(\w+)/g)].map(([all, scope]) => scope ?? all);

describe("the connect form while it is filled", () => {
  it.each(LANGUAGES)("shows each right with a tick or a cross, its code and what it is for: %s", async (language) => {
    const { check } = await setUp();
    const { answer, address, key } = await check({}, { "accept-language": language });
    const { checking } = strings[language];
    expect(answer.status).toBe(200);
    expect(address).toContain(checking.isCrm);
    expect(marks(key)).toEqual([
      ...["✓", "integration_read", "✓", "integration_write", "✓", "settings_read", "✗", "notification_write"],
    ]);
    for (const words of Object.values(checking.uses)) expect(key).toContain(words);
    expect(key).toContain(checking.optional);
    expect(key).not.toContain("problem");
  });

  it("says which right lacks, and links to the CRM's page of keys, which opens beside the form", async () => {
    const { check } = await setUp(["integration_read"]);
    const { answer, address, key } = await check();
    expect(answer.status).toBe(200);
    expect(address).toContain(`<a href="${CRM}/admin/api-keys" target="_blank" rel="noreferrer">`);
    expect(marks(key).slice(0, 4)).toEqual(["✓", "integration_read", "✗", "integration_write"]);
    expect(key).toContain("lacks these rights: integration_write.");
  });

  it.each([
    ["an address alone", { apiKey: "" }, "There is a CRM account", /^$/],
    ["another host", { crmUrl: "https://evil.example" }, "does not serve accounts", /^$/],
    ["no address", { crmUrl: "shop" }, "does not look like the address", /^$/],
    ["a wrong key", { apiKey: "wrong" }, "There is a CRM account", /does not recognise this API key/],
    ["half a key", { apiKey: "two words" }, "There is a CRM account", /Enter the API key/],
  ])("says under each field what is known of it: %s", async (_, fields, address, key) => {
    const { check } = await setUp();
    const found = await check(fields);
    expect(found.address).toContain(address);
    expect(found.key).toMatch(key);
  });

  it("registers nothing, stores nothing, starts no visit, and shows and logs no key", async () => {
    const site = await setUp();
    const { answer, text } = await site.check();
    expect(site.asked).toEqual(["GET /api/system-info", "GET /api/api-versions", "GET /api/credentials"]);
    expect(site.sandbox.world.modules.size).toBe(0);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(`${text}${site.lines.join("")}`).not.toContain(KEY);
    const { text: refused } = await site.check({ crmUrl: `https://evil.example/${KEY}` });
    expect(`${refused}${site.lines.join("")}`).not.toContain(KEY);
    expect(await site.stored((store) => store.accounts.list())).toEqual([]);
  });

  it.each([
    ["another site", { origin: "https://evil.example" }, 403],
    ["another site that sends no origin", { "sec-fetch-site": "cross-site" }, 403],
    ["another content type", { "content-type": "text/plain" }, 415],
  ])("is not checked for %s", async (_, headers, status) => {
    const { check, asked } = await setUp();
    expect((await check({}, headers)).answer.status).toBe(status);
    expect(asked).toEqual([]);
  });

  it("hangs up at the CRM when the browser hangs up", async () => {
    const browser = new AbortController();
    const ended = new Promise<void>((resolve) => {
      hold = (signal) => {
        signal?.addEventListener("abort", () => resolve());
        browser.abort();
      };
    });
    const { app } = await runningSite({ call: () => (request) => silent(request.signal) });
    const server = listen((request, env) => app.fetch(request, env as never), { port: 0 });
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
    const body = new URLSearchParams({ crmUrl: CRM, apiKey: "" });
    await expect(fetch(url, { method: "POST", body, signal: browser.signal })).rejects.toThrow();
    await ended;
  });

  it("is sent as always by who has no script: a refusal shows the rights and the way to the keys", async () => {
    const { submit } = await setUp(["integration_read"]);
    const refused = await submit("/", { crmUrl: `${CRM}/admin/integration`, apiKey: KEY });
    const page = await refused.text();
    expect(page).toContain(`value="${CRM}/admin/integration"`);
    expect(page).toContain(`<a href="${CRM}/admin/api-keys"`);
    expect(marks(page).slice(0, 5)).toEqual(["✓", "✓", "integration_read", "✗", "integration_write"]);
    expect(page).not.toContain(KEY);
  });

  it("leads to the CRM's keys whenever a CRM has refused, and never otherwise", async () => {
    const { submit, sandbox } = await setUp();
    const page = async (fields: object = {}) =>
      (await submit("/", { crmUrl: CRM, apiKey: SANDBOX_KEY, ...fields })).text();
    expect(await page({ apiKey: "wrong" })).toContain("/admin/api-keys");
    expect(await page({ crmUrl: "https://evil.example" })).not.toContain("/admin/api-keys");
    Object.assign(sandbox.world, { gatewayOn: false });
    expect(await page()).toContain("/admin/api-keys");
    const shop: Call = async () => ({ type: "answer", status: 200, headers: {}, bytes: Buffer.from("<html>my shop") });
    const elsewhere = await runningSite({ call: () => shop });
    const refused = await elsewhere.submit("/", { crmUrl: CRM, apiKey: KEY });
    expect(await refused.text()).not.toContain("/admin/api-keys");
  });
});
