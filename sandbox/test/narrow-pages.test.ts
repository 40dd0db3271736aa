import { expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../../test/support/browser.ts";
import { serveSandbox } from "../src/serve.ts";

it("the sandbox's pages fit a narrow window, menu included", async () => {
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(sandbox.close);
  const missing = `${sandbox.origin}/api/v5/integration-modules/a-code-that-nobody-has-registered`;
  await fetch(missing, { headers: { "x-api-key": "sandbox-key" } });
  const page = await (await startBrowser()).newPage({ viewport: { width: 390, height: 800 } });
  for (const path of ["/", "/admin/api-keys", "/inbox", "/phones", "/calls", "/unknowns", "/faults"]) {
    await page.goto(`${sandbox.origin}${path}`);
    expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(390);
    for (const link of await page.locator("header a").all()) {
      const box = await link.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999), path).toBeLessThanOrEqual(390);
    }
  }
});
