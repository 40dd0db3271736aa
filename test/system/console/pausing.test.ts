import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { faultsOf, wide } from "../../support/axe.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { busyConsole, consoleIn, HOSTILE, signIn } from "../../support/console.ts";

async function consoleAt(page: Page) {
  const { site, store, account } = await busyConsole();
  await consoleIn(page, { site });
  await signIn(page);
  await page.getByRole("link", { name: "shop.retailcrm.ru" }).click();
  await page.getByRole("heading", { name: "shop.retailcrm.ru" }).first().waitFor();
  // A link becomes a dialog by the page's script.
  await page.waitForLoadState();
  const now = async () => store.accounts.byId(account.id);
  return { now };
}

it("an account is paused in a dialog that needs a reason, its limits are set, and it is resumed; axe finds no fault on the way", async () => {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    const context = await (await startBrowser()).newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const { now } = await consoleAt(page);
    const looks = async (name: string) => {
      await takePicture(page, `console-${name}-${colorScheme}`, { fullPage: true });
      expect([await faultsOf(page), await wide(page)], `${name} ${colorScheme}`).toEqual([[], 0]);
    };
    await page.getByRole("link", { name: "Pause the account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Pause shop.retailcrm.ru?" }).waitFor();
    await looks("pausing");
    await dialog.getByRole("button", { name: "Pause" }).click();
    expect((await now())?.pauseReason, "a reason is required").toBeUndefined();
    await dialog.getByLabel("The reason, as the merchant reads it").fill(HOSTILE);
    await dialog.getByRole("button", { name: "Pause" }).click();
    await page.getByText(`Paused by us: ${HOSTILE}`).waitFor();
    expect(await page.title()).not.toBe("1");
    await looks("paused");
    await page.getByLabel("Calls at the same time").fill("999");
    await page.getByRole("button", { name: "Set the limits" }).click();
    await page.getByText("Calls: a whole number from 1 to 64, or default").waitFor();
    await looks("limits-refused");
    await page.getByLabel("Calls at the same time").fill("3");
    await page.getByRole("button", { name: "Set the limits" }).click();
    await page.getByText("The limits are set.").waitFor();
    await page.waitForLoadState();
    expect((await now())?.limits).toEqual({ calls: 3 });
    await page.getByRole("link", { name: "Resume the account" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.getByText("Resumed.").waitFor();
    expect((await now())?.pauseReason).toBeUndefined();
    await context.close();
  }
});

it("without script the same is asked on a page, which keeps a reason that it refuses", async () => {
  const context = await (await startBrowser()).newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const { now } = await consoleAt(page);
  await page
    .getByRole("link", { name: /^Pause: / })
    .first()
    .click();
  await page.getByLabel("The reason, as the merchant reads it").fill("x".repeat(501));
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The reason is too long: at most 500 characters").waitFor();
  expect(await page.getByLabel("The reason, as the merchant reads it").inputValue()).toHaveLength(501);
  await page.getByLabel("The reason, as the merchant reads it").fill("spam");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused by us: spam").waitFor();
  expect((await now())?.pauseReason, "only the channel").toBeUndefined();
  await context.close();
});
