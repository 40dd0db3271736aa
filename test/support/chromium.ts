import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts headless Chromium as a server; root on Debian installs it if missing. */
export async function startChromium(...more: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const executablePath = CHROMIUM.find(existsSync) ?? (await installChromium());
  const server = await chromium.launchServer({ executablePath, args: [...ARGS, ...more], host: "127.0.0.1" });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

const INSTALL = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";

async function installChromium(): Promise<string> {
  const missing = "Chromium is missing. Install it (Debian: apt-get install chromium) and run the tests again.";
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) throw new Error(missing);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await once(spawn("sh", ["-c", INSTALL], { stdio: ["ignore", "ignore", "inherit"], env }), "close");
  const installed = CHROMIUM.find(existsSync);
  if (!installed) throw new Error(missing);
  return installed;
}
