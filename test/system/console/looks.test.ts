import { expect, it } from "vitest";
import { faultsOf, wide } from "../../support/axe.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { busyConsole, consoleIn, signIn } from "../../support/console.ts";

it("a complaint is answered in the console: from the sign-in to what became of the answer; axe finds no fault on the way", async () => {
  const made = await busyConsole();
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    const context = await (await startBrowser()).newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const looks = async (name: string) => {
      await page.waitForLoadState();
      await takePicture(page, `console-${name}-${colorScheme}`, { fullPage: true });
      expect([await faultsOf(page), await wide(page)], `${name} ${colorScheme}`).toEqual([[], 0]);
    };
    const origin = await consoleIn(page, made);
    await looks("sign-in");
    await page.getByLabel("The console's token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("That is not the console's token.").waitFor();
    await looks("refused");
    await signIn(page);
    await looks("accounts");
    await page.getByRole("link", { name: "shop.retailcrm.ru" }).click();
    await page.getByText("the token was refused").waitFor();
    await looks("account");
    await page.getByLabel("Arrived from (UTC)").fill(new Date(made.clock.now() - 3_600_000).toISOString().slice(0, 16));
    await page.getByRole("button", { name: "Count what is missing" }).click();
    await page.getByText("Nothing was changed.").waitFor();
    await looks("missing");
    await page.goBack();
    await page.getByLabel("Why: a ticket, or a sentence").fill("ticket 4711");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByRole("link", { name: "Open the account's pages" }).waitFor();
    await looks("support-link");
    for (const [path, heading] of [
      ["undelivered", "Undelivered"],
      ["events", "Events"],
      ["audit", "Audit"],
      ["features", "Features"],
      ["messages", "Messages"],
    ] as const) {
      await page.goto(`${origin}/${path}`);
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
