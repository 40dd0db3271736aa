import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { faultsOf } from "../../support/axe.ts";
import { startBrowser } from "../../support/browser.ts";
import { addPageAssets } from "../../support/page-assets.ts";
import { shownPage } from "../../support/shown.tsx";

const ORIGIN = "https://gangway.example";

/** A window with a page in it; what the page asks is at its own address. */
async function opened(shown: string, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  // Its clock moves timers, not animations.
  const page = await (await (await startBrowser()).newContext({ ...options, reducedMotion: "reduce" })).newPage();
  await addPageAssets(page);
  await page.clock.install();
  const show = (path: string, name: string) =>
    page.route(ORIGIN + path, (route) => route.fulfill({ contentType: "text/html", body: shownPage(name, "en") }));
  await show("/account", shown);
  await show("/account/undelivered/all?*", "all");
  await page.goto(`${ORIGIN}/account`);
  return page;
}

it("what is asked before much is decided on stands in a dialog, and nothing is done by leaving it", async () => {
  const page = await opened("discarded");
  const link = page.getByRole("link", { name: "Act on all 3 messages" });
  const dialog = page.getByRole("dialog", { name: "Act on all 3 messages" });
  await link.click();
  await dialog.getByRole("link", { name: "Cancel" }).and(page.locator(":focus")).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await link.and(page.locator(":focus")).waitFor();
  expect(page.url()).toBe(`${ORIGIN}/account`);
  await page.context().close();
});

it("what is asked is a page without a script", async () => {
  const page = await opened("discarded", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Act on all 3 messages" }).click();
  await page.getByRole("heading", { name: "Act on all 3 messages" }).waitFor();
  await page.getByRole("button", { name: "Discard all 3" }).waitFor();
  await page.context().close();
});

it("what was done can be undone for a while, and does not go from under a pointer or the focus", async () => {
  const page = await opened("discarded");
  const toast = page.getByRole("status");
  const undo = toast.getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.clock.fastForward(10_000);
  await page.clock.fastForward(60_000);
  await undo.hover();
  await page.locator(".who").first().focus();
  await page.clock.fastForward(60_000);
  expect(await undo.isVisible()).toBe(true);
  await page.mouse.move(0, 0);
  await page.clock.fastForward(60_000);
  await toast.waitFor({ state: "detached" });
  await page.context().close();
});

it("what was done stays at the top of the page without a script", async () => {
  const page = await opened("discarded", { javaScriptEnabled: false });
  const { y: toastAt = 0 } = (await page.getByText("2 messages were discarded.").boundingBox()) ?? {};
  const { y: headAt = 0 } = (await page.getByRole("heading", { name: "Messages" }).boundingBox()) ?? {};
  expect(toastAt).toBeLessThan(headAt);
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.context().close();
});
