import { addWebChat, connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { startBrowser } from "../../support/browser.ts";
import { writeRows } from "../../support/engine.ts";
import { addPageAssets } from "../../support/page-assets.ts";
import { CRM } from "../../support/site.ts";
import { servedSite } from "../http/served.ts";

const { words } = strings.en.health;
/** Longer than the page waits between two reads without a stream, ms. */
const POLL_MS = 11_000;
const STOPPED = "UPDATE channel SET state = 'stopped', trouble = 'the token was refused'";
const ACTIVE = "UPDATE channel SET state = 'active', trouble = NULL";

interface Opening {
  javaScriptEnabled?: boolean;
  /** Requests that fail. */
  block?: string;
  /** The messenger's own page instead of the account's. */
  isChannel?: boolean;
}

/** An account's page with one messenger. Its timers run only as the test says. */
async function openAccount({ javaScriptEnabled = true, block, isChannel }: Opening = {}) {
  const { origin, folder } = await servedSite();
  const visit = await connectThroughForm(origin, CRM, "sandbox-key");
  await addWebChat(visit);
  const [channel] = await visit.channels();
  const context = await (await startBrowser()).newContext({ javaScriptEnabled });
  const [name = "", value = ""] = visit.cookie.split("=");
  await context.addCookies([{ name, value, url: origin }]);
  const page = await context.newPage();
  await page.clock.install();
  await addPageAssets(page);
  if (block) await page.route(block, (route) => route.abort());
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  const stream = javaScriptEnabled ? page.waitForEvent("request", isStream) : undefined;
  await page.goto(`${origin}${visit.home}${isChannel ? `/channels/${channel}` : ""}`);
  const isOpen = (await (await stream)?.response())?.ok() ?? false;
  const word = page.locator("main [data-fresh^=word] .badge");
  const shows = async (text: string) => expect.poll(() => word.textContent()).toBe(text);
  return { page, folder, word, shows, isOpen, loads: () => loads };
}

const isStream = (request: Request) => request.url().includes("/live?");

const timePasses = (page: Page) => page.clock.fastForward(POLL_MS);

describe("the account's page stays live", () => {
  it("by a stream: a failing messenger's word and trouble change without a reload", async () => {
    const { page, folder, shows, isOpen, loads } = await openAccount();
    expect(isOpen).toBe(true);
    await shows(words.new);
    await writeRows(folder, STOPPED);
    await shows(words.stopped);
    await page.getByText("the token was refused").waitFor();
    expect(loads()).toBe(1);
  });

  it("and so does the messenger's own page, with the button that tries it again", async () => {
    const { page, folder, shows, isOpen, loads } = await openAccount({ isChannel: true });
    expect(isOpen).toBe(true);
    await shows(words.new);
    await writeRows(folder, STOPPED);
    await shows(words.stopped);
    await page.getByText("the token was refused").waitFor();
    await page.getByRole("button", { name: `${strings.en.account.resume}: Shop chat` }).waitFor();
    expect(loads()).toBe(1);
  });

  it("by reading itself again where the stream fails", async () => {
    const { page, folder, shows, isOpen } = await openAccount({ block: "**/live?*" });
    expect(isOpen).toBe(false);
    await writeRows(folder, STOPPED);
    await timePasses(page);
    await shows(words.stopped);
  });

  it("or shows the figures of its last load, without any script", async () => {
    const { page, folder, shows, isOpen } = await openAccount({ javaScriptEnabled: false });
    expect(isOpen).toBe(false);
    await writeRows(folder, STOPPED);
    await page.reload();
    await shows(words.stopped);
  });

  it("and leaves alone a button that has the keyboard's focus", async () => {
    const { page, folder, shows } = await openAccount({ isChannel: true });
    await writeRows(folder, STOPPED);
    await shows(words.stopped);
    const resume = page.getByRole("button", { name: `${strings.en.account.resume}: Shop chat` });
    await resume.focus();
    await writeRows(folder, ACTIVE);
    await timePasses(page);
    await shows(words.new);
    expect(await resume.count()).toBe(1);
  });
});
