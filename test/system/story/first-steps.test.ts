import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";
import { LONG } from "../../support/long.ts";

const WINDOWS = [
  [1280, 720],
  [390, 844],
  [360, 640],
] as const;

describe("a newcomer to the demo", () => {
  it.each(LONG ? WINDOWS : WINDOWS.slice(-1))(
    "is led from the empty inbox to a first message, without scrolling, in a window of %i × %i",
    async (width, height) => {
      const demo = await runningDemo({ bots: true });
      const context = await (await startBrowser()).newContext({ viewport: { width, height } });
      const inbox = await context.newPage();
      await inbox.goto(`${demo.sandbox.origin}/inbox`);
      const opened = async (link: string): Promise<Page> => {
        const [page] = await Promise.all([
          context.waitForEvent("page"),
          inbox.getByRole("link", { name: link }).click(),
        ]);
        await page.waitForLoadState();
        return page;
      };
      const isInSight = async (page: Page, name: string) => {
        const box = await page.getByRole("button", { name }).boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width;
      };
      await inbox.getByRole("heading", { name: "No customer has written yet" }).waitFor();
      await takePicture(inbox, `first-inbox-${width}`);

      const phone = await opened("Open the phone");
      await phone.getByRole("button", { name: "Start Harbour" }).waitFor();
      await takePicture(phone, `first-phone-${width}`);
      for (const bot of ["Start Harbour", "Start Lighthouse"]) expect(await isInSight(phone, bot), bot).toBe(true);
      await phone.getByRole("button", { name: "Start Harbour" }).click();
      await phone.getByLabel("Message", { exact: true }).fill("Is anybody there?");
      await phone.keyboard.press("Enter");
      await inbox.locator("[data-chat]").first().waitFor();
      expect(await inbox.locator("#invitation").isHidden()).toBe(true);
      await phone.getByRole("button", { name: "Back to the chats" }).click();
      expect(await isInSight(phone, "Start Lighthouse")).toBe(true);
    },
  );

  it("finds the shop with its chat from the empty inbox", async () => {
    const demo = await runningDemo();
    const page = await (await startBrowser()).newPage();
    await page.goto(`${demo.sandbox.origin}/inbox`);
    expect(await page.getByRole("link", { name: "Open the shop" }).getAttribute("href")).toBe(demo.shop);
    expect(await page.getByRole("link", { name: "Open the phone" }).count()).toBe(0);
  });
});
