import { describe, expect, it } from "vitest";
import { strings } from "../../src/pages/i18n/strings.ts";
import { picturePath, startBrowser } from "../support/browser.ts";
import { runningDemo } from "../support/demo.ts";

const LEGS = ["stored", "handed", "answered", "sent", "told"];

describe("a merchant with a bot", () => {
  it.each(["Harbour", "Lighthouse"])(
    "tests its connection, writes from a phone, answers in the inbox, and reads each leg: %s",
    async (bot) => {
      const { server, sandbox, visit } = await runningDemo({ bots: true });
      const t = strings.en;
      const context = await (await startBrowser()).newContext({ viewport: { width: 1000, height: 900 } });
      const [name = "", value = ""] = visit.cookie.split("=");
      await context.addCookies([{ name, value, url: server.origin }]);
      const page = await context.newPage();
      await page.goto(server.origin + visit.home);
      await page.getByRole("link", { name: `${bot} bot` }).click();
      await page.getByRole("button", { name: t.testing.button }).click();
      await page.getByText(t.testing.well).waitFor();
      // Lighthouse polls: no request is to be expected from it.
      await page.locator(`[data-silence=${bot === "Harbour" ? "nothing" : "polled"}]`).waitFor();
      await page.screenshot({ path: picturePath(`live-test-silent-${bot}`), fullPage: true });

      const phone = await context.newPage();
      await phone.goto(`${sandbox.origin}/phone`);
      await phone.getByRole("button", { name: `Start ${bot}` }).click();
      await phone.getByLabel("Message", { exact: true }).fill("Is anybody there?");
      await phone.keyboard.press("Enter");
      await page.bringToFront();
      await page.locator("[data-leg=handed][data-state=done]").waitFor();
      expect(await page.locator("[data-silence]").count()).toBe(0);

      const inbox = await context.newPage();
      await inbox.goto(`${sandbox.origin}/inbox`);
      await inbox.locator("[data-chat]").first().click();
      await inbox.locator("#reply").fill("We are");
      await inbox.locator("#send").click();
      await page.bringToFront();
      for (const leg of LEGS) await page.locator(`[data-leg=${leg}][data-state=done]`).waitFor();
      await page.getByText(t.trace.whole).waitFor();
      await page.screenshot({ path: picturePath(`live-test-whole-${bot}`), fullPage: true });
      await phone.bringToFront();
      await phone.getByText("We are").last().waitFor();
      expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
    },
  );
});
