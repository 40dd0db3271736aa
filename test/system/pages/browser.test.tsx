import { LANGUAGES, type Language } from "gangway-messenger/language";
import webchat from "gangway-webchat";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { adapters } from "../../../src/messengers.ts";
import { LANGUAGE_NAMES, strings } from "../../../src/pages/i18n/strings.ts";
import { faultsOf, wide } from "../../support/axe.ts";
import { startBrowser, takePicture, tileOf } from "../../support/browser.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { listening } from "../../support/listening.ts";
import { addPageAssets } from "../../support/page-assets.ts";
import { CRM } from "../../support/site.ts";
import { servedSite } from "../http/served.ts";

/** `looks` has all four. */
const LOOKS: [string, BrowserContextOptions][] = [
  ["dark", { viewport: { width: 1100, height: 800 }, colorScheme: "dark" }],
  ["phone", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
];

/** What brings a part of a messenger's page into sight. */
const tab = (page: Page, name: string) => page.locator(".tabs").getByRole("link", { name });

/** Field ids of the form that adds a web chat. */
const addButton = (page: Page) =>
  page.locator("form:has(input[name=kind][value=webchat])").getByRole("button", { name: "Add", exact: true });

async function connectByHand(page: Page, origin: string) {
  await page.goto(`${origin}/?account=${encodeURIComponent(`${CRM}/`)}`);
  expect(await page.inputValue("#crmUrl")).toBe(CRM);
  await page.fill("#apiKey", "sandbox-key");
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("Your account is connected").waitFor();
}

/** Whole sentences of a language: single words may be the same in another. */
const sentencesOf = (language: Language): string[] => {
  const inside = (texts: object): string[] =>
    Object.values(texts).flatMap((text) =>
      typeof text === "object" ? inside(text) : typeof text === "string" ? [text] : [],
    );
  const words = [...adapters.map((adapter) => adapter.words[language]), webchat.snippet?.words[language] ?? {}];
  return [strings[language], ...words].flatMap(inside).filter((text) => text.split(" ").length > 3);
};

describe("the pages in a browser", () => {
  it("connect an account and manage its messengers without any script", async () => {
    const { origin, sandbox } = await servedSite();
    const browser = await startBrowser();
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await addPageAssets(page);
    const problems: string[] = [];
    page.on("console", (line) => /Content Security Policy|Refused to/.test(line.text()) && problems.push(line.text()));
    await connectByHand(page, origin);

    await tileOf(page, "Web chat").click();
    await page.getByText("More options").click();
    await page.locator("#add-webchat-allowedOrigins").fill("shop");
    await page.locator("#add-webchat-name").fill("Shop chat");
    await addButton(page).click();
    await page.locator("#add-webchat-allowedOrigins[aria-invalid=true]").waitFor();
    await page.locator("#add-webchat-allowedOrigins").fill("https://shop.example");
    await addButton(page).click();
    await page.getByText("The channel is connected.").waitFor();

    await tab(page, "Settings").click();
    await page.locator("section.channel").getByLabel("Name", { exact: true }).fill("Renamed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    expect([...sandbox.world.channels.values()][0]?.name).toBe("Renamed");

    await page.getByRole("link", { name: "Pause or remove" }).click();
    await page.getByRole("link", { name: "Remove this channel" }).click();
    await page.getByRole("heading", { name: "Remove Renamed?" }).waitFor();
    await page.getByRole("button", { name: "Remove this channel" }).click();
    await page.getByText("The channel is removed.").waitFor();

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Disconnect" }).click();
    // The style sheet says which label is in sight.
    await page.waitForURL(/\/disconnect$/, { waitUntil: "load" });
    const leaving = () => page.getByRole("main").getByRole("button").allInnerTexts();
    expect(await leaving()).toEqual(["Disconnect"]);
    await page.locator("#erase").check();
    expect(await leaving()).toEqual(["Disconnect and erase"]);
    await page.goto(`${origin}/account`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/\?done=left$/);
    await page.goto(`${origin}/account`);
    await page.getByText("Open this page from your CRM").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("open from the CRM's card in one step, and ask before another account opens beside it", async () => {
    const { origin, crmAt } = await servedSite();
    const clientIdOf = async (crmUrl: string) => {
      const body = new URLSearchParams({ crmUrl, apiKey: "sandbox-key" });
      await fetch(origin, { method: "POST", body, redirect: "manual" });
      return crmAt(crmUrl).world.modules.get("gangway")?.registration.clientId ?? "";
    };
    const mine = await clientIdOf(CRM);
    const theirs = await clientIdOf(OTHER_CRM);
    const cards = await listening((request, response) => {
      const id = request.url === "/mine" ? mine : theirs;
      const form = `<form method="post" action="${origin}/account"><input type="hidden" name="clientId" value="${id}">`;
      response.setHeader("content-type", "text/html").end(`${form}<button>Open</button></form>`);
    });
    const context = await (await startBrowser()).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    // To a browser, another site than the server's 127.0.0.1.
    const comeIn = async (card: string) => {
      await page.goto(`${cards.replace("127.0.0.1", "localhost")}/${card}`);
      await page.getByRole("button", { name: "Open" }).click();
      await page.waitForURL(`${origin}/account**`);
    };
    const shown = () => page.locator("aside .foot strong").textContent();
    await comeIn("mine");
    expect(await shown()).toBe("127.0.0.1:7001");
    await comeIn("mine");
    expect(await shown()).toBe("127.0.0.1:7001");

    await comeIn("theirs");
    await page.getByRole("heading", { name: "Which account?" }).waitFor();
    await takePicture(page, "pages-entry");
    await page.getByRole("button", { name: "Do not open it" }).click();
    expect(await shown()).toBe("127.0.0.1:7001");
    await comeIn("theirs");
    await page.getByRole("button", { name: "Open localhost:7002" }).click();
    expect(await shown()).toBe("localhost:7002");
    await page.goto(`${origin}/account`);
    await takePicture(page, "pages-accounts");
    await page.getByRole("link", { name: "127.0.0.1:7001" }).click();
    expect(await shown()).toBe("127.0.0.1:7001");
  });

  it.each(LOOKS)("fit, and have no fault that axe finds: %s", async (look, options) => {
    const { origin } = await servedSite();
    const browser = await startBrowser();
    const page = await (await browser.newContext(options)).newPage();
    await addPageAssets(page);
    const take = async (name: string) => {
      // Its words may be there before its style.
      await page.waitForLoadState();
      expect(await wide(page), name).toBe(0);
      expect(await faultsOf(page), name).toEqual([]);
      await takePicture(page, `pages-${name}-${look}`, { fullPage: true });
    };
    await page.goto(origin);
    await take("connect");
    await page.fill("#crmUrl", "https://shop.example.com");
    await page.fill("#apiKey", "wrong");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("does not serve accounts at this address").first().waitFor();
    await take("connect-refused");
    await page.goto(`${origin}/account`);
    await take("stranger");
    await connectByHand(page, origin);
    await take("account-empty");
    await tileOf(page, "Web chat").click();
    await take("adding");
    await page.getByText("More options").click();
    await page.locator("#add-webchat-allowedOrigins").fill("shop");
    await addButton(page).click();
    await page.locator("[aria-invalid=true]").waitFor();
    await take("channel-refused");
    await page.locator("#add-webchat-allowedOrigins").fill("");
    await addButton(page).click();
    await page.getByText("The channel is connected.").waitFor();
    await take("channel");
  });

  it("change their language without any script, remember it, and mix no two", async () => {
    const { origin } = await servedSite();
    const browser = await startBrowser();
    const context = await browser.newContext({ javaScriptEnabled: false, locale: "es-MX" });
    const page = await context.newPage();
    const shown = () => page.locator("html").getAttribute("lang");
    const choose = (language: Language) =>
      page.getByRole("button", { name: LANGUAGE_NAMES[language], exact: true }).click();
    await page.goto(origin);
    expect(await shown()).toBe("es");
    await choose("en");
    await connectByHand(page, origin);
    await choose("ru");
    expect([page.url(), await shown()]).toEqual([expect.stringMatching(/\/account\/[\w-]{22}$/), "ru"]);
    const home = new URL(page.url()).pathname;
    await page.goto(`${origin}${home}/add/webchat`);
    await page.locator("form:has(input[name=kind][value=webchat]) button[type=submit]").click();
    await page.getByText(strings.ru.done.added).waitFor();
    for (const language of LANGUAGES) {
      await choose(language);
      for (const path of [
        "/?done=left",
        home,
        `${home}/undelivered`,
        `${home}/settings`,
        `${home}/key`,
        `${home}/add`,
        `${home}/disconnect`,
        `${home}/add/webchat`,
        `${home}/no-such-page`,
      ]) {
        await page.goto(`${origin}${path}`);
        const said = await page.locator("body").innerText();
        for (const other of LANGUAGES.filter((each) => each !== language))
          expect(sentencesOf(other).filter((text) => said.includes(text))).toEqual([]);
      }
      await page.goto(`${origin}/account`);
      await page.locator("section.row h2 a").click();
      await tab(page, strings[language].account.edit).click();
      await page.getByRole("link", { name: strings[language].preview.title }).click();
      await page.locator("#text").fill("Hello");
      await page.getByRole("button", { name: strings[language].preview.submit }).click();
      const heading = await page.locator("[data-preview] h2").textContent();
      expect(heading).toBe(strings[language].preview.steps({ count: 1 }));
    }
  });

  it("show the keyboard focus", async () => {
    const { origin } = await servedSite();
    const page = await (await startBrowser()).newPage();
    await addPageAssets(page);
    await page.goto(origin);
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe(strings.en.looks.skip);
    expect(await page.locator(".skip").boundingBox()).toMatchObject({ x: 16 });
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("main");
    for (const id of ["crmUrl", "apiKey"]) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.id")).toBe(id);
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    }
  });
});
