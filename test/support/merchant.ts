import type { Language } from "gangway-messenger/language";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { strings } from "../../src/pages/i18n/strings.ts";
import { startBrowser } from "./browser.ts";
import { runningPair } from "./demo.ts";
import type { Ending } from "./store.ts";
import { until } from "./until.ts";

// A merchant in a browser: from the CRM's card to a connected messenger, and a talk through it.

/** A connected account without a messenger; the vendors' apps are set up as an operator does. */
export async function openShop(ending: Ending) {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  for (const emulator of Object.values(sandbox.sandbox.emulators)) await emulator.register?.(server.origin);
  await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  return { server, crm: sandbox.origin, browser: await startBrowser(ending) };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;

/** The list of messengers that can be added, in a merchant's language; their clicks are counted. */
export async function merchantIn({ crm, browser }: Shop, language: Language) {
  const context = await browser.newContext({ locale: language });
  const card = await context.newPage();
  await card.goto(crm);
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    card.getByRole("button", { name: "Open the account page" }).click(),
  ]);
  await page.locator(`button[name=language][value=${language}]`).click();
  await page.getByRole("heading", { name: strings[language].looks.sections.channels }).waitFor();
  // From the account page while it has no messenger.
  await page.goto(`${page.url()}/add`);
  let clicks = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };
  return { context, page, click, clicks: () => clicks };
}
export type Merchant = Awaited<ReturnType<typeof merchantIn>>;

/** A messenger among those that can be added. */
export const tile = (kind: string, variant?: string) => `a[href$="/add/${kind}${variant ? `/as/${variant}` : ""}"]`;

/** The button that adds a messenger of this kind. */
export const addButton = (kind: string) => `form:has(input[name=kind][value=${kind}]) button[type=submit]`;

interface Talk {
  /** The phone's path, which tells this talk from others. */
  phone: string;
  /** What the list of chats shows of it, if not the question. */
  listed?: string;
}

/** A customer asks by phone, and an agent answers in the CRM's inbox. */
export async function talk({ crm }: Shop, context: BrowserContext, { phone, listed }: Talk): Promise<void> {
  const customer = await context.newPage();
  await customer.goto(`${crm}${phone}`);
  const [question, answer] = [`Is anybody there, ${phone}?`, `We are, ${phone}`];
  await customer.getByLabel("Message", { exact: true }).fill(question);
  await customer.keyboard.press("Enter");
  await answerIn(await context.newPage(), crm, { question, answer, listed });
  await customer.frameLocator("iframe").getByText(answer).waitFor();
}

interface Answering {
  question: string;
  answer: string;
  listed?: string;
}

/** An agent opens the chat in the inbox, and answers. */
export async function answerIn(
  inbox: Page,
  crm: string,
  { question, answer, listed = question }: Answering,
): Promise<void> {
  await inbox.goto(`${crm}/inbox`);
  const asked = inbox.locator("#messages").getByText(question).first();
  // The list moves as messages come: a click may meet nothing.
  await until("the chat to open", async () => {
    await inbox.locator("#chats").getByText(listed).first().click();
    const opened = asked.waitFor({ timeout: 2_000 });
    return opened.then(
      () => true,
      () => false,
    );
  });
  await inbox.locator("#reply").fill(answer);
  await inbox.locator("#send").click();
}
