import { LANGUAGES, type Language } from "gangway-messenger/language";
import { ask } from "gangway-sandbox/demo/ask";
import { HARBOUR_BOT_TOKEN } from "gangway-telegram/emulator/telegram";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture, tileOf } from "../../support/browser.ts";
import { runningPair } from "../../support/demo.ts";
import { LONG } from "../../support/long.ts";

const JSON_TYPE = { "content-type": "application/json" };
const MAX_CLICKS = 6;

/** A merchant who counts their clicks. */
function merchant() {
  let clicks = 0;
  return {
    clicks: () => clicks,
    async click(what: Locator) {
      clicks += 1;
      await what.click();
    },
  };
}

describe("a merchant", () => {
  it.each(LONG ? LANGUAGES : LANGUAGES.slice(-1))(
    "comes from the marketplace card to the first message in the inbox in six clicks: %s",
    async (language: Language) => {
      const t = strings[language];
      const { server, sandbox } = await runningPair();
      const settings = { language, timeZone: "Europe/Madrid" };
      await ask(`${sandbox.origin}/sandbox/language`, {
        method: "POST",
        body: JSON.stringify(settings),
        headers: JSON_TYPE,
      });
      const context = await (await startBrowser()).newContext({ locale: language });
      const page = await context.newPage();
      const { click, clicks } = merchant();
      await page.goto(sandbox.origin);
      await click(page.getByRole("link", { name: "Connect the module" }));
      await page.locator("#apiKey").fill("sandbox-key");
      await click(page.getByRole("button", { name: t.connect.submit }));
      await page.getByText(t.done.connected).waitFor();
      await click(tileOf(page, "Telegram"));
      await page.locator("#add-telegram-token").fill(HARBOUR_BOT_TOKEN);
      await page.keyboard.press("Tab");
      await page.getByText(t.checking.login({ name: "@harbour_bot" })).waitFor();
      await click(page.locator("form:has(input[name=kind][value=telegram]) button[type=submit]"));
      await page.getByText(t.done.added).waitFor();
      await takePicture(page, `merchant-added-${language}`, { fullPage: true });
      // The customer's own clicks are not the merchant's.
      const phone = await context.newPage();
      await phone.goto(`${sandbox.origin}/phone`);
      await phone.getByRole("button", { name: "Start Harbour" }).click();
      await phone.getByLabel("Message", { exact: true }).fill("Is anybody there?");
      await phone.keyboard.press("Enter");
      await page.bringToFront();
      // The messenger's page shows it by itself, and leaves a form in use alone.
      await page.locator(".tabs").getByText(t.account.edit).click();
      await page.locator("input[name=name]").fill("Half typed");
      await page.locator("[data-word=working]").waitFor();
      expect(await page.locator("input[name=name]").inputValue()).toBe("Half typed");
      await click(page.getByRole("link", { name: t.account.back }));
      expect(new URL(page.url()).origin).toBe(sandbox.origin);
      await click(page.getByRole("link", { name: "Inbox" }));
      await page.getByText("Is anybody there?").first().waitFor();
      expect(clicks()).toBeLessThanOrEqual(MAX_CLICKS);
      expect(server.lines.join("\n")).not.toContain('"level":"error"');
    },
  );
});
