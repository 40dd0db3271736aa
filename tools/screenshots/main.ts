import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { agentAt } from "gangway-sandbox/demo/agent";
import { type Browser, chromium, type Page } from "playwright-core";
import { installedChromium } from "../chromium.ts";
import { ROOT } from "../root.ts";

// The README's pictures, taken from the running demo: the account, the web chat, the inbox.

const FOLDER = join(ROOT, "docs", "pictures");
const VIEWPORT = { width: 1280, height: 760 };
/** Size limit of a picture, bytes: the README is also read over slow lines. */
const MAX_BYTES = 150 * 1024;
/** Phones that take a text by a plain form, and what is written there. */
const SAID: [string, string][] = [
  ["max", "Is the blue rope in stock?"],
  ["vk", "Do you deliver to Cartagena?"],
  ["avito", "Good morning! Is the anchor still there?"],
  ["http", "When do you open on Saturday?"],
];
const ANSWER = "Yes, it is. Shall we put twelve metres aside for you?";

/** The demo, and its two addresses. */
async function startDemo() {
  const main = join(ROOT, "sandbox", "dist", "main.js");
  const child = spawn(process.execPath, [main, "demo", "--port", "0", "--crm-port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  while (!said.includes("Ctrl-C")) {
    if (child.exitCode !== null) throw new Error(`the demo ended:\n${said}`);
    await pause(200);
  }
  const [, crm = ""] = /(http:\S+)\/shop\n/.exec(said) ?? [];
  const [, module = ""] = /form\s+(http:\S+)/.exec(said) ?? [];
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { crm, module, stop };
}

async function newPage(browser: Browser, address: string): Promise<Page> {
  const page = await (
    await browser.newContext({ viewport: VIEWPORT, locale: "en-GB", colorScheme: "light" })
  ).newPage();
  await page.goto(address);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_BYTES}`);
  process.stdout.write(`docs/pictures/${name}.png  ${Math.ceil(size / 1024)} KiB\n`);
}

async function answerAll(crm: string): Promise<void> {
  const agent = agentAt(crm);
  for (const { id } of await agent.chats()) await agent.say(id, { text: ANSWER });
}

async function takeAll(browser: Browser, { crm, module }: { crm: string; module: string }): Promise<void> {
  for (const [kind, text] of SAID)
    await fetch(`${crm}/${kind}/phone`, { method: "POST", body: new URLSearchParams({ text }), redirect: "manual" });
  const shop = await newPage(browser, `${crm}/shop`);
  const part = (name: string) => shop.locator(`[data-part="${name}"]`);
  await part("launcher").click();
  await part("input").fill("Hello! Is the blue rope still in stock?");
  await part("input").press("Enter");
  // The messages reach the CRM.
  await pause(3_000);
  await answerAll(crm);
  await shop.getByText(ANSWER).first().waitFor();
  await take(shop, "chat");
  const account = await newPage(browser, module);
  await account.getByLabel("Address of your CRM account").fill(crm);
  await account.getByLabel("API key").fill("sandbox-key");
  await account.getByRole("button", { name: "Connect", exact: true }).click();
  await account.getByRole("heading", { name: "Channels" }).waitFor();
  await account.goto(account.url().replace(/\?.*/, ""));
  await take(account, "channels");
  const inbox = await newPage(browser, `${crm}/inbox`);
  await inbox.locator("[data-chat]").last().click();
  await pause(1_000);
  await take(inbox, "inbox");
}

const executablePath = installedChromium();
if (!executablePath) throw new Error("no Chromium is installed");
mkdirSync(FOLDER, { recursive: true });
const demo = await startDemo();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking"] });
try {
  await takeAll(browser, demo);
} finally {
  await browser.close();
  await demo.stop();
}
