import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";

const STAGES = ["stored", "handed", "answered", "sent", "told"];

describe("a merchant with a bot", () => {
  it("tests its connection, writes from a phone, answers in the inbox, and reads each stage", async () => {
    const { server, sandbox, visit } = await runningDemo({ bots: true });
    const t = strings.en;
    const context = await (await startBrowser()).newContext({ viewport: { width: 1000, height: 900 } });
    const [name = "", value = ""] = visit.cookie.split("=");
    await context.addCookies([{ name, value, url: server.origin }]);
    const page = await context.newPage();
    await page.goto(server.origin + visit.home);
    await page.getByRole("link", { name: "Harbour bot" }).click();
    await page.getByRole("button", { name: t.testing.button }).click();
    await page.getByText(t.testing.well).waitFor();
    await takePicture(page, "live-test-waiting", { fullPage: true });

    const phone = await context.newPage();
    await phone.goto(`${sandbox.origin}/phone`);
    await phone.getByRole("button", { name: "Start Harbour" }).click();
    await phone.getByLabel("Message", { exact: true }).fill("Is anybody there?");
    await phone.keyboard.press("Enter");
    await page.bringToFront();
    await page.locator("[data-stage=handed][data-state=done]").waitFor();
    expect(await page.locator("[data-silence]").count()).toBe(0);

    const inbox = await context.newPage();
    await inbox.goto(`${sandbox.origin}/inbox`);
    await inbox.locator("[data-chat]").first().click();
    await inbox.locator("#reply").fill("We are");
    await inbox.locator("#send").click();
    await page.bringToFront();
    for (const stage of STAGES) await page.locator(`[data-stage=${stage}][data-state=done]`).waitFor();
    await page.getByText(t.trace.whole).waitFor();
    await takePicture(page, "live-test-whole", { fullPage: true });
    await phone.bringToFront();
    await phone.getByText("We are").last().waitFor();
    expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
  });
});
