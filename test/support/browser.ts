import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Ending } from "./store.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const OUTPUT = join(import.meta.dirname, "..", "..", "test-output");

/** Path for a screenshot in the test run's output. */
export function picturePath(name: string): string {
  mkdirSync(OUTPUT, { recursive: true });
  return join(OUTPUT, `${name}.png`);
}

/** Starts headless Chromium; root on Debian installs it if missing. `ending`: see `Ending`. */
export async function startBrowser(ending: Ending = onTestFinished, more: string[] = []): Promise<Browser> {
  const executablePath = CHROMIUM.find(existsSync) ?? installChromium();
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...more,
  ];
  const browser = await chromium.launch({ executablePath, args });
  ending(() => browser.close());
  return browser;
}

const INSTALL = `command -v chromium || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }`;

function installChromium(): string {
  const missing = "Chromium is missing. Install it (Debian: apt-get install chromium) and run the tests again.";
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) throw new Error(missing);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // One test file installs it, the others wait: apt does not.
  const lock = join(tmpdir(), "gangway-chromium.lock");
  execFileSync("flock", [lock, "sh", "-c", INSTALL], { stdio: ["ignore", "ignore", "inherit"], env });
  const installed = CHROMIUM.find(existsSync);
  if (!installed) throw new Error(missing);
  return installed;
}
