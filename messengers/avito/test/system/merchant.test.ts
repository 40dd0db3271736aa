import { LANGUAGES, type Language } from "gangway-messenger/language";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture } from "../../../../test/support/browser.ts";
import { runningPair } from "../../../../test/support/demo.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { until } from "../../../../test/support/until.ts";
import { OTHER_SHOP, SHOP, THIRD_SHOP } from "../../emulator/emulator.ts";

/** From the gallery to a connected channel: the messenger, "Add". */
const CLICKS = 2;
/** A login is one channel's: each language has an account of its own, its phone's page, and what names its listing. */
const SHOPS: Record<Language, { shop: typeof SHOP; note: string }> = {
  en: { shop: SHOP, note: "About the listing: Mazda 3 2008, 300 000 ₽" },
  es: { shop: OTHER_SHOP, note: "Sobre el anuncio: Mazda 3 2008, 300 000 ₽" },
  ru: { shop: THIRD_SHOP, note: "По объявлению: Mazda 3 2008, 300 000 ₽" },
};

let open: Awaited<ReturnType<typeof openShop>>;
const ending = afterTests();

async function openShop() {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  return { server, crm: sandbox.origin, browser: await startBrowser(ending) };
}
beforeAll(async () => {
  open = await openShop();
});

/** The account page in this language. */
async function merchantIn(language: Language) {
  const context = await open.browser.newContext({ locale: language });
  const card = await context.newPage();
  await card.goto(open.crm);
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    card.getByRole("button", { name: "Open the account page" }).click(),
  ]);
  await page.locator(`button[name=language][value=${language}]`).click();
  await page.getByRole("heading", { name: strings[language].account.title }).waitFor();
  return { context, page };
}

/** A customer asks about a listing by phone, and an agent answers in the CRM's inbox. */
async function talk(customer: Page, inbox: Page, { shop, note }: (typeof SHOPS)[Language]) {
  await customer.goto(`${open.crm}/avito/phone?account=${shop.id}`);
  const question = `Is anybody at ${shop.name}?`;
  await customer.getByLabel("Message", { exact: true }).fill(question);
  await customer.keyboard.press("Enter");
  await inbox.goto(`${open.crm}/inbox`);
  // The list moves as messages come: a click may meet nothing.
  await until("the chat to open", async () => {
    // Each language's customer has that name, and the newest chat comes first.
    await inbox.locator("#chats").getByText("Ирина").first().click();
    return inbox
      .locator("#messages")
      .getByText(question)
      .first()
      .waitFor({ timeout: 2_000 })
      .then(
        () => true,
        () => false,
      );
  });
  await inbox.locator("#messages").getByText(note).first().waitFor();
  await inbox.locator("#reply").fill(`There is, at ${shop.name}`);
  await inbox.locator("#send").click();
  await customer.frameLocator("iframe").getByText(`There is, at ${shop.name}`).waitFor();
}

describe("a merchant with an account of Avito", () => {
  it.each(LANGUAGES)("connects it by the form alone in two clicks, and answers a customer: %s", async (language) => {
    const t = strings[language];
    const { context, page } = await merchantIn(language);
    let clicks = 0;
    const click = async (what: Locator) => {
      clicks += 1;
      await what.click();
    };
    const { shop } = SHOPS[language];
    await click(page.getByRole("link", { name: "Avito", exact: true }));
    // What stands on Avito's own page, as it is copied.
    await page.locator('[name="setting.avitoClientId"]').fill(` ${shop.clientId} `);
    await page.locator('[name="setting.avitoClientSecret"]').fill(shop.clientSecret);
    await page.keyboard.press("Tab");
    await page.getByText(t.checking.login({ name: shop.name })).waitFor();
    await takePicture(page, `merchant-avito-form-${language}`, { fullPage: true });
    await click(page.locator("form:has(input[name=kind][value=avito]) button[type=submit]"));
    await page.getByText(t.done.added).waitFor();
    await takePicture(page, `merchant-avito-added-${language}`, { fullPage: true });
    expect(clicks).toBe(CLICKS);
    // Agents see whose account it is.
    await page.getByRole("heading", { name: shop.name }).waitFor();
    await talk(await context.newPage(), await context.newPage(), SHOPS[language]);
    expect(open.server.lines.join("\n")).not.toContain('"level":"error"');
    await context.close();
  });

  it("is told in words that the secret is wrong, before anything is added", async () => {
    const { context, page } = await merchantIn("ru");
    await page.locator('a[href$="/add/avito"]').click();
    await page.locator('[name="setting.avitoClientId"]').fill(SHOP.clientId);
    await page.locator('[name="setting.avitoClientSecret"]').fill("x".repeat(40));
    await page.locator("form:has(input[name=kind][value=avito]) button[type=submit]").click();
    await page.getByText("Авито не принимает эти Client_id и Client_secret").first().waitFor();
    await context.close();
  });
});
