import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/http/serving/listening.ts";
import { faultsOf, wide } from "../../support/axe.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { busyConsole, CONSOLE_TOKEN } from "../../support/console.ts";
import { addPageAssets } from "../../support/page-assets.ts";

it("a complaint is answered in the console: from the sign-in to what became of the answer; axe finds no fault on the way", async () => {
  const { site } = await busyConsole();
  const server = listen(site.fetch, { port: 0 });
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    const context = await (await startBrowser()).newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await addPageAssets(page);
    const looks = async (name: string) => {
      await page.waitForLoadState();
      await takePicture(page, `console-${name}-${colorScheme}`, { fullPage: true });
      expect([await faultsOf(page), await wide(page)], `${name} ${colorScheme}`).toEqual([[], 0]);
    };
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await looks("sign-in");
    await page.getByLabel("The console's token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("That is not the console's token.").waitFor();
    await looks("refused");
    await page.getByLabel("The console's token").fill(CONSOLE_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    await looks("accounts");
    await page.getByRole("link", { name: "shop.retailcrm.ru" }).click();
    await page.getByText("the token was refused").waitFor();
    await looks("account");
    for (const [path, heading] of [
      ["undelivered", "Undelivered"],
      ["audit", "Audit"],
      ["messages", "Messages"],
    ] as const) {
      await page.goto(new URL(path, page.url().replace(/accounts.*/, "")).href);
      await page.getByRole("heading", { name: heading }).waitFor();
      await looks(path);
    }
    await page.getByLabel(/A customer, words/).fill("perhaps sent");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("answer 3").waitFor();
    await looks("found");
    await page.getByRole("link", { name: "answer 3" }).click();
    await page.getByText("held: perhaps delivered").waitFor();
    await looks("story");
    expect(page.url()).not.toContain("perhaps");
    await context.close();
  }
});
