import { describe, expect, it } from "vitest";
import { CRM, OWN, runningSite } from "../../../test/support/site.ts";
import { account, bot } from "./account.ts";

describe("spec: Registration flow", () => {
  it('of a transport module, which is Gangway: "Registration flow (transport module and bot module are alike):" / "The user creates an API key in the system." / "The user presses the connect button in the module card of the marketplace." / "The system redirects the user to the module\'s configuration and enabling form." / "The user fills in the form." / "The module checks the API key, its rights and the API version." / "The module registers itself with the edit method; the service obtains a token from the gateway." / "The service returns the token and the gateway address." / "The user fills in the transport channel settings or the bot settings." / "The module registers transport channels in the gateway, or saves bot settings in the gateway." / "The user is redirected back to the account."', async () => {
    const { sandbox, ask, submit, cookieOf, addChannel, page } = await runningSite();
    const visit = async (path: string, body?: URLSearchParams) =>
      sandbox.fetch(new Request(`${CRM}${path}`, { method: body ? "POST" : "GET", body }), {});
    const operations = () => sandbox.calls.entries().map(({ operation, status }) => `${operation} ${status}`);

    const rights = new URLSearchParams({ scope: "integration_read" });
    rights.append("scope", "integration_write");
    const made = decodeURIComponent((await visit("/account/keys", rights)).headers.get("location") ?? "");
    const [, apiKey = ""] = /key (\w{32,}) was created/.exec(made) ?? [];
    expect(sandbox.world.keys.get(apiKey)?.scopes).toEqual(["integration_read", "integration_write"]);

    const [, card = ""] = /href="([^"]+)">\s*Connect the module/.exec(await (await visit("/")).text()) ?? [];
    expect(card).toBe(`${OWN}/?account=${encodeURIComponent(CRM)}`);
    const form = await (await ask(card.slice(OWN.length))).text();
    expect(form).toMatch(new RegExp(`name="crmUrl"[^>]* value="${CRM}"`));
    expect(operations()).toEqual([]);

    const entered = await submit("/", { crmUrl: CRM, apiKey });
    expect(operations().slice(0, 4)).toEqual([
      "apiVersions 200",
      "apiCredentials 200",
      "systemInfo 200",
      "editIntegrationModule 200",
    ]);
    // Gangway has them from the answer alone: with them it reaches the gateway below.
    expect(sandbox.world.modules.get("gangway")?.token).toMatch(/^\w{32,}$/);

    const cookie = cookieOf(entered);
    const filled = await addChannel(cookie, "Shop chat");
    expect([...sandbox.world.channels.values()]).toMatchObject([
      { name: "Shop chat", moduleCode: "gangway", active: true },
    ]);
    expect(operations()).toContain("activateChannel 201");
    expect([filled.status, filled.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/account\b/)]);
    expect(await page(cookie)).toContain("Shop chat");
    expect(sandbox.calls.entries().flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("of a bot module is alike: a key, its checks, the registration, and settings in the gateway", async () => {
    const { json, crm, edit, asBot, world, faults } = account();
    const scopes = ["integration_read", "integration_write"];
    await json("POST", "/sandbox/keys", { key: "made-by-the-user", scopes });
    const ask = async (path: string) => (await crm("GET", path, undefined, "made-by-the-user")).body;
    expect((await ask("/api/api-versions")).versions).toContain("5.0");
    expect((await ask("/api/credentials")).scopes).toEqual(scopes);
    const { info } = (await edit(bot(), "b", "made-by-the-user")).body as { info?: unknown };
    const { token } = (info as { mgBot: { token: string } }).mgBot;
    await asBot("PATCH", "/my/info", { name: "Helper" }, token);
    expect([...world.bots.values()]).toMatchObject([{ name: "Helper" }]);
    expect(faults()).toEqual([]);
  });
});
