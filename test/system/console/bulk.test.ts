import { expect, it } from "vitest";
import { faultsOf, wide } from "../../support/axe.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { busyConsole, consoleIn, signIn } from "../../support/console.ts";

it("undelivered messages of a reason are looked at, asked about and discarded, all of them; axe finds no fault on the way", async () => {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    const made = await busyConsole();
    const context = await (await startBrowser()).newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const looks = async (name: string) => {
      await page.waitForLoadState();
      await takePicture(page, `console-bulk-${name}-${colorScheme}`, { fullPage: true });
      expect([await faultsOf(page), await wide(page)], `${name} ${colorScheme}`).toEqual([[], 0]);
    };
    const origin = await consoleIn(page, made);
    await signIn(page);
    await page.goto(`${origin}/undelivered`);
    await page.getByRole("link", { name: "perhaps sent" }).click();
    await page.getByRole("link", { name: "answer 3" }).waitFor();
    await looks("reason");
    await page.getByLabel("Ended from (UTC)").fill("1970-01-01T00:00");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: "answer 3" }).waitFor();
    await page.getByRole("link", { name: "Discard all 1" }).click();
    await page.getByText("what fails meanwhile stays").waitFor();
    await looks("asked");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await page.getByText("one message discarded").waitFor();
    await looks("done");
    await context.close();
  }
});
