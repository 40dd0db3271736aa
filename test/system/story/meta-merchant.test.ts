import * as facebook from "gangway-facebook/emulator/emulator";
import * as instagram from "gangway-instagram/emulator/emulator";
import type { Language } from "gangway-messenger/language";
import { WITHDRAWN } from "gangway-meta/app";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { sharedExplanations as meta } from "gangway-meta/explanations";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import * as whatsapp from "gangway-whatsapp/emulator/seed";
import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningPair } from "../../support/demo.ts";
import { LONG } from "../../support/long.ts";
import { afterTests } from "../../support/store.ts";
import { until } from "../../support/until.ts";

/** From the gallery to a connected channel: messenger, login, consent, choice, "Connect"; or messenger, "More", "Add". */
const CLICKS = { login: 5, paste: 3 };

interface Messenger {
  kind: string;
  title: string;
  /** Whose login the page offers. */
  login: string;
  /** Of the merchant and their browser. */
  language: Language;
  /** Which of several is chosen after the login, and the phone's page of a customer who writes to it. */
  byLogin: { choice?: string; phone: string };
  /** What is typed in the form. */
  byPaste: { fields: Record<string, string>; phone: string };
}
const accountPhone = ({ id }: { id: string }) => `account=${id}&person=1`;

const MESSENGERS: Messenger[] = [
  {
    kind: "whatsapp",
    title: "WhatsApp",
    login: "Facebook",
    language: "es",
    byLogin: { choice: "Quay & Co.", phone: `number=${whatsapp.NUMBER_ID}&customer=1` },
    byPaste: {
      fields: {
        token: whatsapp.TOKEN,
        phoneNumberId: whatsapp.COEXISTENCE_ID,
        wabaId: whatsapp.ACCOUNT_ID,
        appSecret: DEMO_APP.secret,
      },
      phone: `number=${whatsapp.COEXISTENCE_ID}&customer=1`,
    },
  },
  {
    kind: "facebook",
    title: "Facebook Messenger",
    login: "Facebook",
    language: "ru",
    byLogin: { choice: facebook.PAGE.name, phone: accountPhone(facebook.PAGE) },
    byPaste: {
      fields: { pageId: facebook.SECOND_PAGE.id, token: facebook.SECOND_TOKEN, appSecret: DEMO_APP.secret },
      phone: accountPhone(facebook.SECOND_PAGE),
    },
  },
  {
    kind: "instagram",
    title: "Instagram",
    login: "Instagram",
    language: "en",
    byLogin: { phone: accountPhone(instagram.ACCOUNT) },
    byPaste: {
      fields: {
        accountId: instagram.SECOND_ACCOUNT.id,
        token: instagram.SECOND_TOKEN,
        appSecret: instagram.APP.secret,
      },
      phone: accountPhone(instagram.SECOND_ACCOUNT),
    },
  },
];

let shop: Awaited<ReturnType<typeof openShop>>;
const ending = afterTests();

/** A connected account without these messengers, and the vendor's apps as an operator set them up. */
async function openShop() {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  for (const emulator of Object.values(sandbox.sandbox.emulators)) await emulator.register?.(server.origin);
  await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  const browser = await startBrowser(ending);
  return { server, crm: sandbox.origin, browser };
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

async function logIn({ page, click }: Merchant, { language, login: title, byLogin: { choice } }: Messenger) {
  const t = strings[language];
  await click(page.getByRole("link", { name: t.logins.with({ title }) }));
  // The messenger's own page.
  await click(page.getByRole("button", { name: "Continue" }));
  if (choice) await click(page.getByRole("checkbox", { name: choice }));
  await click(page.getByRole("button", { name: t.logins.connect }));
}

async function paste({ page, click }: Merchant, { language, kind, byPaste: { fields } }: Messenger) {
  const t = strings[language];
  await click(page.locator("summary", { hasText: t.account.more }));
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="setting.${name}"]`).fill(value);
  await click(page.locator(`form:has(input[name=kind][value=${kind}]) button[type=submit]`));
}

/** A customer asks by phone, and an agent answers in the CRM's inbox. */
async function talk({ context, page: merchant }: Merchant, kind: string, phone: string) {
  const customer = await context.newPage();
  await customer.goto(`${shop.crm}/${kind}/phone?${phone}`);
  const question = `Is anybody there, ${phone}?`;
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
  await inbox.locator("#reply").fill(`We are, ${phone}`);
  await inbox.locator("#send").click();
  await customer.frameLocator("iframe").getByText(`We are, ${phone}`).waitFor();
  await merchant.bringToFront();
}

const WAYS = { login: logIn, paste };

describe.each(MESSENGERS)("$title, connected by a merchant with pages in the language $language,", (messenger) => {
  it.concurrent.each(LONG || messenger.kind === "whatsapp" ? (["login", "paste"] as const) : (["login"] as const))(
    "carries a customer's message and an agent's answer in a handful of clicks: by %s",
    async (way) => {
      const { kind, title, language } = messenger;
      const merchant = await merchantIn(language);
      const { page, click, clicks } = merchant;
      await click(page.getByRole("link", { name: title, exact: true }));
      await WAYS[way](merchant, messenger);
      await page.getByText(strings[language].done.added).waitFor();
      await takePicture(page, `merchant-${kind}-${way}-${language}`, { fullPage: true });
      expect(clicks()).toBe(CLICKS[way] - (way === "login" && !messenger.byLogin.choice ? 1 : 0));
      await talk(merchant, kind, messenger[way === "login" ? "byLogin" : "byPaste"].phone);
      expect(shop.server.lines.join("\n")).not.toContain('"level":"error"');
      await merchant.context.close();
    },
  );
});

it("a template that Meta has reviewed is read again by every number of its account, without a button", async () => {
  const at = `${shop.crm}/whatsapp`;
  const listed = async () => {
    const { entries } = (await (await fetch(`${at}/control/calls`)).json()) as { entries: { operation: string }[] };
    return entries.filter(({ operation }) => operation === "listTemplates").length;
  };
  const before = await listed();
  const components = [{ type: "BODY", text: "Our spring sale begins." }];
  const answer = await fetch(`${at}/v23.0/${whatsapp.ACCOUNT_ID}/message_templates`, {
    method: "POST",
    headers: { authorization: `Bearer ${whatsapp.TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "spring", language: "en", category: "MARKETING", components }),
  });
  expect(answer.status).toBe(200);
  await expect.poll(listed).toBe(before + 2);
});

/** Whom the emulators' login pages let in. */
const PERSONS: Record<string, string> = { whatsapp: "122100000000042", facebook: "10200000000000001" };
const withdrawn = meta.find(({ en }) => en === WITHDRAWN);

describe("whoever removes the app at Meta", () => {
  it("stops the channels of their login at once, and none with a token of the shop's own", async () => {
    const { context, page } = await merchantIn("es");
    const troubles = page.getByText(withdrawn?.es ?? "");
    for (const [n, [kind, user]] of Object.entries(PERSONS).entries()) {
      const url = `${shop.crm}/${kind}/control/apps/${DEMO_APP.id}/deauthorize`;
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ user }) });
      expect(await answer.json()).toMatchObject({ status: 200 });
      await page.reload();
      expect(await troubles.count()).toBe(n + 1);
    }
    await context.close();
  });
});
