import { beforeAll, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { addButton, merchantIn, openShop, type Shop, talk, tile } from "../../../../test/support/merchant.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { SECOND_TOKEN, THIRD_TOKEN, TOKEN } from "../../emulator/emulator.ts";
import { words } from "../../src/words.ts";

/** From the gallery to a connected channel: the messenger, and "Connect". */
const CLICKS = 2;

let shop: Shop;
const ending = afterTests();
beforeAll(async () => {
  shop = await openShop(ending);
});

it.each([
  ["en", TOKEN, 1],
  ["es", SECOND_TOKEN, 2],
  ["ru", THIRD_TOKEN, 3],
] as const)(
  "a merchant with pages in the language %s pastes a key, and a customer's message and an agent's answer go through",
  async (language, token, community) => {
    const { page, context, click, clicks } = await merchantIn(shop, language);
    await click(page.locator(tile("vk")));
    for (const step of words[language].token.steps ?? [])
      await page.getByText(step.replaceAll("`", "").slice(0, 25)).first().waitFor();
    await page.locator('[name="setting.token"]').fill(token);
    await click(page.locator(addButton("vk")));
    await page.getByText(strings[language].done.added).waitFor();
    await takePicture(page, `merchant-vk-${language}`, { fullPage: true });
    expect(clicks()).toBe(CLICKS);
    await talk(shop, context, { phone: `/vk/phone?community=${community}&person=1` });
    expect(await page.content()).not.toContain(token);
    expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
    await context.close();
  },
);

it("a merchant who pastes a key that VK does not know reads so in their language, before anything is connected", async () => {
  const { page, context, click } = await merchantIn(shop, "ru");
  await click(page.locator(tile("vk")));
  await page.locator('[name="setting.token"]').fill(`vk1.a.${"x".repeat(80)}`);
  await click(page.locator(addButton("vk")));
  await page.getByText("ВКонтакте не знает такого ключа доступа").first().waitFor();
  await context.close();
});
