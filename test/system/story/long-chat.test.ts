import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";
import { afterTests } from "../../support/store.ts";

/** Messages of over 6 KiB, so that a page of the history holds about twenty. */
const LONG = 55;
const wordsOf = (n: number) => `Message ${n}: ${"слово ".repeat(560)}`;

let demo: Awaited<ReturnType<typeof runningDemo>>;
const ending = afterTests();
beforeAll(async () => {
  demo = await runningDemo({ ending });
});

/** A visitor returns to a long chat, whose last message quotes the first. */
async function returningVisitor(shape: object) {
  const browser = await startBrowser();
  const shop = await browser.newPage(shape);
  await shop.goto(demo.shop);
  await shop.locator("[data-part=launcher]").click();
  const stored = () => shop.evaluate(`localStorage.getItem("gangway:${demo.channel}:visitor")`);
  await expect.poll(stored).toMatch(/\./);
  const headers = { authorization: `Bearer ${await stored()}` };
  const say = async (text: string, quote?: string) => {
    const body = JSON.stringify({ id: randomUUID(), text, quote });
    const answer = await fetch(`${demo.door}/messages`, { method: "POST", headers, body });
    return ((await answer.json()) as { id: string }).id;
  };
  const first = await say(wordsOf(1));
  for (let n = 2; n <= LONG; n++) await say(wordsOf(n));
  await say("as I said", first);
  await shop.locator("[data-part=close]").click();
  await shop.reload();
  await shop.locator("[data-part=launcher]").focus();
  await shop.keyboard.press("Enter");
  await shop.getByText("as I said").waitFor();
  return shop;
}
/** Holds each page of the history until the test has seen what it looks like meanwhile. */
async function holdHistory(shop: Page) {
  const held: (() => void)[] = [];
  await shop.route("**/history?*", async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  return async () => {
    await expect.poll(() => held.length).toBe(1);
    held.pop()?.();
  };
}
const shown = (shop: Page) => shop.locator("[data-message]").count();
/** The message's offset in the window, in pixels. */
const topOf = (shop: Page, words: string) =>
  shop
    .locator("[data-message]", { hasText: words })
    .evaluate((message: { getBoundingClientRect(): { top: number } }) =>
      Math.round(message.getBoundingClientRect().top),
    );
const firstShown = async (shop: Page) =>
  /Message \d+:/.exec((await shop.locator("[data-message]").first().textContent()) ?? "")?.[0] ?? "";
const isLive = (shop: Page) => shop.locator("[data-part=log]").getAttribute("aria-live");

it("a visitor who scrolls up reads all of a long chat, and nothing jumps", async () => {
  const shop = await returningVisitor({ viewport: { width: 1000, height: 760 } });
  const older = shop.locator("[data-part=older]");
  // Like a browser without scroll anchoring.
  const log = shop.locator("[data-part=log]");
  await log.evaluate((element: { style: { overflowAnchor: string } }) => {
    element.style.overflowAnchor = "none";
  });
  const box = await shop.locator("[data-part=log]").boundingBox();
  await shop.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
  const letThrough = await holdHistory(shop);
  let pages = 0;
  while (await older.isVisible()) {
    const before = await shown(shop);
    const edge = await firstShown(shop);
    await shop.mouse.wheel(0, -1_000_000);
    await expect.poll(() => older.textContent()).toBe("Loading earlier messages");
    const top = await topOf(shop, edge);
    // A screen reader must not read it all out.
    expect(await isLive(shop)).toBe("off");
    await letThrough();
    await expect.poll(() => shown(shop)).toBeGreaterThan(before);
    await expect.poll(() => isLive(shop)).toBe("polite");
    expect(Math.abs((await topOf(shop, edge)) - top)).toBeLessThanOrEqual(2);
    pages += 1;
  }
  expect(pages).toBeGreaterThan(1);
  // Nor does it jump when a picture further up gets its height late.
  const third = shop.locator("[data-message]", { hasText: "Message 3:" });
  await third.evaluate((message: { scrollIntoView(): void }) => message.scrollIntoView());
  await shop.evaluate("new Promise(requestAnimationFrame)");
  const top = await topOf(shop, "Message 3:");
  const first = shop.locator("[data-message]").first();
  await first.evaluate((message: { style: { paddingBottom: string } }) => {
    message.style.paddingBottom = "200px";
  });
  await expect.poll(() => topOf(shop, "Message 3:")).toBe(top);
  const texts = await shop.locator("[data-message] .text").allTextContents();
  const expected = [...Array.from({ length: LONG }, (_, n) => wordsOf(n + 1)), "as I said"];
  expect(texts.map((text) => text.trim())).toEqual(expected.map((text) => text.trim()));
});

it("a visitor with a keyboard loads earlier messages by a button, and follows a quote to its message", async () => {
  const shop = await returningVisitor({ viewport: { width: 390, height: 780 } });
  const active = (attribute: string) =>
    shop.evaluate(`document.querySelector("gangway-chat").shadowRoot.activeElement.getAttribute("${attribute}")`);
  const before = await shown(shop);
  await shop.locator("[data-part=close]").focus();
  await shop.keyboard.press("Tab");
  expect(await active("data-part")).toBe("log");
  await shop.keyboard.press("Tab");
  expect(await active("data-part")).toBe("older");
  await takePicture(shop, "widget-older-phone");
  const edge = await firstShown(shop);
  const top = await topOf(shop, edge);
  await shop.keyboard.press("Enter");
  await expect.poll(() => shown(shop)).toBeGreaterThan(before);
  // Focus alone loads nothing, the button keeps it, and the result is announced.
  expect(await active("data-part")).toBe("older");
  expect(Math.abs((await topOf(shop, edge)) - top)).toBeLessThanOrEqual(2);
  expect(await shop.locator(".log-frame [role=status]").textContent()).toMatch(/^Earlier messages shown: \d+$/);
  await shop.locator("[data-part=quoted]").focus();
  await shop.keyboard.press("Enter");
  await expect.poll(() => active("class")).toBe("message");
  expect(await active("data-from")).toBe("visitor");
  expect(await shop.locator("[data-message]:focus").textContent()).toContain("Message 1:");
  expect(await shown(shop)).toBe(LONG + 1);
  expect(await shop.locator("[data-part=older]").isVisible()).toBe(false);
  await takePicture(shop, "widget-quoted-phone");
});
