import { LANGUAGES } from "gangway-messenger/language";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { addButton, merchantIn, openShop, type Shop, talk, tile } from "../../../../test/support/merchant.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { createWorld } from "../../emulator/world.ts";
import { explanations } from "../../src/explanations.ts";

/** From the gallery to a connected bot: the messenger, "Add". */
const CLICKS = 2;

let shop: Shop;
const ending = afterTests();
beforeAll(async () => {
  shop = await openShop(ending);
});

const bad = explanations.find(({ en }) => en.startsWith("MAX does not recognise this token"));
/** One bot has one channel. */
const BOTS = createWorld().bots;

describe("a merchant", () => {
  it.each(LANGUAGES.map((language, n) => [language, BOTS[n]] as const))(
    "connects a bot by the form alone, in two clicks and one paste: %s",
    async (language, bot) => {
      const t = strings[language];
      const { page, context, click, clicks } = await merchantIn(shop, language);
      await click(page.locator(tile("max")));
      await page.locator("#add-max-token").fill(bot?.token ?? "");
      await page.keyboard.press("Tab");
      await page.getByText(t.checking.login({ name: bot?.name ?? "" })).waitFor();
      await click(page.locator(addButton("max")));
      await page.getByText(t.done.added).waitFor();
      await takePicture(page, `merchant-max-${language}`, { fullPage: true });
      expect(clicks()).toBe(CLICKS);
      await talk(shop, context, { phone: `/max/phone?bot=${bot?.id}&person=1` });
      expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
      await context.close();
    },
  );

  it.each(LANGUAGES)("who pastes what is no token reads why, and what to do: %s", async (language) => {
    const { page, context } = await merchantIn(shop, language);
    await page.locator(tile("max")).click();
    await page.locator("#add-max-token").fill("a.token.that.max.does.not.know");
    await page.locator(addButton("max")).click();
    await page
      .getByText(bad?.[language] ?? "")
      .first()
      .waitFor();
    await takePicture(page, `merchant-max-refused-${language}`, { fullPage: true });
    await context.close();
  });
});
