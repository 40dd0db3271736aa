import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Chromium without windows: draws alike, and a new context takes a sixth of the CPU. */
const SHELL = "chromium-headless-shell";
const CHROMIUMS = [SHELL, "chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`);
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts headless Chromium as a server; root on Debian installs its shell if missing. */
export async function startChromium(...more: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const executablePath = await findChromium();
  const server = await chromium.launchServer({ executablePath, args: [...ARGS, ...more], host: "127.0.0.1" });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

const install = (names: string) => `timeout 120 apt-get install -y -qq --no-install-recommends ${names}`;
const INSTALL = `${install(SHELL)} || { timeout 60 apt-get update -qq && ${install(SHELL)}; }`;

async function findChromium(): Promise<string> {
  const [shell = ""] = CHROMIUMS;
  if (!existsSync(shell) && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    process.stderr.write(`Installing ${SHELL}\n`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await once(spawn("sh", ["-c", INSTALL], { stdio: "ignore", env }), "close");
  }
  const found = CHROMIUMS.find(existsSync);
  if (!found)
    throw new Error(`Chromium is missing. Install it (Debian: apt-get install ${SHELL}) and run the tests again.`);
  return found;
}
