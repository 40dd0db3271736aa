import type { AppAdapter } from "gangway-messenger/apps";
import { LANGUAGES } from "gangway-messenger/language";
import { describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { berth, CHOOSE, harbour, ticketOf } from "../../../support/ferry-site.ts";
import { accountIn, OWN } from "../../../support/site.ts";
import { FERRY, ferry } from "../../../system/contract/toy/ferry.ts";

describe("connecting by a login at the messenger", () => {
  it("stands first on the page that adds it, with the typed form beneath, where the operator has an app", async () => {
    const { text } = await harbour();
    const page = await text("/account/add/ferry");
    expect(page).toContain(strings.en.logins.with({ title: "Ferry" }));
    expect(page.indexOf("/add/ferry/login")).toBeLessThan(page.indexOf('name="setting.ticket"'));
    const without = await harbour({ messengers: {} });
    expect(await without.text("/account/add/ferry")).not.toContain("/add/ferry/login");
    expect((await without.look("/account/add/ferry/login")).status).toBe(404);
    expect((await without.look(CHOOSE)).headers.get("location")).toBe("/account");
  });

  it("says whose login it is, where that is not the messenger's own", async () => {
    const title = { en: "Port Office", es: "Capitanía", ru: "Порт" };
    const app = { ...ferry.app, login: { ...ferry.app.login, title } };
    const renamed: AppAdapter = { ...ferry, app };
    const { text, logsIn } = await harbour({ adapters: [renamed] });
    const adding = await text("/account/add/ferry");
    const { logins } = strings.en;
    expect(adding).toContain(logins.with({ title: "Port Office" }));
    expect(adding).toContain(logins.hint({ title: "Port Office" }));
    await logsIn();
    expect(await text(CHOOSE)).toContain(logins.again({ title: "Port Office" }));
  });

  it("leads to the messenger and back, lists what the login can connect, and connects several at once", async () => {
    const { goes, logsIn, chooses, text, names, line } = await harbour();
    const { to, state } = await goes();
    expect(to.origin).toBe(FERRY);
    expect(to.searchParams.get("redirect")).toBe(`${OWN}/apps/ferry/login`);
    expect(state).toMatch(/^[\w-]{43}$/);
    const back = await logsIn();
    expect([back.status, back.headers.get("location")]).toEqual([303, CHOOSE]);
    const page = await text(CHOOSE);
    for (const seen of ["Quay north", "+1 555 0100", "Quay south"]) expect(page).toContain(seen);
    expect((await chooses("ferry:north", "ferry:south")).headers.get("location")).toBe(CHOOSE);
    expect(await names()).toEqual(["Quay north", "Quay south"]);
    expect((await text(CHOOSE)).match(new RegExp(strings.en.done.added, "g"))).toHaveLength(2);
    expect(line.codes).toHaveLength(1);
  });

  it("of a single choice ends on the new messenger's own page", async () => {
    const { logsIn, chooses } = await harbour();
    await logsIn();
    expect((await chooses("ferry:south")).headers.get("location")).toMatch(
      /^\/account\/channels\/[\w-]{22}\?done=added$/,
    );
  });

  it("says which choice failed and why, and the others are connected; a second try needs no new login", async () => {
    const { line, logsIn, chooses, text, names } = await harbour();
    line.berths = [berth("north"), { ...berth("south"), ticket: "short" }];
    await logsIn();
    line.tickets.delete("north");
    await chooses("ferry:north", "ferry:south");
    const page = await text(CHOOSE);
    expect(page).toContain("The messenger refused the connection: no such ticket.");
    expect(page).toContain("A ticket has 8 characters or more.");
    expect(await names()).toEqual([]);
    line.tickets.set("north", ticketOf("north"));
    await chooses("ferry:north", "ferry:south");
    expect(await names()).toEqual(["Quay north"]);
    expect(await text(CHOOSE)).toContain("A ticket has 8 characters or more.");
  });

  it("marks what is connected already; chosen again, it gets the new credentials and stays one", async () => {
    const { line, logsIn, chooses, text, names, stored, cookie } = await harbour();
    await logsIn();
    await chooses("ferry:north");
    const fresh = `newer-ticket-${"n".repeat(24)}`;
    line.berths = [{ ...berth("north"), ticket: fresh }];
    await logsIn();
    expect(await text(CHOOSE)).toContain(strings.en.logins.connected);
    await chooses("ferry:north");
    expect(await names()).toEqual(["Quay north"]);
    const account = accountIn(cookie) as never;
    const [channel] = await stored((store) => store.channels.list(account));
    expect(channel?.settings).toEqual({ berth: "north", ticket: fresh });
  });

  it("sent twice at once connects each choice once", async () => {
    const { logsIn, chooses, text, names } = await harbour();
    await logsIn();
    await Promise.all([chooses("ferry:north", "ferry:south"), chooses("ferry:north", "ferry:south")]);
    expect(await names()).toEqual(["Quay north", "Quay south"]);
    expect(await text(CHOOSE)).not.toContain('class="problem"');
  });

  it("asks for a choice when none was made", async () => {
    const { logsIn, chooses, text, names } = await harbour();
    await logsIn();
    expect((await chooses()).headers.get("location")).toBe(`${CHOOSE}?none=`);
    expect(await text(`${CHOOSE}?none=`)).toContain(strings.en.logins.unchosen);
    expect(await names()).toEqual([]);
  });
});

describe("a login that comes to nothing", () => {
  it.each(LANGUAGES)("says so in words, and how to try again: %s", async (language) => {
    const { line, cookie, goes, comesBack, logsIn, text } = await harbour();
    const { faults } = strings[language].logins;
    const title = "Ferry";
    const shows = async (words: string) => {
      const page = await text(CHOOSE, { cookie: `${cookie}; gangway-language=${language}` });
      expect(page).toContain(words.replaceAll("'", "&#39;"));
      expect(page).toContain("/add/ferry/login");
    };
    await shows(faults.over);
    await comesBack({ state: (await goes()).state, error: "access_denied" });
    await shows(faults.cancelled);
    await comesBack({ state: (await goes()).state, error: "server_error", error_description: "Gale\u202e warning" });
    await shows(faults.refused({ title, detail: "Gale warning." }));
    line.berths = [];
    await logsIn();
    await shows(faults.empty({ title }));
    line.down = true;
    await logsIn();
    await shows(faults.away({ title, detail: "the ferry line: refused." }));
  });
});
