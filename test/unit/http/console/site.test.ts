import { describe, expect, it } from "vitest";
import { consoleSite } from "../../../../src/http/console/site.ts";
import { createFleet } from "../../../../src/module/vendor/fleet.ts";
import { busyConsole, CONSOLE_TOKEN, form, HOSTILE, signedIn } from "../../../support/console.ts";

describe("the console", () => {
  it("shows nothing without its token, whatever the path, and a wrong one is refused in words", async () => {
    const { site, account } = await busyConsole();
    const paths = ["/", "/accounts", "/accounts.csv", "/accounts.json", `/accounts/${account.id}`, "/audit.json"];
    for (const path of [
      ...paths,
      "/messages",
      "/messages/1",
      "/undelivered",
      "/audit",
      "/audit.csv",
      "/events",
      "/elsewhere",
    ]) {
      const answer = await site.request(path);
      expect([answer.status, (await answer.text()).includes("Sign in to the console")], path).toEqual([401, true]);
    }
    const wrong = await site.request("/sign-in", form({ token: "wrong" }));
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await wrong.text()).toContain("That is not the console&#39;s token.");
  });

  it("keeps its session in a cookie that no script and no other site gets, and ends it after an hour or by hand", async () => {
    const { opened, ask, cookie, clock, formToken } = await signedIn();
    for (const flag of ["HttpOnly", "SameSite=Strict", "Path=/"])
      expect(opened.headers.get("set-cookie")).toContain(flag);
    clock.leap(59 * 60_000);
    expect((await ask("/accounts")).status).toBe(200);
    const token = await formToken();
    expect((await ask("/sign-out", form({ formToken: "forged" }))).status).toBe(403);
    expect((await ask("/sign-out", form({ formToken: token }, { origin: "https://evil.example" }))).status).toBe(403);
    expect((await ask("/sign-out", form({ formToken: token }))).status).toBe(303);
    expect((await ask("/accounts")).status, `${cookie} is over`).toBe(401);
    const again = await signedIn();
    again.clock.leap(61 * 60_000);
    expect((await again.ask("/accounts")).status).toBe(401);
    const busy = await signedIn();
    for (let hours = 0; hours < 12; hours++) {
      expect((await busy.ask("/accounts")).status, `after ${hours} hours`).toBe(200);
      busy.clock.leap(3_600_000);
    }
    busy.clock.leap(1);
    expect((await busy.ask("/accounts")).status, "however busy it is").toBe(401);
    const open = await signedIn();
    for (let minutes = 0; minutes < 60; minutes += 20) {
      open.clock.leap(20 * 60_000);
      expect((await open.ask("/accounts", { headers: { "x-fresh": "1" } })).status).toBe(200);
    }
    open.clock.leap(1);
    expect((await open.ask("/accounts")).status, "a page that is only open is no use").toBe(401);
    const { headers } = await busy.site.request(
      "/sign-in",
      form({ token: CONSOLE_TOKEN }, { origin: "https://console.example" }),
    );
    expect(headers.get("set-cookie"), "through a proxy that speaks https").toContain("Secure");
  });

  it("leads on from the sign-in to the page that was asked for, and to no other address", async () => {
    const { site } = await busyConsole();
    expect(await (await site.request("/messages/7")).text()).toContain('name="to" value="/messages/7"');
    const leads = async (to: string) =>
      (await site.request("/sign-in", form({ token: CONSOLE_TOKEN, to }))).headers.get("location");
    expect(await leads("/messages/7")).toBe("/messages/7");
    for (const to of ["//evil.example", "https://evil.example", "/sign-out", "/accounts/../x", ""])
      expect(await leads(to), to).toBe("/accounts");
  });

  it("refuses other sites' forms", async () => {
    const { site } = await busyConsole();
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await site.request("/sign-in", form({ token: CONSOLE_TOKEN }, headers as never))).status).toBe(403);
  });

  it("lists accounts by trouble first, filters them, and shows one with the reason of each channel", async () => {
    const { page, account, channel, ask } = await signedIn();
    const list = await page("/accounts");
    const [first, second] = [list.indexOf("shop.retailcrm.ru"), list.indexOf("other.retailcrm.ru")];
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    const paused = await page("/accounts?standing=paused");
    expect([paused.includes("other.retailcrm.ru"), paused.includes("shop.retailcrm.ru")]).toEqual([true, false]);
    const byChannel = await page(`/accounts?text=${channel.id}`);
    expect([byChannel.includes("shop.retailcrm.ru"), byChannel.includes("other.retailcrm.ru")]).toEqual([true, false]);
    expect(await page("/accounts?text=nobody")).toContain("No account is like that");
    const one = await page(`/accounts/${account.id}`);
    for (const words of ["the token was refused", "stopped", channel.id]) expect(one).toContain(words);
    expect((await ask("/accounts/nobody")).status).toBe(404);
  });

  it("finds a message by customer, words, error and id over all accounts, and tells its story", async () => {
    const { search, ask, page } = await signedIn();
    for (const text of ["Visitor", "answer 2", "perhaps sent", "901"]) {
      const { text: found } = await search(text);
      expect(found, text).toMatch(/href="\/messages\/\d+"/);
    }
    const none = (await search("no such words")).text;
    expect(none).toContain("Nothing contains “no such words”.");
    expect(none).toMatch(
      /Searched the newest\s+\d+\s+messages, since\s+<time[^>]*>[^<]+<\/time> UTC\s*; there are none before/,
    );
    expect(none).not.toContain("Search further back");
    const id = /href="\/messages\/(\d+)"/.exec((await search("perhaps sent")).text)?.[1];
    const story = await page(`/messages/${id}`);
    for (const words of ["held: perhaps delivered", "came from the CRM"]) expect(story).toContain(words);
    expect((await search(String(id))).text, "by its number").toContain(`/messages/${id}`);
    expect((await ask("/messages/999999")).status).toBe(404);
    expect((await ask("/messages", form({ text: "Visitor" }))).status, "without the form's token").toBe(403);
  });

  it("searches words further back, by a button that says from where", async () => {
    const { ask, formToken, store } = await signedIn();
    const { found } = await store.stories.findAnywhere("answer");
    const oldest = found.at(-1)?.id ?? 0;
    const further = async (before: string) =>
      (await ask("/messages", form({ formToken: await formToken(), text: "answer", before }))).text();
    const older = await further(String(oldest + 1));
    expect(older).toMatch(new RegExp(`Searched\\s+before message ${oldest + 1}:`));
    expect([...older.matchAll(/href="\/messages\/(\d+)"/g)].map(([, id]) => Number(id))).toEqual([oldest]);
    expect(await further("<script>"), "what is no message counts as absent").toContain("Searched the newest");
  });

  it("groups what was not delivered by reason, counted as the merchants' pages count it, and shows the audit", async () => {
    const { page, store, account } = await signedIn();
    const [shown = "", held] = (await page("/undelivered")).split("Held: perhaps delivered");
    expect(held).toContain("perhaps sent");
    const counts = [...shown.matchAll(/<strong>(\d+) ×<\/strong>/g)].map(([, count]) => Number(count));
    const own = (await store.outbox.countEnded(account.id)).filter(({ state }) => state === "dead");
    const all = own.reduce((sum, { count }) => sum + count, 0);
    expect(all).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all);
    expect(counts).toEqual([...counts].sort((one, other) => other - one));
    expect((await store.ledger(account.id)).reduce((sum, { undelivered }) => sum + undelivered, 0)).toBe(all);
    expect(await page("/audit")).toContain("sent again");
  });

  it("says that the figures are not read yet, instead of showing that all is well", async () => {
    const { site, store, parts } = await busyConsole();
    const early = consoleSite({ ...parts, fleet: createFleet({ store, checked: () => undefined }) });
    const opened = await early.request("/sign-in", form({ token: CONSOLE_TOKEN }));
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    for (const path of ["/accounts", "/accounts.csv", "/accounts.json"]) {
      const answer = await early.request(path, { headers: { cookie } });
      expect([answer.status, await answer.text()], path).toEqual([503, expect.stringContaining("not read yet")]);
    }
    expect((await site.request("/accounts", { headers: { cookie } })).status, "another server's session").toBe(401);
  });

  it("makes a link into an account's pages for a reason, which the audit has, and shows it once", async () => {
    const { ask, account, formToken, page, store } = await signedIn();
    const open = async (why: string, path = `/accounts/${account.id}/open`) =>
      ask(path, form({ formToken: await formToken(), why }));
    const made = await open("ticket 4711");
    const text = await made.text();
    const [, token = ""] = /gangway\.example\/support\/([\w-]{43})"/.exec(text) ?? [];
    expect([made.status, token === ""]).toEqual([200, false]);
    expect(await page("/audit")).toContain("ticket 4711");
    expect(await page(`/accounts/${account.id}`)).not.toContain(token);
    const by = { actor: "operator" as const, action: "opened" };
    expect(await store.webSessions.redeem(token, by)).toMatchObject({ accountId: account.id });
    for (const why of ["", "   ", "x".repeat(201)]) {
      const refused = await open(why);
      expect([refused.status, (await refused.text()).includes("at most 200 characters")], why).toEqual([422, true]);
    }
    expect((await open("x", "/accounts/nobody/open")).status).toBe(404);
    expect((await ask(`/accounts/${account.id}/open`, form({ formToken: "forged", why: "x" }))).status).toBe(403);
    expect((await ask(`/accounts/${account.id}/open`)).headers.get("location")).toBe(`/accounts/${account.id}`);
  });

  it("shows hostile names as text, and no secret", async () => {
    const { page, account } = await signedIn();
    const shown = await page(`/accounts/${account.id}`);
    expect(shown).not.toContain("<img src=x");
    expect(shown).toContain("&lt;img src=x");
    expect(HOSTILE).toContain("<img src=x");
    const all = [shown, await page("/accounts"), await page("/accounts.json"), await page("/audit.json")].join();
    for (const secret of [account.apiKey, account.clientId, account.webhookSecret, account.gatewayToken])
      expect(all).not.toContain(secret);
  });

  it("exports CSV that a spreadsheet does not take for formulas, and JSON", async () => {
    const { ask, store, account } = await signedIn();
    await store.audit.record(account.id, { actor: "operator", action: '=HYPERLINK("x"),now' });
    const csv = await (await ask("/audit.csv")).text();
    expect(csv).toContain(`,"'=HYPERLINK(""x""),now",`);
    const accounts = await ask("/accounts.csv");
    expect(accounts.headers.get("content-disposition")).toBe('attachment; filename="accounts.csv"');
    expect((await accounts.text()).split("\r\n")[0]).toContain("id,crmUrl,standing");
    const json = (await (await ask("/accounts.json")).json()) as { accounts: unknown[] };
    expect(json.accounts).toHaveLength(2);
  });
});
