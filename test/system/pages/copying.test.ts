import { describe, expect, it } from "vitest";
import { startBrowser } from "../../support/browser.ts";
import { addPageAssets } from "../../support/page-assets.ts";
import { shownPage } from "../../support/shown.tsx";

async function openPage(shown: string, javaScriptEnabled = true) {
  const context = await (await startBrowser()).newContext({
    javaScriptEnabled,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  await addPageAssets(page);
  const body = shownPage(shown, "en");
  await page.route("**/account", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("https://gangway.example/account");
  return { page, copied: () => page.evaluate("navigator.clipboard.readText()") };
}

describe("what a merchant does on the other side", () => {
  it("has a button for each value to copy, and a picture of where to look", async () => {
    const { page, copied } = await openPage("adding");
    for (const value of ["@BotFather", "/newbot", "/token"]) {
      await page.getByRole("button", { name: `Copy: ${value}` }).click();
      await page.getByRole("button", { name: `Copied: ${value}` }).waitFor();
      expect(await copied()).toBe(value);
    }
    expect(await page.getByRole("img", { name: "BotFather's answer" }).count()).toBe(1);
    const [described] = (await page.locator("[type=password]").getAttribute("aria-describedby"))?.split(" ") ?? [];
    expect(await page.locator(`#${described}`).textContent()).toContain("Copy the token from its answer");
  });

  it("copies the whole line for the shop's pages", async () => {
    const { page, copied } = await openPage("channel");
    await page.getByRole("link", { name: "Set-up" }).click();
    await page.getByRole("button", { name: "Copy" }).click();
    expect(await copied()).toBe(await page.locator("textarea.code").inputValue());
    expect(await copied()).toMatch(/^<script .*<\/script>$/);
  });

  it("shows the values without any script, to be selected by hand", async () => {
    const { page } = await openPage("adding", false);
    expect(await page.locator("code").allTextContents()).toEqual(["@BotFather", "/newbot", "/token"]);
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
  });
});
