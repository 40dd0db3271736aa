import { LANGUAGES, type Language } from "gangway-messenger/language";
import { ask } from "gangway-sandbox/demo/ask";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture, tileOf } from "../../support/browser.ts";
import { runningPair } from "../../support/demo.ts";
import { LONG } from "../../support/long.ts";

const JSON_TYPE = { "content-type": "application/json" };
const TITLES = { en: "Demo customer", es: "Cliente de prueba", ru: "Пробный клиент" };
const STAGES = ["stored", "handed", "answered", "sent", "told"];

/** A merchant without any token connects their account, and adds the customer whom they play. */
async function newcomer(language: Language, options: { javaScriptEnabled?: boolean } = {}) {
  const t = strings[language];
  const { server, sandbox } = await runningPair();
  const tell = (path: string, body: object) =>
    ask(`${sandbox.origin}/sandbox/${path}`, { method: "POST", body: JSON.stringify(body), headers: JSON_TYPE });
  await tell("language", { language, timeZone: "Europe/Madrid" });
  const browser = await startBrowser();
  const context = await browser.newContext({ locale: language, viewport: { width: 1000, height: 900 }, ...options });
  const page = await context.newPage();
  await page.goto(`${server.origin}/?account=${encodeURIComponent(sandbox.origin)}`);
  await page.locator("#apiKey").fill("sandbox-key");
  await page.getByRole("button", { name: t.connect.submit }).click();
  await tileOf(page, TITLES[language]).click();
  await page.getByRole("button", { name: t.account.addButton, exact: true }).click();
  await page.getByText(t.done.added).waitFor();
  await page.getByRole("link", { name: t.trace.open }).click();
  return { t, server, sandbox, browser, context, page, tell };
}

const stage = (page: Page, name: string, state: string) => page.locator(`[data-stage=${name}][data-state=${state}]`);

/** Sentences of other languages that the page says. */
async function foreignAnswers(page: Page, language: Language): Promise<string[]> {
  const said = await page.locator("main").innerText();
  const inside = (texts: object): string[] =>
    Object.values(texts).flatMap((text) => (typeof text === "object" ? inside(text) : text));
  const others = LANGUAGES.filter((each) => each !== language).flatMap((other) => inside(strings[other]));
  return others.filter((text) => typeof text === "string" && text.split(" ").length > 3 && said.includes(text));
}

describe("a merchant without any token", () => {
  it.each(LONG ? LANGUAGES : LANGUAGES.slice(0, 1))(
    "plays the customer, answers in the inbox, and sees both on one page: %s",
    async (language) => {
      const { t, server, sandbox, context, page } = await newcomer(language);
      expect(await page.locator("#text").inputValue()).toBe(t.trace.sample);
      await page.getByRole("button", { name: t.trace.send }).click();
      await stage(page, "handed", "done").waitFor();
      await page.getByText(t.trace.now.answered).waitFor();
      await takePicture(page, `rehearsal-asked-${language}`, { fullPage: true });

      const inbox = await context.newPage();
      await inbox.goto(`${sandbox.origin}/inbox`);
      await inbox.locator("[data-chat]").first().click();
      await inbox.getByText(t.trace.sample).last().waitFor();
      await inbox.locator("#reply").fill("12 m ✓");
      await inbox.locator("#send").click();

      await page.bringToFront();
      for (const name of STAGES) await stage(page, name, "done").waitFor();
      await page.locator("[data-from=agent]", { hasText: "12 m ✓" }).waitFor();
      await page.getByText(t.trace.whole).waitFor();
      await takePicture(page, `rehearsal-answered-${language}`, { fullPage: true });
      expect(await foreignAnswers(page, language)).toEqual([]);
      expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
      expect(server.lines.join("\n")).not.toContain('"level":"error"');
    },
  );

  it.each(LONG ? LANGUAGES : LANGUAGES.slice(1, 2))(
    "reads which part fails while the CRM's chats do, and sees the message arrive: %s",
    async (language) => {
      const { t, sandbox, page, tell } = await newcomer(language);
      await tell("faults", { operation: "sendMessage", status: 503, times: 1_000 });
      await page.getByRole("button", { name: t.trace.send }).click();
      await stage(page, "handed", "failed").waitFor();
      const [before = ""] = t.testing.gateway({ detail: "|" }).split("|");
      await stage(page, "handed", "failed").getByText(before).waitFor();
      expect(await foreignAnswers(page, language)).toEqual([]);
      await takePicture(page, `rehearsal-failing-${language}`, { fullPage: true });
      await ask(`${sandbox.origin}/sandbox/faults`, { method: "DELETE" });
      // The more attempts have failed, the later the next one.
      await stage(page, "handed", "done").waitFor({ timeout: 120_000 });
      expect(sandbox.sandbox.world.messages.map(({ text }) => text)).toEqual([t.trace.sample]);
    },
  );

  it("does so without JavaScript, by reloading", async () => {
    const { t, sandbox, page } = await newcomer("en", { javaScriptEnabled: false });
    await page.locator("#text").fill("Without any script");
    await page.getByRole("button", { name: t.trace.send }).click();
    await expect.poll(() => sandbox.sandbox.world.messages.map(({ text }) => text)).toEqual(["Without any script"]);
    await expect
      .poll(async () => {
        await page.reload();
        return stage(page, "handed", "done").count();
      })
      .toBe(1);
    expect(await page.locator("[data-from=customer]").innerText()).toContain("Without any script");
  });
});
