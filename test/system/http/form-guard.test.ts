import { LANGUAGES } from "gangway-messenger/language";
import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../../src/http/doors/rate-limit.ts";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { CRM, OWN, ownPath, runningSite } from "../../support/site.ts";
import { servedSite } from "./served.ts";

const TYPES = [
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=utf-8",
  "text/plain",
  "application/json",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "",
];
const SITES: [string, Record<string, string>, boolean][] = [
  ["our own page", { origin: OWN, "sec-fetch-site": "same-origin" }, true],
  ["an old browser's own page", { origin: OWN }, true],
  ["no browser", {}, true],
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, false],
  ["another site that sends no origin", { "sec-fetch-site": "cross-site" }, false],
  ["another site in an old browser", { origin: "https://evil.example" }, false],
  ["our name over plain http", { origin: OWN.replace("https", "http"), host: "gangway.example" }, false],
  ["another port", { origin: `${OWN}:8443`, host: "gangway.example:8443" }, false],
  ["a subdomain", { origin: "https://x.gangway.example", "sec-fetch-site": "same-site" }, false],
  ["a sandboxed frame", { origin: "null", "sec-fetch-site": "cross-site" }, false],
  ["a sandboxed frame in an old browser", { origin: "null" }, false],
];

describe("a form that changes something", () => {
  it.each(SITES)("from %s, with every content type and token", async (_, headers, own) => {
    const site = await runningSite();
    const cookie = await site.connect();
    const token = await site.formToken(cookie);
    const send = (formToken: string, type: string) => {
      const body = new TextEncoder().encode(new URLSearchParams({ formToken }).toString());
      const sent = { cookie, ...headers, ...(type && { "content-type": type }) };
      return site.ask("/account/jobs/1/again", { method: "POST", headers: sent, body });
    };
    for (const type of TYPES) {
      // 404: the request passed, but there is no such job.
      const through = type.startsWith("application/x-www-form-urlencoded") ? 404 : 415;
      expect((await send(token, type)).status, type).toBe(own ? through : 403);
      expect((await send("", type)).status, type).toBe(403);
      expect((await send(`${token}x`, type)).status, type).toBe(403);
    }
  });

  it("needs the token of its own visit, and a visit at all", async () => {
    const site = await runningSite();
    const [one, two] = [await site.connect(), await site.connect()];
    const formToken = await site.formToken(two);
    expect((await site.submit("/account/jobs/1/again", { formToken }, { cookie: one })).status).toBe(403);
    expect((await site.submit(ownPath("/account/jobs/1/again", one), { formToken })).status).toBe(401);
    expect((await site.submit("/account/leave", { formToken }, { cookie: one.replace(/=.*/, "=guess") })).status).toBe(
      401,
    );
  });

  it("does nothing to another account's channel on the same server, whatever the route", async () => {
    const site = await runningSite();
    const mine = await site.connect();
    const theirs = site.cookieOf(await site.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
    await site.addChannel(theirs, "Theirs");
    const before = await site.page(theirs);
    const id = /data-channel="([\w-]{22})"/.exec(before)?.[1] ?? "";
    expect(id).not.toBe("");
    expect(await site.page(mine)).not.toContain(id);
    const formToken = await site.formToken(mine);
    for (const path of ["", "/remove", "/pause", "/resume", "/test"]) {
      const sent = { formToken, name: "Mine now", "setting.title": "t", "setting.accent": "#000000" };
      const refused = await site.submit(`/account/channels/${id}${path}`, sent, { cookie: mine });
      expect(refused.status, path).toBe(404);
    }
    const unmarked = (page: string) => page.replaceAll(/name="formToken" value="[^"]+"|live\?seen=[^"]+/g, "");
    expect(unmarked(await site.page(theirs))).toBe(unmarked(before));
  });

  it("cannot set the server's hidden settings", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const fields = { kind: "webchat", name: "x", "setting.title": "t", "setting.accent": "#000000" };
    const key = "k".repeat(40);
    const sent = {
      ...fields,
      formToken: await site.formToken(cookie),
      "setting.visitorKey": key,
      "setting.__proto__": "x",
    };
    expect((await site.submit("/account/channels", sent, { cookie })).status).toBe(303);
    const settings = await site.stored(async (store) => {
      const [account] = await store.accounts.list();
      return account && (await store.channels.list(account.id))[0]?.settings;
    });
    expect(settings).toMatchObject({ title: "t", visitorKey: expect.stringMatching(/^[\w-]{43}$/) });
    expect((settings as { visitorKey: string }).visitorKey).not.toBe(key);
  });

  it("for a messenger that does not exist says so", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const refused = await site.submit(
      "/account/channels",
      { formToken: await site.formToken(cookie), kind: "smoke" },
      { cookie },
    );
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("This messenger is not available.");
  });
});

