import { LANGUAGES, type Language } from "gangway-messenger/language";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { addButton, merchantIn, openShop, type Shop, talk, tile } from "../../../../test/support/merchant.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { OTHER_SHOP, SHOP, THIRD_SHOP } from "../../emulator/emulator.ts";

/** From the gallery to a connected channel: the messenger, "Add". */
const CLICKS = 2;
/** A login is one channel's: each language has an account of its own, its phone's page, and what names its listing. */
const SHOPS: Record<Language, { shop: typeof SHOP; note: string }> = {
  en: { shop: SHOP, note: "About the listing: Mazda 3 2008, 300 000 ₽" },
  es: { shop: OTHER_SHOP, note: "Sobre el anuncio: Mazda 3 2008, 300 000 ₽" },
  ru: { shop: THIRD_SHOP, note: "По объявлению: Mazda 3 2008, 300 000 ₽" },
};

let open: Shop;
const ending = afterTests();
beforeAll(async () => {
  open = await openShop(ending);
});

describe("a merchant with an account of Avito", () => {
  it.each(LANGUAGES)("connects it by the form alone in two clicks, and answers a customer: %s", async (language) => {
    const t = strings[language];
    const { context, page, click, clicks } = await merchantIn(open, language);
    const { shop, note } = SHOPS[language];
    await click(page.locator(tile("avito")));
    // What stands on Avito's own page, as it is copied.
    await page.locator('[name="setting.avitoClientId"]').fill(` ${shop.clientId} `);
    await page.locator('[name="setting.avitoClientSecret"]').fill(shop.clientSecret);
    await page.keyboard.press("Tab");
    await page.getByText(t.checking.login({ name: shop.name })).waitFor();
    await takePicture(page, `merchant-avito-form-${language}`, { fullPage: true });
    await click(page.locator(addButton("avito")));
    await page.getByText(t.done.added).waitFor();
    await takePicture(page, `merchant-avito-added-${language}`, { fullPage: true });
    expect(clicks()).toBe(CLICKS);
    // Agents see whose account it is.
    await page.getByRole("heading", { name: shop.name }).waitFor();
    await talk(open, context, { phone: `/avito/phone?account=${shop.id}`, listed: note });
    expect(open.server.lines.join("\n")).not.toContain('"level":"error"');
    await context.close();
  });

  it("is told in words that the secret is wrong, before anything is added", async () => {
    const { context, page } = await merchantIn(open, "ru");
    await page.locator('a[href$="/add/avito"]').click();
    await page.locator('[name="setting.avitoClientId"]').fill(SHOP.clientId);
    await page.locator('[name="setting.avitoClientSecret"]').fill("x".repeat(40));
    await page.locator(addButton("avito")).click();
    await page.getByText("Авито не принимает эти Client_id и Client_secret").first().waitFor();
    await context.close();
  });
});
