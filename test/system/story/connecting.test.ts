import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningPair } from "../../support/demo.ts";
import { afterTests } from "../../support/store.ts";

type Pair = Awaited<ReturnType<typeof runningPair>>;
/** Not connected until the last of the tests that share it. */
let shared: Pair;
const ending = afterTests();
beforeAll(async () => {
  shared = await runningPair(undefined, undefined, ending);
});

/** A merchant who comes from the marketplace card; their clipboard works. */
async function fromTheCard({ server, sandbox }: Pair) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await (await startBrowser()).newContext({ viewport: { width: 900, height: 900 } });
  await context.grantPermissions(permissions, { origin: server.origin });
  const page = await context.newPage();
  await page.goto(sandbox.origin);
  await page.getByRole("link", { name: "Connect the module" }).click();
  await page.locator("#apiKey").waitFor();
  // Without its script a form is posted by the browser, and forgets the key.
  await page.waitForLoadState();
  return { page, server, sandbox, world: sandbox.sandbox.world };
}
const paste = async (page: Page, text: string) => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.locator("#apiKey").fill("");
  await page.locator("#apiKey").focus();
  await page.keyboard.press("Control+V");
};
const right = (page: Page, scope: string) => page.locator(".rights li", { hasText: scope });

describe("a merchant who fills the connect form", () => {
  it("sees only what was found about the present value: an older check is ended", async () => {
    const { page } = await fromTheCard(shared);
    await page.getByText("There is a CRM account at this address.").waitFor();
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/check"));
    let isFirst = true;
    await page.route("**/check", (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      return undefined;
    });
    const begun = page.waitForRequest("**/check");
    await page.locator("#crmUrl").fill("https://shop.example.com");
    await page.keyboard.press("Tab");
    await begun;
    await page.locator("#crmUrl").fill("shop");
    await ended;
    await page.keyboard.press("Tab");
    await page.getByText("This does not look like the address of a CRM account.").waitFor();
  });

  it("loses no key to a wrong address", async () => {
    const { page, sandbox } = await fromTheCard(shared);
    await page.locator("#crmUrl").fill("https://shop.example.com/admin/integration");
    await page.locator("#apiKey").fill("sandbox-key");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("alert").getByText("This module does not serve accounts at this address.").waitFor();
    expect(await page.locator("#apiKey").inputValue()).toBe("sandbox-key");
    expect(await page.content()).not.toContain("sandbox-key");
    // Nothing of the refusal stays beside another address.
    expect(await page.locator(".problem").count()).toBe(1);
    await page.locator("#crmUrl").fill(sandbox.origin);
    expect(await page.locator(".problem").count()).toBe(0);
  });

  it("is led to the CRM's keys, sees each right of the pasted key, and corrects it before anything is registered", async () => {
    const { page, sandbox, world } = await fromTheCard(shared);
    const keysPage = page.getByRole("link", { name: "Open its API keys in a new tab" });
    const [crm] = await Promise.all([page.waitForEvent("popup"), keysPage.click()]);
    expect(crm.url()).toBe(`${sandbox.origin}/admin/api-keys`);
    await crm.getByLabel("integration_write").uncheck();
    await crm.getByRole("button", { name: "Create the key" }).click();
    const [key = ""] = [...world.keys.keys()].filter((each) => each !== "sandbox-key");
    await page.bringToFront();
    await paste(page, key);
    await right(page, "integration_write").getByText("(missing)").waitFor();
    expect(await right(page, "integration_read").locator(".given").count()).toBe(1);
    expect(await right(page, "notification_write").innerText()).toContain("not required");
    expect(await page.locator("#apiKey").getAttribute("aria-invalid")).toBe("true");
    await takePicture(page, "connect-rights", { fullPage: true });
    expect(world.modules.size).toBe(0);
    await page.locator("#apiKey").fill("sandbox-key");
    // What was found is about the older key.
    expect(await page.locator(".rights").count()).toBe(0);
    await page.keyboard.press("Tab");
    await page.locator(".rights").waitFor();
    expect(await page.locator(".rights .given").count()).toBe(4);
    expect(world.modules.size).toBe(0);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("Your account is connected.").waitFor();
    expect(await page.content()).not.toContain("sandbox-key");
  });

  it("is not held up by a check without an answer; sending the form ends it", async () => {
    const { page } = await fromTheCard(await runningPair());
    await page.getByText("There is a CRM account at this address.").waitFor();
    await page.route("**/check", () => {});
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/check"));
    await page.locator("#apiKey").fill("sandbox-key");
    await page.keyboard.press("Tab");
    await page.getByText("Checking…").waitFor();
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("Your account is connected.").waitFor();
    expect((await ended).failure()?.errorText).toContain("ABORTED");
  });
});
