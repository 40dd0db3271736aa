import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { installedChromium, SHELL } from "../../tools/chromium.ts";

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

const APT = "apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=10";
const INSTALL = `${APT} install -y --no-install-recommends ${SHELL}`;

async function findChromium(): Promise<string> {
  const other = installedChromium();
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  // Another Chromium serves, too: then it is not worth an update of the package lists.
  if (canInstall && !other?.endsWith(SHELL))
    await run(other ? INSTALL : `${APT} update && ${INSTALL}`, other ? "ignore" : "inherit");
  const found = installedChromium();
  if (!found)
    throw new Error(`Chromium is missing. Install it (Debian: apt-get install ${SHELL}) and run the tests again.`);
  return found;
}

async function run(line: string, errors: "ignore" | "inherit"): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await once(spawn("sh", ["-c", line], { stdio: ["ignore", "ignore", errors], env }), "close");
}
