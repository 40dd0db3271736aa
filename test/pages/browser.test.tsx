import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/channels/registry.ts";
import { webchat } from "../../src/channels/webchat/index.ts";
import { LANGUAGES, type Language } from "../../src/domain/language.ts";
import { AccountPage } from "../../src/pages/account.tsx";
import { ChannelPage } from "../../src/pages/channel.tsx";
import { CustomersPage, ErasePage, ReceiptPage } from "../../src/pages/customers.tsx";
import { DisconnectPage } from "../../src/pages/disconnect.tsx";
import { EntryPage } from "../../src/pages/entry.tsx";
import { HistoryPage } from "../../src/pages/history.tsx";
import { LANGUAGE_NAMES, strings } from "../../src/pages/i18n/strings.ts";
import { logo } from "../../src/pages/logo.ts";
import { MessagePage } from "../../src/pages/message.tsx";
import { PreviewPage } from "../../src/pages/preview.tsx";
import type {
  AccountProps,
  FoundProps,
  HealthProps,
  HistoryProps,
  LegProps,
  LiveTestProps,
  ReceiptProps,
  RehearsalProps,
  StoryProps,
  TestedProps,
  UndeliveredProps,
} from "../../src/pages/props.ts";
import { RehearsalPage } from "../../src/pages/rehearsal.tsx";
import { SearchPage, StoryPage } from "../../src/pages/stories.tsx";
import { styleSheet } from "../../src/pages/style.ts";
import { TestPage } from "../../src/pages/testing.tsx";
import { TryPage } from "../../src/pages/trying.tsx";
import { UndeliveredPage } from "../../src/pages/undelivered.tsx";
import { servedSite } from "../http/served.ts";
import { picturePath, startBrowser } from "../support/browser.ts";
import { listening } from "../support/listening.ts";
import { CRM } from "../support/site.ts";