describe("the form that connects", () => {
  it.each(SITES)("from %s", async (_, headers, own) => {
    const site = await runningSite();
    const body = new URLSearchParams({ crmUrl: "x", apiKey: "y" });
    expect((await site.ask("/", { method: "POST", headers, body })).status).toBe(own ? 422 : 403);
  });

  it("shows the marketplace's account as a bare address", async () => {
    const { ask } = await runningSite();
    const shown = async (account: string) =>
      /name="crmUrl"[^>]* value="([^"]*)"/.exec(
        await (await ask(`/?account=${encodeURIComponent(account)}`)).text(),
      )?.[1];
    expect(await shown(" https://Shop.retailcrm.ru/admin?x=1#y ")).toBe("https://shop.retailcrm.ru");
    expect(await shown("shop.retailcrm.ru//")).toBe("shop.retailcrm.ru");
    expect(await shown("javascript:alert(1)")).toBe("javascript:alert(1)");
    expect(await shown("x".repeat(1000))).toHaveLength(255);
  });
});

describe("the session cookie", () => {
  it("is for this host alone, over https alone, and not for scripts", async () => {
    const site = await runningSite();
    const set = (await site.submit("/", { crmUrl: CRM, apiKey: "sandbox-key" })).headers.get("set-cookie") ?? "";
    expect(set.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]);
    expect(set).toMatch(/^__Host-gangway-[\w-]{22}=[\w-]{43};/);
    const left = await site.submit(
      "/account/leave",
      {
        formToken: await site.formToken(site.cookieOf(await site.submit("/", { crmUrl: CRM, apiKey: "sandbox-key" }))),
      },
      { cookie: set.split(";")[0] ?? "" },
    );
    expect(left.status).toBe(403);
  });

  it("has a plain name in the sandbox over http, where browsers refuse the other", async () => {
    const { origin } = await servedSite();
    const body = new URLSearchParams({ crmUrl: CRM, apiKey: "sandbox-key" });
    const { headers } = await fetch(`${origin}/`, { method: "POST", body, headers: { origin }, redirect: "manual" });
    expect(headers.get("set-cookie")).toMatch(/^gangway-[\w-]{22}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it("is worth nothing after the visit has ended", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const left = await site.submit("/account/leave", { formToken: await site.formToken(cookie) }, { cookie });
    expect(left.headers.get("set-cookie")).toMatch(/^__Host-gangway-[\w-]{22}=; Max-Age=0/);
    expect((await site.ask("/account", { headers: { cookie } })).status).toBe(401);
  });
});

describe("attempts", () => {
  it("are counted per address and minute", () => {
    let time = 0;
    const limit = createRateLimit(3, { monotonic: () => time });
    expect([1, 2, 3, 4].map(() => limit.take("a"))).toEqual([true, true, true, false]);
    expect(limit.take("b")).toBe(true);
    time = 60_000;
    expect(limit.take("a")).toBe(true);
    for (let n = 0; n < 25_000; n++) limit.take(`address ${n}`);
  });

  it("do not stop users who enter from their CRM, and ignore a forged address header", async () => {
    const site = await runningSite();
    await site.connect();
    const clientId = site.sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
    for (let n = 0; n < 40; n++) expect((await site.submit("/account", { clientId })).status).toBe(303);
    const guess = (n: number) =>
      site.submit("/account", { clientId: `guess ${n}` }, { "x-forwarded-for": `10.0.0.${n}` });
    for (let n = 0; n < 20; n++) expect((await guess(n)).status).toBe(401);
    const slowed = await guess(21);
    expect([slowed.status, slowed.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await slowed.text()).toContain("Wait a minute");
  });

  it("that fail block neither entries from the CRM nor connects behind the same address", async () => {
    const site = await runningSite();
    await site.connect();
    const clientId = site.sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
    for (let n = 0; n < 50; n++) await site.submit("/account", { clientId: `guess ${n}` });
    expect((await site.submit("/account", { clientId: "guess" })).status).toBe(429);
    expect((await site.submit("/account", { clientId })).status).toBe(303);
    expect(await site.connect()).toContain("gangway-");
  });
});

describe("an unknown path", () => {
  it("is reported as a page to browsers and as a word to programs", async () => {
    const { ask } = await runningSite();
    const page = await ask("/nothing", { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      404,
      expect.stringContaining("'none'"),
    ]);
    expect(await page.text()).toContain("<h1>Not found</h1>");
    expect(await (await ask("/nothing")).text()).toBe("Not found");
  });

  it("explains to a stranger how to open the account page", async () => {
    const { ask } = await runningSite();
    const page = await ask("/account");
    expect(page.status).toBe(401);
    expect(await page.text()).toMatch(/list of integrations of your CRM[\s\S]*href="\/"/);
  });

  it.each(LANGUAGES)(
    "opens a notification's link for every visit, and tells others how to get one: %s",
    async (language) => {
      const site = await runningSite();
      const cookie = await site.connect();
      await site.addChannel(cookie);
      const id = / data-channel="([\w-]{22})"/.exec(await site.page(cookie))?.[1] ?? "";
      const link = ownPath(`/account/channels/${id}`, cookie);
      const headers = { "accept-language": language, "sec-fetch-site": "cross-site" };
      for (const visit of [cookie, await site.connect()]) {
        const answer = await site.ask(link, { headers: { ...headers, cookie: visit } });
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Shop chat")]);
      }
      const other = await site.ask(link, { headers });
      const page = await other.text();
      expect([other.status, page]).toEqual([401, expect.stringContaining(strings[language].noVisit.text)]);
      expect(page).not.toContain(CRM);
    },
  );
});
