import { LANGUAGES } from "gangway-messenger/language";
import type { LoginFacts } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { handClock } from "../../support/clock.ts";
import { harbour } from "../../support/ferry-site.ts";

const standing: LoginFacts = {
  facts: [
    { name: { en: "Rating", es: "Nota", ru: "Оценка" }, value: { en: "poor", es: "mala", ru: "низкая" }, isBad: true },
    { name: { en: "Registered as", es: "A nombre de", ru: "Имя" }, value: "<b>Quay</b>" },
  ],
};

async function rated() {
  const clock = handClock();
  const site = await harbour({ clock });
  site.line.standing = standing;
  await site.logsIn();
  const page = (await site.chooses("ferry:north")).headers.get("location")?.split("?")[0] ?? "";
  const inLanguage = (path: string, language: string) =>
    site.text(path, { cookie: `${site.cookie}; gangway-language=${language}` });
  return { ...site, clock, page, inLanguage };
}

describe("a channel's page", () => {
  it.each(LANGUAGES)("says what the messenger says of the login, in its language: %s", async (language) => {
    const { page, inLanguage } = await rated();
    const shown = await inLanguage(page, language);
    for (const { name } of standing.facts) expect(shown).toContain(`<dt>${name[language]}</dt>`);
    expect(shown).toContain("&lt;b&gt;Quay&lt;/b&gt;");
    const value = { en: "poor", es: "mala", ru: "низкая" }[language];
    const warning = `${standing.facts[0]?.name[language]}: `;
    expect(shown).toMatch(
      new RegExp(`<div class="alert notice">.*?<div>${warning}<strong>${value}</strong></div>`, "s"),
    );
    // A warning is no trouble.
    expect(shown).not.toMatch(/class="[^"]*\bproblem\b/);
    expect(await inLanguage("/account", language)).toContain(`<p class="why">${warning}${value}</p>`);
  });

  it("shows the last known, with its time, while the messenger is away", async () => {
    const { page, text, clock, line } = await rated();
    const asOf = /As of [^<]+/;
    const [before = ""] = asOf.exec(await text(page)) ?? [];
    expect(before).not.toBe("");
    line.down = true;
    await clock.skip(6 * 60_000);
    const after = await text(page);
    expect(after).toContain("<dt>Rating</dt>");
    expect(asOf.exec(after)?.[0]).toBe(before);
    line.down = false;
    await clock.skip(2 * 60_000);
    expect(asOf.exec(await text(page))?.[0]).not.toBe(before);
  });

  it("asks nothing for the account's page, which has the last known", async () => {
    const { text, line } = await rated();
    const { standingsAsked } = line;
    await text("/account");
    expect(line.standingsAsked).toBe(standingsAsked);
  });

  it("offers the login again, which replaces the credentials of a stopped messenger", async () => {
    const { page, text, line, clock, logsIn, chooses } = await rated();
    expect(await text(page)).toContain(strings.en.logins.renew);
    // Somebody has withdrawn the ticket: the hourly renewal finds out.
    line.tickets.set("north", "withdrawn");
    await clock.skip(3_600_000);
    expect(await text(page)).toContain("Stopped: no such ticket.");
    await logsIn();
    await chooses("ferry:north");
    expect(await text(page)).not.toContain("Stopped:");
  });

  it("goes on with a renewed credential, hour by hour", async () => {
    const { page, text, line, clock } = await rated();
    for (let hour = 0; hour < 3; hour++) await clock.skip(3_600_000);
    expect(line.renewals).toBeGreaterThanOrEqual(3);
    expect(await text(page)).not.toContain('class="problem"');
  });
});
