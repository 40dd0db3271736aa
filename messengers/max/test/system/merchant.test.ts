import { LANGUAGES, type Language } from "gangway-messenger/language";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture } from "../../../../test/support/browser.ts";
import { runningPair } from "../../../../test/support/demo.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { until } from "../../../../test/support/until.ts";
import { createWorld } from "../../emulator/world.ts";
import { explanations } from "../../src/explanations.ts";

const ADD = "form:has(input[name=kind][value=max]) button[type=submit]";
/** From the gallery to a connected bot: the messenger, "Add". */
const CLICKS = 2;

let shop: Awaited<ReturnType<typeof openShop>>;
const ending = afterTests();

/** A connected account without a bot. */
async function openShop() {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  const visit = await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  const browser = await startBrowser(ending);
  return { server, crm: sandbox.origin, browser, visit };
}
beforeAll(async () => {
  shop = await openShop();
});

/** A merchant's account page in their language, whose clicks are counted. */
async function merchantIn(language: Language) {
  const { crm, browser } = shop;
  const context = await browser.newContext({ locale: language });
  const card = await context.newPage();
  await card.goto(crm);
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    card.getByRole("button", { name: "Open the account page" }).click(),
  ]);
  await page.locator(`button[name=language][value=${language}]`).click();
  await page.getByRole("heading", { name: strings[language].account.title }).waitFor();
  let clicks = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };
  return { context, page, click, clicks: () => clicks };
}
type Merchant = Awaited<ReturnType<typeof merchantIn>>;

/** A customer asks by phone, and an agent answers in the CRM's inbox. */
async function talk({ context }: Merchant, bot: number) {
  const customer = await context.newPage();
  await customer.goto(`${shop.crm}/max/phone?bot=${bot}&person=1`);
  const question = `Is anybody there, ${bot}?`;
  await customer.getByLabel("Message", { exact: true }).fill(question);
  await customer.keyboard.press("Enter");
  const inbox = await context.newPage();
  await inbox.goto(`${shop.crm}/inbox`);
  // The list moves as messages come: a click may meet nothing.
  await until("the chat to open", async () => {
    await inbox.locator("#chats").getByText(question).click();
    const opened = inbox.locator("#reply").waitFor({ timeout: 2_000 });
    return opened.then(
      () => true,
      () => false,
    );
  });
  await inbox.locator("#reply").fill(`We are, ${bot}`);
  await inbox.locator("#send").click();
  await customer.frameLocator("iframe").getByText(`We are, ${bot}`).waitFor();
}

const bad = explanations.find(({ en }) => en.startsWith("MAX does not recognise this token"));
/** One bot has one channel. */
const BOTS = createWorld().bots;

describe("a merchant", () => {
  it.each(LANGUAGES.map((language, n) => [language, BOTS[n]] as const))(
    "connects a bot by the form alone, in two clicks and one paste: %s",
    async (language, bot) => {
      const t = strings[language];
      const merchant = await merchantIn(language);
      const { page, click, clicks } = merchant;
      await click(page.getByRole("link", { name: "MAX", exact: true }));
      await page.locator("#add-max-token").fill(bot?.token ?? "");
      await page.keyboard.press("Tab");
      await page.getByText(t.checking.login({ name: bot?.name ?? "" })).waitFor();
      await click(page.locator(ADD));
      await page.getByText(t.done.added).waitFor();
      await takePicture(page, `merchant-max-${language}`, { fullPage: true });
      expect(clicks()).toBe(CLICKS);
      await talk(merchant, bot?.id ?? 0);
      expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
      await merchant.context.close();
    },
  );

  it.each(LANGUAGES)("who pastes what is no token reads why, and what to do: %s", async (language) => {
    const { page, context } = await merchantIn(language);
    await page.getByRole("link", { name: "MAX", exact: true }).first().click();
    await page.locator("#add-max-token").fill("a.token.that.max.does.not.know");
    await page.locator(ADD).click();
    await page
      .getByText(bad?.[language] ?? "")
      .first()
      .waitFor();
    await takePicture(page, `merchant-max-refused-${language}`, { fullPage: true });
    await context.close();
  });
});
