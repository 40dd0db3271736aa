import { expect, it } from "vitest";
import { startBrowser } from "../../support/browser.ts";
import { busyConsole, consoleIn, signIn } from "../../support/console.ts";

/** Longer than a page waits between two reads, ms. */
const POLL_MS = 11_000;

it("the console's figures change without a reload, and without keeping its session open", async () => {
  const made = await busyConsole();
  const page = await (await startBrowser()).newPage();
  await page.clock.install();
  await consoleIn(page, made);
  await signIn(page);
  await page.waitForLoadState();
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  const state = page.locator("tr", { hasText: "shop.retailcrm.ru" }).locator(".badge");
  await expect.poll(() => state.textContent()).toBe("stopped");
  await made.store.channels.setState(made.channel.id, "active");
  await made.ledger.look();
  await page.clock.fastForward(POLL_MS);
  await expect.poll(() => state.textContent()).toBe("working");
  made.clock.leap(61 * 60_000);
  await page.clock.fastForward(POLL_MS);
  await expect.poll(() => state.textContent(), { message: "the page of an ended session stays" }).toBe("working");
  expect(loads).toBe(0);
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
});
