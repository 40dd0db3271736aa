import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accountForms } from "../../support/account-form.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";

/** A visitor of a shop on another origin than the chat, so that the browser sends preflights. */
async function visiting(shape: object) {
  const demo = await runningDemo();
  expect(new URL(demo.shop).origin).not.toBe(demo.server.origin);
  const browser = await startBrowser();
  const shop = await browser.newPage(shape);
  await shop.goto(demo.shop);
  await shop.locator("[data-part=launcher]").click();
  await write(shop, "Do you ship to Malta?");
  await shop.locator("[data-status=delivered]").waitFor();
  return { ...demo, shop, forms: await accountForms(demo.server.origin, demo.sandbox.origin) };
}
const write = async (shop: Page, text: string) => {
  await shop.locator("[data-part=input]").fill(text);
  await shop.keyboard.press("Enter");
};
const notice = async (shop: Page) => {
  await shop.locator(".offline.closed").waitFor();
  return shop.locator(".offline").textContent();
};
const focused = (shop: Page) =>
  shop.evaluate(`document.querySelector("gangway-chat").shadowRoot.activeElement?.getAttribute("data-part")`);

describe("a web chat that is removed while somebody writes", () => {
  it("says so, keeps the draft and accepts nothing more, on every page", async () => {
    const { shop, forms, sandbox } = await visiting({ viewport: { width: 1000, height: 760 } });
    await shop.locator("[data-part=input]").fill("half a thought");
    await forms.remove();
    expect(await notice(shop)).toBe("This chat is closed at the moment.");
    await takePicture(shop, "widget-closed");
    for (const part of ["input", "send", "attach"])
      expect(await shop.locator(`[data-part=${part}]`).isDisabled(), part).toBe(true);
    expect(await shop.locator("[data-part=input]").inputValue()).toBe("half a thought");
    await shop.getByText("Do you ship to Malta?").waitFor();
    // The focus stays in the window, so that the keyboard can close it.
    expect(await focused(shop)).toBe("log");
    await shop.keyboard.press("Escape");
    await shop.locator("[data-part=panel]").waitFor({ state: "hidden" });
    await shop.reload();
    await shop.locator("[data-part=launcher]").click();
    expect(await notice(shop)).toBe("This chat is closed at the moment.");
    expect(await shop.locator("[data-part=input]").isDisabled()).toBe(true);
    expect(sandbox.sandbox.world.messages.map(({ text }) => text)).toEqual(["Do you ship to Malta?"]);
  });
});

describe("a web chat on a site that is no longer allowed", () => {
  it("says so, recovers by itself once it is, and sends what was written meanwhile", async () => {
    const shape = { viewport: { width: 390, height: 780 }, colorScheme: "dark" };
    const { shop, forms, sandbox, door } = await visiting(shape);
    await shop.route(`${door}/messages`, (route) => route.abort());
    await write(shop, "and to Gozo?");
    // The stream works but the message does not get through; the widget must say so.
    await shop.locator(".offline", { hasText: "No connection." }).waitFor();
    await forms.allow("https://other.example");
    expect(await notice(shop)).toBe("This chat is not available on this site. Unsent messages are kept.");
    await takePicture(shop, "widget-elsewhere-phone-dark");
    await shop.unroute(`${door}/messages`);
    await forms.allow(`https://other.example\n${new URL(shop.url()).origin}`);
    // Skips the widget's wait of a minute.
    await shop.evaluate(`dispatchEvent(new Event("online"))`);
    await shop.locator(".offline").waitFor({ state: "hidden" });
    await shop.locator("[data-status=delivered]", { hasText: "and to Gozo?" }).waitFor();
    await write(shop, "thank you");
    await shop.locator("[data-status=delivered]", { hasText: "thank you" }).waitFor();
    expect(sandbox.sandbox.world.messages.map(({ text }) => text)).toEqual([
      "Do you ship to Malta?",
      "and to Gozo?",
      "thank you",
    ]);
  });
});
