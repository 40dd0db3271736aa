import { describe, expect, it } from "vitest";
import { CRM, OWN, ownPath, runningSite } from "../../../support/site.ts";

const languageIn = async (answer: Response) => /<html lang="(\w+)">/.exec(await answer.text())?.[1];

async function setUp() {
  const { app, sandbox } = await runningSite();
  const request = async (path: string, headers: Record<string, string> = {}, form?: Record<string, string>) =>
    app.fetch(
      new Request(OWN + ownPath(path, headers.cookie), {
        headers,
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
      }),
    );
  const settings = (language: string, timeZone = "Europe/Madrid") => {
    sandbox.world.settings = { language, timeZone };
  };
  const connect = async (headers: Record<string, string> = {}) => {
    const answer = await request("/", { origin: OWN, ...headers }, { crmUrl: CRM, apiKey: "sandbox-key" });
    return (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  };
  const clientId = () => sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
  const webhook = () =>
    new URL(sandbox.world.modules.get("gangway")?.registration.integrations.mgTransport?.webhookUrl ?? "").pathname;
  return { app, request, settings, connect, clientId, webhook };
}

describe("the language of a page", () => {
  it("is the browser's first one that there is, else English", async () => {
    const { request } = await setUp();
    const cases: [accepted: string, language: string][] = [
      ["es-MX,en;q=0.5", "es"],
      ["fr, ru;q=0.4, en;q=0.3", "ru"],
      ["ru;q=0, es;q=0.1", "es"],
      ["fr", "en"],
      ["*", "en"],
      ["", "en"],
      ["español", "en"],
    ];
    for (const [accepted, language] of cases)
      expect(await languageIn(await request("/", accepted ? { "accept-language": accepted } : {})), accepted).toBe(
        language,
      );
  });

  it("is the account's once it is connected, whatever the browser wants", async () => {
    const { request, settings, connect } = await setUp();
    settings("ru");
    const cookie = await connect({ "accept-language": "es" });
    expect(await languageIn(await request("/account", { cookie, "accept-language": "es" }))).toBe("ru");
  });

  it("is the browser's when the account has one that the pages lack, or a key that may not read it", async () => {
    const { request, settings, connect } = await setUp();
    settings("pt");
    const cookie = await connect();
    expect(await languageIn(await request("/account", { cookie, "accept-language": "es" }))).toBe("es");
  });

  it("is the one chosen by hand before all others, on every page, refused and missing ones too", async () => {
    const { request, settings, connect } = await setUp();
    settings("ru");
    const cookie = await connect();
    const chosen = await request("/language", { origin: OWN, cookie }, { language: "es", to: "/account" });
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "/account"]);
    const set = chosen.headers.getSetCookie()[0] ?? "";
    expect(set).toMatch(/^gangway-language=es; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const both = { cookie: `${cookie}; gangway-language=es`, "accept-language": "ru", accept: "text/html" };
    for (const path of ["/?done=left", "/account", "/account/settings", "/no-such-page"])
      expect(await languageIn(await request(path, both)), path).toBe("es");
    expect(await languageIn(await request("/account/leave", { ...both, origin: "https://evil.example" }, {}))).toBe(
      "es",
    );
    expect(await languageIn(await request("/", { ...both, origin: OWN }, { crmUrl: "x", apiKey: "y" }))).toBe("es");
  });

  it("changes when the account's settings change, by asking the CRM and not by believing the callback", async () => {
    const { request, settings, connect, clientId } = await setUp();
    settings("en");
    const cookie = await connect();
    settings("es");
    const call = { clientId: clientId(), settings: JSON.stringify({ system_language: "ru", timezone: "Nowhere" }) };
    expect(await (await request("/actions/settings", {}, call)).json()).toEqual({ success: true });
    expect(await languageIn(await request("/account", { cookie }))).toBe("es");
    expect(await (await request("/actions/settings", {}, { clientId: "guess" })).json()).toEqual({ success: false });
  });
});

describe("what went wrong", () => {
  it("is said in the language of the page, by the messenger's own explanations", async () => {
    const { request, settings, connect } = await setUp();
    settings("es");
    const cookie = await connect();
    const page = await (await request("/account", { cookie })).text();
    const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const add = { formToken, kind: "telegram", name: "Bot" };
    const shaped = await request("/account/channels", { cookie, origin: OWN }, { ...add, "setting.token": "no" });
    expect(await shaped.text()).toContain(
      "Copie el token exactamente como lo muestra BotFather; es como 1234567890:AAF…",
    );
    const unknown = { ...add, "setting.token": `7700000001:${"A".repeat(35)}` };
    const refused = await (await request("/account/channels", { cookie, origin: OWN }, unknown)).text();
    expect(refused).toContain("El servicio de mensajería ha rechazado la conexión: Telegram no reconoce este token.");
  });
});

describe("what agents read", () => {
  it("is in the account's language: a refused webhook's reason", async () => {
    const { app, settings, connect, clientId, webhook } = await setUp();
    settings("ru");
    await connect();
    const body = JSON.stringify({ type: "thunder", meta: { timestamp: 1 }, data: {} });
    const headers = { clientid: clientId(), "content-type": "application/json" };
    const answer = await app.fetch(new Request(`${OWN}${webhook()}`, { method: "POST", headers, body }));
    expect(await answer.json()).toMatchObject({ error: { message: "Модуль не поддерживает события этого типа." } });
  });
});

describe("a choice of language", () => {
  it.each(["//evil.example", "https://evil.example/account", "/\\evil.example", "/account/../..//evil", "/a\nb", ""])(
    "never leads away from the server: %j",
    async (to) => {
      const { request } = await setUp();
      expect((await request("/language", { origin: OWN }, { language: "es", to })).headers.get("location")).toBe("/");
    },
  );

  it("returns to the page of a form that was sent, and where its address has none, to the account's", async () => {
    const { request, connect } = await setUp();
    const cookie = await connect();
    const home = ownPath("/account", cookie);
    const page = await (await request("/account/messages", { cookie })).text();
    const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const returnOf = async (path: string, more: object = {}) => {
      const sent = await request(path, { cookie, origin: OWN }, { formToken, ...more });
      return /name="to" value="([^"]*)"/.exec(await sent.text())?.[1];
    };
    expect(await returnOf("/account/messages", { text: "rope" })).toBe(`${home}/messages`);
    expect(await returnOf("/account/customers", { text: "rope" })).toBe(`${home}/customers`);
    expect(await returnOf("/account/channels", { kind: "telegram" })).toBe(home);
  });

  it("is not made by another site, nor for a language that there is not", async () => {
    const { request } = await setUp();
    const by = async (origin: string, language: string) =>
      (await request("/language", { origin }, { language, to: "/" })).headers.getSetCookie();
    expect(await by("https://evil.example", "es")).toEqual([]);
    expect(await by(OWN, "xx")).toEqual([]);
    expect(await by(OWN, "es; Domain=evil")).toEqual([]);
  });
});
