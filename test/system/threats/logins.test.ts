import { describe, expect, it } from "vitest";
import { LOGIN_MS } from "../../../src/module/channels/login-memory.ts";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { handClock } from "../../support/clock.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { ageLogins, readRows } from "../../support/engine.ts";
import { berth, CHOOSE, harbour, ticketOf } from "../../support/ferry-site.ts";
import { accountIn } from "../../support/site.ts";
import { FERRY_APP, ferry } from "../contract/toy/ferry.ts";

const code = `a-code-of-the-line-${"c".repeat(24)}`;
const over = strings.en.loginOver.title;

describe("the state of a login", () => {
  it("is good for one code: with another one it leads only to what the first has brought", async () => {
    const { line, goes, comesBack, text } = await harbour();
    const { state } = await goes();
    await comesBack({ state, code });
    line.berths = [berth("of the attacker")];
    const again = await comesBack({ state, code: `${code}-2` });
    expect(again.headers.get("location")).toBe(CHOOSE);
    expect(line.codes).toEqual([code]);
    expect(await text(CHOOSE)).not.toContain("attacker");
  });

  it("is useless to whoever does not hold the visit that began it, also of the same account", async () => {
    const site = await harbour();
    const { state } = await site.goes();
    const theirs = site.cookieOf(await site.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
    const second = await site.connect();
    for (const cookie of ["", theirs, second]) {
      const answer = await site.comesBack({ state, code }, { cookie });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(over)]);
      if (cookie) expect((await site.ask(CHOOSE, { headers: { cookie } })).status).toBe(410);
    }
    expect(site.line.codes).toEqual([]);
    // Nobody has used it up for whom it was made.
    expect((await site.comesBack({ state, code })).headers.get("location")).toBe(CHOOSE);
  });

  it("cannot be another's, guessed, missing, or of another messenger", async () => {
    const liner = { ...ferry, kind: "liner" };
    const messengers = { ferry: FERRY_APP, liner: FERRY_APP };
    const { goes, comesBack, ask, cookie, line } = await harbour({ adapters: [ferry, liner], messengers });
    const { state } = await goes();
    for (const query of [{ code }, { code, state: "" }, { code, state: `${state}x` }, { code, state: "s".repeat(43) }])
      expect((await comesBack(query as Record<string, string>)).status).toBe(400);
    const mixedUp = await ask(`/apps/liner/login?${new URLSearchParams({ state, code })}`, { headers: { cookie } });
    expect(mixedUp.status).toBe(400);
    expect(line.codes).toEqual([]);
  });

  it("expires after ten minutes, and so does what the login has brought", async () => {
    const clock = handClock();
    const { folder, goes, comesBack, chooses, look, names } = await harbour({ clock });
    const pass = () => Promise.all([clock.forward(LOGIN_MS + 1), ageLogins(folder, LOGIN_MS + 1)]);
    const { state } = await goes();
    await pass();
    expect((await comesBack({ state, code })).status).toBe(400);
    await comesBack({ state: (await goes()).state, code });
    await pass();
    expect((await look(CHOOSE)).status).toBe(410);
    const late = await chooses("ferry:north");
    expect([late.status, late.headers.get("location")]).toEqual([303, CHOOSE]);
    expect((await look(CHOOSE)).status).toBe(410);
    expect(await names()).toEqual([]);
  });

  it("is in no log line, nor is the code, nor in any address after the return", async () => {
    const { line, lines, goes, comesBack, text } = await harbour();
    const { state } = await goes();
    line.codes.push(code);
    const back = await comesBack({ state, code });
    expect(back.headers.get("location")).toBe(CHOOSE);
    // The messenger repeats the code in its refusal.
    expect(await text(CHOOSE)).toContain("the code *** is used or unknown");
    expect(lines.join("")).toContain("login.failed");
    for (const secret of [state, code, FERRY_APP.secret]) expect(lines.join("")).not.toContain(secret);
  });
});

describe("a login", () => {
  it("is not begun by another site, nor in a frame, nor without a visit", async () => {
    const { look, ask, cookie } = await harbour();
    const begin = async (headers: Record<string, string>) => (await look("/account/add/ferry/login", headers)).status;
    expect(await begin({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await begin({ "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe" })).toBe(409);
    expect(await begin({ "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" })).toBe(303);
    expect((await ask(`/account/${accountIn(cookie)}/add/ferry/login`)).status).toBe(401);
  });

  it("leads nowhere but to the messenger and back here, whatever the query says", async () => {
    const { look, goes, comesBack } = await harbour();
    const evil = "https://evil.example/";
    const query = new URLSearchParams({ redirect: evil, redirect_uri: evil, to: evil, state: "mine" });
    const to = (await look(`/account/add/ferry/login?${query}`)).headers.get("location") ?? "";
    expect(to).toMatch(/^https:\/\/ferry\.example\/login\?/);
    expect(to).not.toContain("evil");
    const back = await comesBack({
      state: (await goes()).state,
      code,
      redirect: evil,
      to: evil,
      kind: "//evil.example",
    });
    expect(back.headers.get("location")).toBe(CHOOSE);
    expect((await look("/account/add/%2F%2Fevil.example/login")).status).toBe(404);
  });

  it("connects only what the messenger offered to this visit, whatever the form names", async () => {
    const { logsIn, chooses, submit, text, tokenOf, names, folder, cookie } = await harbour();
    await logsIn();
    await chooses("ferry:east", "ferry:../north", "__proto__", "constructor");
    const formToken = tokenOf(await text(CHOOSE));
    const forged = { formToken, "setting.ticket": "x".repeat(20), settings: "{}", login: "ferry:west" };
    await submit(CHOOSE, forged, { cookie });
    expect(await names()).toEqual([]);
    expect((await readRows(folder, ["channel"])).channel ?? []).toEqual([]);
    expect((await submit(CHOOSE, { login: "ferry:north", formToken: "x" }, { cookie })).status).toBe(403);
    const foreign = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await submit(CHOOSE, { login: "ferry:north", formToken }, foreign)).status).toBe(403);
    expect(await names()).toEqual([]);
  });

  it("shows no credential: neither on a page nor on disk, unless it was chosen", async () => {
    const { logsIn, chooses, text, folder } = await harbour();
    await logsIn();
    expect(await text(CHOOSE)).not.toContain(ticketOf("north"));
    await chooses("ferry:north");
    expect(await text(CHOOSE)).not.toContain(ticketOf("north"));
    // That the chosen one is sealed is what the folder's search for secrets proves.
    expect((await readRows(folder, ["channel"])).channel).toHaveLength(1);
  });
});
