import { join } from "node:path";
import { type Browser, chromium, type FrameLocator, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { startChromium } from "./chromium.ts";
import { sharedUrl } from "./shared.ts";
import type { Ending } from "./store.ts";

const OUTPUT = join(import.meta.dirname, "..", "..", "test-output");

const { PICTURES } = process.env;

/** For a person to look at, in the test run's output; only with `PICTURES=1`. */
export async function takePicture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  if (PICTURES) await page.screenshot({ ...options, path: join(OUTPUT, `${name}.png`) });
}

/** Of the gallery: what leads to the form of the messenger with that title. */
export const tileOf = (page: Page | FrameLocator, title: string) =>
  page.getByRole("link").filter({ has: page.getByText(title, { exact: true }) });

/** Headless Chromium: the suite's; or, with more arguments, one of its own. `ending`: see `Ending`. */
export async function startBrowser(ending: Ending = onTestFinished, ...more: string[]): Promise<Browser> {
  // Asked for in any case: whoever asks first installs it.
  const shared = await sharedUrl("chromium");
  const own = more.length > 0 ? await startChromium(...more) : undefined;
  if (own) ending(own.stop);
  const browser = await chromium.connect(own?.url ?? shared);
  ending(() => browser.close());
  return browser;
}
