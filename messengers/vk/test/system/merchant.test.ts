import type { Language } from "gangway-messenger/language";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { Locator } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { strings } from "../../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture } from "../../../../test/support/browser.ts";
import { runningPair } from "../../../../test/support/demo.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { until } from "../../../../test/support/until.ts";
import { SECOND_TOKEN, THIRD_TOKEN, TOKEN } from "../../emulator/emulator.ts";
import { words } from "../../src/words.ts";

/** From the gallery to a connected channel: the messenger, and "Connect". */
const CLICKS = 2;

let shop: Awaited<ReturnType<typeof openShop>>;
const ending = afterTests();

/** A connected account without a messenger. */
async function openShop() {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  return { server, crm: sandbox.origin, browser: await startBrowser(ending) };
}
beforeAll(async () => {
  shop = await openShop();
});

/** A merchant's account page in their language, whose clicks are counted. */
async function merchantIn(language: Language) {
  const context = await shop.browser.newContext({ locale: language });
  const card = await context.newPage();
  await card.goto(shop.crm);
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

/** A customer asks by phone, and an agent answers in the CRM's inbox. */
async function talk({ context }: Awaited<ReturnType<typeof merchantIn>>, community: number) {
  const customer = await context.newPage();
  await customer.goto(`${shop.crm}/vk/phone?community=${community}&person=1`);
  const question = `Is anybody there, ${community}?`;
  await customer.getByLabel("Message", { exact: true }).fill(question);
  await customer.keyboard.press("Enter");
  const inbox = await context.newPage();
  await inbox.goto(`${shop.crm}/inbox`);
  // The list moves as messages come: a click may meet nothing.
  await until("the chat to open", async () => {
    await inbox.locator("#chats").getByText(question).click();
    return inbox
      .locator("#reply")
      .waitFor({ timeout: 2_000 })
      .then(
        () => true,
        () => false,
      );
  });
  await inbox.locator("#reply").fill(`We are, ${community}`);
  await inbox.locator("#send").click();
  await customer.frameLocator("iframe").getByText(`We are, ${community}`).waitFor();
}

it.each([
  ["en", TOKEN, 1],
  ["es", SECOND_TOKEN, 2],
  ["ru", THIRD_TOKEN, 3],
] as const)(
  "a merchant with pages in the language %s pastes a key, and a customer's message and an agent's answer go through",
  async (language, token, community) => {
    const merchant = await merchantIn(language);
    const { page, click, clicks } = merchant;
    await click(page.getByRole("link", { name: "VK", exact: true }));
    for (const step of words[language].token.steps ?? [])
      await page.getByText(step.replaceAll("`", "").slice(0, 25)).first().waitFor();
    await page.locator('[name="setting.token"]').fill(token);
    await click(page.locator("form:has(input[name=kind][value=vk]) button[type=submit]"));
    await page.getByText(strings[language].done.added).waitFor();
    await takePicture(page, `merchant-vk-${language}`, { fullPage: true });
    expect(clicks()).toBe(CLICKS);
    await talk(merchant, community);
    expect(await page.content()).not.toContain(token);
    expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
    await merchant.context.close();
  },
);

it("a merchant who pastes a key that VK does not know reads so in their language, before anything is connected", async () => {
  const { page, context, click } = await merchantIn("ru");
  await click(page.getByRole("link", { name: "VK", exact: true }));
  await page.locator('[name="setting.token"]').fill(`vk1.a.${"x".repeat(80)}`);
  await click(page.locator("form:has(input[name=kind][value=vk]) button[type=submit]"));
  await page.getByText("ВКонтакте не знает такого ключа доступа").first().waitFor();
  await context.close();
});
