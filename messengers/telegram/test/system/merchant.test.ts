import { LANGUAGES } from "gangway-messenger/language";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { addButton, answerIn, merchantIn, openShop, type Shop, tile } from "../../../../test/support/merchant.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { business } from "../../src/owners.ts";

/** From the gallery to a connected bot: the messenger, "Add". */
const CLICKS = 2;

let shop: Shop;
const ending = afterTests();
beforeAll(async () => {
  shop = await openShop(ending);
});

describe("a merchant with a business account of Telegram", () => {
  it.each(LANGUAGES.map((language, n) => [language, n] as const))(
    "connects it by what the pages say and no more, and answers a customer in its name: %s",
    async (language, n) => {
      const { page, context, click, clicks } = await merchantIn(shop, language);
      const t = strings[language];
      await click(page.locator(tile("telegram", business.name)));
      await page.getByText("Business Mode").waitFor();
      const [, username = "", token = ""] = BOTS[n] ?? [];
      await page.locator("#add-telegram-token").fill(token);
      await takePicture(page, `merchant-telegram-business-form-${language}`, { fullPage: true });
      await click(page.locator(addButton("telegram")));
      await page.getByText(t.done.added).waitFor();
      await takePicture(page, `merchant-telegram-business-${language}`, { fullPage: true });
      expect(clicks()).toBe(CLICKS);
      const link = (await page.getByText("?start=own-").first().innerText()).trim();
      // Agents tell two bots apart.
      await page.getByRole("heading", { name: `@${username}` }).waitFor();
      await page.locator("code").getByText(`@${username}`, { exact: true }).waitFor();

      const phone = await context.newPage();
      await phone.goto(`${shop.crm}/telegram/phone?person=${OWNER}`);
      await phone.getByText("Start by a link, or with its payload").click();
      await phone.getByLabel("Start link or payload").fill(link);
      await phone.getByRole("button", { name: `Start ${BOTS[n]?.[0]}` }).click();
      await phone.locator("#messages").getByText(WELCOME[language]).waitFor();
      await phone.getByRole("button", { name: "Back to the chats" }).click();
      await phone.getByLabel("Settings, Telegram Business, Chatbots").selectOption(`@${username}`);

      await phone.getByLabel("Person", { exact: true }).selectOption("Wren");
      await phone.getByRole("button", { name: "Write to Robin Field" }).click();
      const question = `Open today, @${username}?`;
      await phone.getByLabel("Message", { exact: true }).fill(question);
      await phone.keyboard.press("Enter");
      await answerIn(await context.newPage(), shop.crm, { question, answer: `Yes, @${username}` });
      await phone.locator("#messages").getByText(`Yes, @${username}`).waitFor();
      expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
      await context.close();
    },
  );
});

/** In the emulated Telegram. */
const OWNER = 5_120_000_042;
const BOTS = [
  ["Harbour", "harbour_bot", "7712345601:AAHarbourBotOfTheSandbox00000000001"],
  ["Lighthouse", "lighthouse_bot", "7712345602:AALighthouseBotOfTheSandbox00000002"],
  ["Breakwater", "breakwater_bot", "7712345603:AABreakwaterBotOfTheSandbox00000003"],
] as const;
/** How the bot thanks its owner. */
const WELCOME = { en: "Thank you.", es: "Gracias.", ru: "Спасибо." };