const LOOKS: [string, BrowserContextOptions][] = [
  ["light", { viewport: { width: 1100, height: 800 }, colorScheme: "light" }],
  ["dark", { viewport: { width: 1100, height: 800 }, colorScheme: "dark" }],
  ["phone", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
];

const wide = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
const card = (page: Page, name: string) => page.locator("section.channel", { hasText: name });

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

const health: HealthProps = {
  ...{ word: "stopped", lastInboundAt: 1_790_000_000_000, lastOutboundAt: 1_790_000_100_000 },
  days: Array.from({ length: 14 }, (_, n) => ({
    day: `2026-09-${String(n + 8).padStart(2, "0")}`,
    ...{ delivered: (n * 37) % 60, failed: n % 5 === 0 ? n : 0 },
  })),
};

/** An account page with every possible element. */
const eventful: AccountProps = {
  crmUrl: "https://a-rather-long-shop-name-for-a-phone.retailcrm.ru",
  keyEnd: "x7Qp",
  state: "frozen",
  trouble: "the gateway refused the token",
  channels: [
    {
      channel: { id: "one", kind: "webchat", name: "Shop chat", state: "active", settings: {} },
      title: webchat.titles ?? webchat.title,
      health: { ...health, word: "slow", waitsSince: 1_790_000_000_000 },
      counts: { waiting: 3, done: 12_840, dead: 2, held: 1 },
      hole: 0,
      snippet: webchat.snippet && {
        line: webchat.snippet.html("https://gangway.example", "k".repeat(43)),
        words: webchat.snippet.words,
      },
      link: "https://t.me/a_rather_long_bot_name_bot",
      sites: [
        { origin: "https://copy.example", at: 1_790_000_000_000, refused: true },
        { origin: "https://a-rather-long-shop-name-for-a-phone.example", at: 1_790_000_000_000, refused: false },
      ],
      schema: webchat.settings,
      words: webchat.words,
    },
    {
      channel: {
        id: "two",
        kind: "webchat",
        name: "Second",
        state: "stopped",
        trouble: "the token was refused",
        settings: {},
      },
      title: webchat.titles ?? webchat.title,
      health,
      counts: { waiting: 0, done: 0, dead: 0, held: 0 },
      hole: 0,
      schema: webchat.settings,
      words: webchat.words,
    },
  ],
  kinds: [
    {
      kind: "webchat",
      title: "Web chat",
      schema: webchat.settings,
      words: webchat.words,
      abilities: ["text", "image"],
    },
  ],
};

const failures: UndeliveredProps = {
  filter: { state: "held" },
  rows: [
    {
      id: 3,
      direction: "outbound",
      state: "held",
      code: "general",
      error: "timeout",
      at: 1_790_000_000_000,
      channelName: "Shop chat",
      chat: "4711",
      customer: "Ann Example",
      words: "Is the blue rope still in stock? I need twelve metres of it by Friday, if that is at all",
    },
    {
      id: 2,
      direction: "outbound",
      state: "dead",
      code: "reply_timed_out",
      error: "messenger answered 403: the window is closed",
      at: 1_790_000_000_000,
      channelName: "Shop chat",
    },
    {
      id: 1,
      direction: "inbound",
      state: "dead",
      code: "general",
      error: "the channel was removed",
      at: 1_789_000_000_000,
      channelName: "",
    },
  ],
  next: 1,
  totals: { held: 1, dead: 2 },
  fitting: 3,
  channels: [{ id: "one", name: "Shop chat", count: 3 }],
  codes: [{ code: "general", count: 3 }],
};

const found: FoundProps[] = [
  {
    ...{ channelId: "one", channelName: "Shop chat", chat: "4711", customer: "4711", name: "Ann Example" },
    ...{
      count: 12,
      lastAt: 1_790_000_000_000,
      words: "Is the blue rope still in stock? I need twelve metres of it by",
    },
  },
  { channelId: "two", channelName: "", chat: "a-chat-id-that-is-forty-characters-long-", count: 1, lastAt: 0 },
];
const receipt: ReceiptProps = {
  ...{ messages: 21, files: 1, webhooks: 2, notes: 0, gone: false },
  ...{ at: 1_790_000_000_000, backups: [1_789_000_000_000, 1_788_000_000_000] },
};

const past: HistoryProps = {
  acts: [
    { at: 1_790_000_000_000, actor: "account user", action: "message sent again", channelName: "Shop chat", count: 12 },
    { at: 1_789_000_000_000, actor: "crm", action: "account moved", channelName: "", count: 1 },
    { at: 1_788_000_000_000, actor: "operator", action: "something of a later version", channelName: "", count: 1 },
  ],
  visits: [
    { id: "a", startedAt: 1_790_000_000_000, usedAt: 1_790_000_000_000, browser: "Firefox, Windows", isThis: true },
    { id: "b", startedAt: 0, usedAt: 1_790_000_000_000, isThis: false },
    { id: "c", startedAt: 1, usedAt: 1_790_000_000_000, browser: "Safari, iPhone", isThis: false },
  ],
};

const story: StoryProps = {
  ...{ id: 7, channelName: "Shop chat", chat: "4711", customer: "Ann Example", direction: "outbound", state: "dead" },
  ...{ words: "Is the blue rope still in stock? I need twelve metres of it by", at: 1_790_000_000_000 },
  ...{ gatewayMessageId: "511523111", messengerMessageId: "a-message-id-that-is-forty-characters-lo", parts: 2 },
  attempts: 14,
  tries: Array.from({ length: 10 }, (_, n) => ({
    at: 1_790_000_000_000 + n * 60_000,
    error: "messenger answered 502",
  })),
  ...{ endedAt: 1_790_000_900_000, error: "messenger answered 502" },
  ack: { state: "refused", error: "gateway answered 400: Message not found", tries: [] },
  later: [{ at: 1_790_001_000_000, kind: "edited", direction: "outbound", state: "dead" }],
  acts: [],
};

const tested: TestedProps = [
  { hop: "crm" },
  { hop: "gateway", fault: { code: "gateway", detail: "gateway: refused (203.0.113.7:443)" } },
  { hop: "messenger", fault: { code: "wrong-key", detail: "" } },
];

/** Every state of a leg, and every reason that has a remedy. */
const legs: LegProps[] = [
  { leg: "stored", state: "done", at: 1_790_000_000_000 },
  {
    ...{ leg: "handed", state: "failed" },
    fault: { code: "gateway", detail: "gateway: refused (203.0.113.7:443)", nextAt: 1_790_000_060_000 },
  },
  { leg: "answered", state: "now" },
  { leg: "sent", state: "failed", fault: { code: "dead", detail: "the customer has blocked the bot" } },
  { leg: "told", state: "next" },
];
const isDone = (leg: LegProps): LegProps => ({ leg: leg.leg, state: "done", at: 1_790_000_000_000 });
const silent: LiveTestProps = {
  ...{ since: 1_790_000_000_000, tested },
  silence: { why: "troubled", detail: "somebody has removed the webhook" },
  legs: legs.map(({ leg }, n) => ({ leg, state: n === 0 ? "now" : "next" })),
};
const rehearsal: RehearsalProps = {
  maxLength: 4096,
  legs,
  chat: [
    { from: "customer", text: "Hello! Is the blue rope still in stock?", at: 1_790_000_000_000 },
    { from: "agent", text: "It is.\nThat is twelve metres.", author: "Ann Example", at: 1_790_000_060_000 },
  ],
};

const SHOWN = [
  ...["account", "channel", "undelivered", "disconnect", "entry", "preview", "message"],
  ...["customers", "erase", "receipt", "history", "trying", "search", "story"],
  ...["tested", "silent", "whole", "rehearsal", "rehearsal-first"],
] as const;

async function showEventful(browser: Browser, options: BrowserContextOptions, language: Language, shown: string) {
  const page = await (await browser.newContext(options)).newPage();
  const frame = {
    ...{ t: strings[language], moduleName: "Gangway", path: "/account", home: "/account", formToken: "t" },
    crm: eventful.crmUrl,
  };
  const [first] = eventful.channels;
  if (!first) throw new Error("no channel");
  const retainDays = { settled: 7, dead: 90, journal: 365, audit: 730 };
  const aside = { crmUrl: eventful.crmUrl, timeZone: "Europe/Madrid" };
  const asked = { crmUrl: "https://two.retailcrm.ru", formToken: "t" };
  const bodies = {
    account: <AccountPage {...frame} view={eventful} ended={failures.totals} />,
    channel: <ChannelPage {...frame} view={first} done="added" />,
    undelivered: <UndeliveredPage {...frame} view={failures} done={{ what: "again", count: 2 }} />,
    entry: (
      <EntryPage {...frame} open={[{ page: "/account/one", crmUrl: "https://one.retailcrm.ru" }]} requested={asked} />
    ),
    preview: (
      <PreviewPage
        {...frame}
        channel={first.channel}
        typed={{ text: "Hello", kind: "image", count: "2", size: "1", buttons: "Yes" }}
        preview={{ steps: [{ kind: "text", text: "Hello", files: ["a.png"], buttons: ["Yes"] }], losses: ["lost"] }}
      />
    ),
    message: <MessagePage {...frame} message="noVisit" />,
    disconnect: <DisconnectPage {...frame} view={eventful} retainDays={retainDays} />,
    customers: <CustomersPage {...frame} text="Ann" found={found} />,
    erase: (
      <ErasePage {...frame} person={{ channelId: "one", chat: "4711" }} who="Ann Example" channelName="Shop chat" />
    ),
    history: <HistoryPage {...frame} view={past} ended={true} />,
    search: <SearchPage {...frame} text="Ann" found={[story, { ...story, state: "done", words: undefined }]} />,
    story: <StoryPage {...frame} story={story} />,
    tested: <TestPage {...frame} {...aside} view={first} test={{ since: 1_790_000_000_000, tested, legs }} />,
    silent: <TestPage {...frame} {...aside} view={{ channel: first.channel, link: first.link }} test={silent} />,
    whole: <TestPage {...frame} {...aside} view={first} test={{ since: 0, legs: legs.map(isDone) }} />,
    rehearsal: <RehearsalPage {...frame} {...aside} channel={first.channel} rehearsal={rehearsal} />,
    "rehearsal-first": (
      <RehearsalPage
        {...frame}
        {...aside}
        channel={first.channel}
        rehearsal={{ maxLength: 4096, chat: [] }}
        problem={{ text: "", code: "empty" }}
      />
    ),
    trying: <TryPage {...frame} channel={first.channel} line="" />,
    receipt: <ReceiptPage {...frame} receipt={receipt} told={{ crm: false, messengers: false }} />,
  };
  const body = String(bodies[shown as keyof typeof bodies]);
  await page.route("**/style.css", (route) => route.fulfill({ contentType: "text/css", body: styleSheet }));
  await page.route("**/logo.svg", (route) => route.fulfill({ contentType: "image/svg+xml", body: logo }));
  await page.route("**/account", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("https://gangway.example/account");
  return page;
}

/** What axe finds wrong, of any weight, WCAG 2.2 AA and good practice: the rule and the element. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function faultless(page: Page, name: string): Promise<void> {
  expect(await wide(page), name).toBe(0);
  expect(await faultsOf(page), name).toEqual([]);
  await page.screenshot({ path: picturePath(`pages-${name}`), fullPage: true });
}

describe("the pages in a browser", () => {
  it("connect an account and manage its messengers without any script", async () => {
    const { origin, sandbox } = await servedSite();
    const browser = await startBrowser();
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const problems: string[] = [];
    page.on("console", (line) => /Content Security Policy|Refused to/.test(line.text()) && problems.push(line.text()));
    await connectByHand(page, origin);

    await page.getByRole("link", { name: "Web chat" }).click();
    await page.getByText("More options").click();
    await page.locator("#add-webchat-allowedOrigins").fill("shop");
    await page.locator("#add-webchat-name").fill("Shop chat");
    await addButton(page).click();
    await page.locator("#add-webchat-allowedOrigins[aria-invalid=true]").waitFor();
    await page.locator("#add-webchat-allowedOrigins").fill("https://shop.example");
    await addButton(page).click();
    await page.getByText("The messenger is connected.").waitFor();

    await card(page, "Shop chat").getByLabel("Name").fill("Renamed");
    await card(page, "Shop chat").getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    expect([...sandbox.world.channels.values()][0]?.name).toBe("Renamed");

    await card(page, "Renamed").getByText("Remove", { exact: true }).click();
    await page.getByRole("button", { name: "Remove this messenger" }).click();
    await page.getByText("The messenger is removed.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${origin}/`);
    await page.goto(`${origin}/account`);
    await page.getByText("Open this page from your CRM").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("open from the CRM's card in one step, and ask before another account opens beside it", async () => {
    const { origin, sandbox } = await servedSite();
    const clientIdOf = async (crmUrl: string) => {
      const body = new URLSearchParams({ crmUrl, apiKey: "sandbox-key" });
      await fetch(origin, { method: "POST", body, redirect: "manual" });
      return sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
    };
    const mine = await clientIdOf(CRM);
    const theirs = await clientIdOf(CRM.replace("127.0.0.1", "localhost"));
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
    const shown = () => page.locator("section.account strong").textContent();
    await comeIn("mine");
    expect(await shown()).toBe("127.0.0.1:7001");
    await comeIn("mine");
    expect(await shown()).toBe("127.0.0.1:7001");

    await comeIn("theirs");
    await page.getByRole("heading", { name: "Which account?" }).waitFor();
    await page.screenshot({ path: picturePath("pages-entry") });
    await page.getByRole("button", { name: "Do not open it" }).click();
    expect(await shown()).toBe("127.0.0.1:7001");
    await comeIn("theirs");
    await page.getByRole("button", { name: "Open localhost:7001" }).click();
    expect(await shown()).toBe("localhost:7001");
    await page.goto(`${origin}/account`);
    await page.screenshot({ path: picturePath("pages-accounts") });
    await page.getByRole("link", { name: "127.0.0.1:7001" }).click();
    expect(await shown()).toBe("127.0.0.1:7001");
  });

  it.each(LOOKS)("fit, and have no fault that axe finds: %s", async (look, options) => {
    const { origin, sandbox } = await servedSite();
    sandbox.world.keys.set("reader", { scopes: ["integration_read"], credentials: [] });
    const browser = await startBrowser();
    const page = await (await browser.newContext(options)).newPage();
    const take = (name: string) => faultless(page, `${name}-${look}`);
    await page.goto(origin);
    await take("connect");
    await page.fill("#crmUrl", "https://shop.example.com");
    await page.fill("#apiKey", "wrong");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("does not serve accounts at this address").waitFor();
    await take("connect-refused");
    await page.fill("#crmUrl", CRM);
    await page.fill("#apiKey", "reader");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.locator(".rights").waitFor();
    await take("connect-rights");
    await page.goto(`${origin}/account`);
    await take("stranger");
    await connectByHand(page, origin);
    await take("account-empty");
    await page.getByRole("link", { name: "Web chat" }).click();
    await take("adding");
    await page.getByText("More options").click();
    await page.locator("#add-webchat-allowedOrigins").fill("shop");
    await addButton(page).click();
    await page.locator("[aria-invalid=true]").waitFor();
    await take("channel-refused");
    await page.locator("#add-webchat-allowedOrigins").fill("");
    await addButton(page).click();
    await page.getByText("The messenger is connected.").waitFor();
    await take("channel");
  });

  it.each(LOOKS.flatMap(([look, options]) => LANGUAGES.map((language) => [look, language, options] as const)))(
    "do so whatever they have to show: %s, %s",
    async (look, language, options) => {
      const browser = await startBrowser();
      for (const shown of SHOWN)
        await faultless(await showEventful(browser, options, language, shown), `${shown}-${language}-${look}`);
    },
  );

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
        "/",
        home,
        `${home}/undelivered`,
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
    await page.goto(origin);
    for (const id of ["crmUrl", "apiKey"]) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.id")).toBe(id);
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    }
  });
});
