import type { Call } from "gangway-messenger/call";
import { alertIn } from "gangway-sandbox/demo/page-text";
import { describe, expect, it } from "vitest";
import { SANDBOX_KEY } from "../../../sandbox/src/crm/rights.ts";
import { CRM, runningSite } from "../../support/site.ts";
import { until } from "../../support/until.ts";

const problem = async (response: Response) => alertIn(await response.text());

describe("the form", () => {
  it("is prefilled with the account from the marketplace, shown as text only", async () => {
    const { ask } = await runningSite();
    const page = await (await ask("/?account=https%3A%2F%2Fshop.retailcrm.ru%2F")).text();
    expect(page).toContain('value="https://shop.retailcrm.ru"');
    const evil = await (await ask(`/?account=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(evil).not.toContain("<script>alert");
  });

  it("connects: key, rights and version first, then the registration, then the binding, and opens the account page", async () => {
    const operations: string[] = [];
    const site = await runningSite({
      call: (real: Call) => (request) => {
        operations.push(`${request.method} ${new URL(request.url).pathname}`);
        return real(request);
      },
    });
    const response = await site.submit("/", { crmUrl: `${CRM}/`, apiKey: ` ${SANDBOX_KEY} ` });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/account?done=connected");
    expect(operations.slice(0, 4)).toEqual([
      "GET /api/api-versions",
      "GET /api/credentials",
      "GET /api/system-info",
      "POST /api/v5/integration-modules/gangway/edit",
    ]);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-gangway-[\w-]{22}=[\w-]{43};/);
    for (const flag of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(flag);
    const settings = await site.ask("/account/settings", { headers: { cookie: site.cookieOf(response) } });
    expect(await settings.text()).toContain("API key ending in -key");
  });

  it("reconnects the same account with the same ids and channels", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const before = site.sandbox.world.modules.get("gangway")?.registration;
    site.sandbox.world.keys.set("second-key", { scopes: ["integration_read", "integration_write"], credentials: [] });
    const again = await site.submit("/", { crmUrl: CRM, apiKey: "second-key" });
    expect(again.headers.get("location")).toBe("/account?done=reconnected");
    const after = site.sandbox.world.modules.get("gangway")?.registration;
    expect([after?.clientId, after?.integrations]).toEqual([before?.clientId, before?.integrations]);
    expect(await site.page(site.cookieOf(again))).toContain("Shop chat");
    expect(await site.stored((store) => store.accounts.list())).toHaveLength(1);
  });

  it("follows an account that moves, by the CRM's callback or by the form, with its messengers", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const moved = CRM.replace("127.0.0.1", "localhost");
    const { clientId = "" } = site.sandbox.world.modules.get("gangway")?.registration ?? {};
    const tell = () =>
      site.submit("/actions/activity", { clientId, systemUrl: moved, activity: '{"active":true,"freeze":false}' });
    await tell();
    expect(await site.page(cookie)).toContain(`<strong>${CRM.replace("http://", "")}</strong>`);
    site.sandbox.world.settings.publicUrl = moved;
    await tell();
    expect(await site.page(cookie)).toContain(`<strong>${moved.replace("http://", "")}</strong>`);
    site.sandbox.world.settings.publicUrl = CRM.replace("127.0.0.1", "[::1]");
    const again = await site.submit("/", { crmUrl: "http://[::1]:7001", apiKey: SANDBOX_KEY });
    expect(again.headers.get("location")).toBe("/account?done=reconnected");
    expect(await site.page(site.cookieOf(again))).toContain("Shop chat");
    expect(await site.stored((store) => store.accounts.list())).toHaveLength(1);
  });

  it("does not lift the CRM's freeze", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    Object.assign(site.sandbox.world.modules.get("gangway") ?? {}, { freeze: true });
    expect(await site.connect()).not.toBe("");
    await until("the CRM's word", async () => (await site.page(cookie)).includes(">Frozen by the CRM<"));
  });

  it("makes one account of two submits at once", async () => {
    const site = await runningSite();
    const [one, two] = await Promise.all([1, 2].map(() => site.submit("/", { crmUrl: CRM, apiKey: SANDBOX_KEY })));
    expect([one?.status, two?.status]).toEqual([303, 303]);
    expect(await site.stored((store) => store.accounts.list())).toHaveLength(1);
  });

  it.each([
    ["no address", { crmUrl: "not an address at all" }, /does not look like the address/],
    ["a name before the host", { crmUrl: "https://me@shop.retailcrm.ru" }, /does not look like the address/],
    [
      "another host, whatever its path",
      { crmUrl: "https://evil.example/shop.retailcrm.ru" },
      /does not serve accounts/,
    ],
    ["another host", { crmUrl: "https://shop.example.com" }, /does not serve accounts at this address/],
    ["the CRM's own site", { crmUrl: "https://retailcrm.ru" }, /does not serve accounts/],
    ["a host that only looks right", { crmUrl: "https://a.b.retailcrm.ru" }, /does not serve accounts/],
    ["no key", { apiKey: " " }, /Enter the API key/],
    ["a wrong key", { apiKey: "wrong" }, /does not recognise this API key/],
  ])("says in plain words what is wrong: %s", async (_, fields, words) => {
    const site = await runningSite();
    const response = await site.submit("/", { crmUrl: CRM, apiKey: SANDBOX_KEY, ...fields });
    expect(response.status).toBe(422);
    expect(await problem(response)).toMatch(words);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(site.sandbox.world.modules.size).toBe(0);
  });

  it.each([
    [
      "a right that lacks",
      (w: World) => w.keys.set(SANDBOX_KEY, { scopes: ["integration_read"], credentials: [] }),
      /lacks these rights: integration_write\./,
    ],
    [
      "no rights",
      (w: World) => w.keys.set(SANDBOX_KEY, { scopes: [], credentials: [] }),
      /integration_read and integration_write/,
    ],
    ["an old version", (w: World) => Object.assign(w, { versions: ["3.0", "4.0"] }), /version 5/],
    ["the gateway switched off", (w: World) => Object.assign(w, { gatewayOn: false }), /Switch chats on in the CRM/],
    ["no money", (w: World) => Object.assign(w, { unpaid: true }), /balance of your CRM account is too low/],
  ])("says what is wrong in the CRM: %s", async (_, change, words) => {
    const site = await runningSite();
    change(site.sandbox.world);
    expect(await problem(await site.submit("/", { crmUrl: CRM, apiKey: SANDBOX_KEY }))).toMatch(words);
    expect(await site.stored((store) => store.accounts.list())).toEqual([]);
  });

  it("accepts a key older than scopes, by its method paths", async () => {
    const site = await runningSite();
    const credentials = ["/api/integration-modules/gangway", "/api/integration-modules/gangway/edit"];
    site.sandbox.world.keys.set("old-key", { scopes: [], credentials });
    expect((await site.submit("/", { crmUrl: CRM, apiKey: "old-key" })).status).toBe(303);
  });

  it("explains in plain words that the address is not a CRM, or unreachable", async () => {
    const html: Call = async () => ({ type: "answer", status: 200, headers: {}, bytes: Buffer.from("<html>my shop") });
    const gone: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "x" });
    const say = async (call: Call) =>
      problem(await (await runningSite({ call: () => call })).submit("/", { crmUrl: CRM, apiKey: "k" }));
    expect(await say(html)).toMatch(/a website at this address, but no CRM/);
    expect(await say(gone)).toMatch(/could not reach your CRM/);
  });
});

type World = Awaited<ReturnType<typeof runningSite>>["sandbox"]["world"];
