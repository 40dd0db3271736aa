import * as facebook from "gangway-facebook/emulator/emulator";
import * as instagram from "gangway-instagram/emulator/emulator";
import type { Language } from "gangway-messenger/language";
import { WITHDRAWN } from "gangway-meta/app";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { sharedExplanations as meta } from "gangway-meta/explanations";
import * as whatsapp from "gangway-whatsapp/emulator/seed";
import { beforeAll, describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { takePicture } from "../../support/browser.ts";
import { LONG } from "../../support/long.ts";
import { addButton, type Merchant, merchantIn, openShop, type Shop, talk, tile } from "../../support/merchant.ts";
import { afterTests } from "../../support/store.ts";

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

let shop: Shop;
const ending = afterTests();
beforeAll(async () => {
  shop = await openShop(ending);
});

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
  await click(page.locator(addButton(kind)));
}

const WAYS = { login: logIn, paste };

describe.each(MESSENGERS)("$title, connected by a merchant with pages in the language $language,", (messenger) => {
  it.concurrent.each(LONG || messenger.kind === "whatsapp" ? (["login", "paste"] as const) : (["login"] as const))(
    "carries a customer's message and an agent's answer in a handful of clicks: by %s",
    async (way) => {
      const { kind, language } = messenger;
      const merchant = await merchantIn(shop, language);
      const { page, click, clicks } = merchant;
      await click(page.locator(tile(kind)));
      await WAYS[way](merchant, messenger);
      await page.getByText(strings[language].done.added).waitFor();
      await takePicture(page, `merchant-${kind}-${way}-${language}`, { fullPage: true });
      expect(clicks()).toBe(CLICKS[way] - (way === "login" && !messenger.byLogin.choice ? 1 : 0));
      const { phone } = messenger[way === "login" ? "byLogin" : "byPaste"];
      await talk(shop, merchant.context, { phone: `/${kind}/phone?${phone}` });
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
    const { context, page } = await merchantIn(shop, "es");
    const account = page.url().replace(/\/add$/, "");
    const troubles = page.getByText(withdrawn?.es ?? "");
    for (const [n, [kind, user]] of Object.entries(PERSONS).entries()) {
      const url = `${shop.crm}/${kind}/control/apps/${DEMO_APP.id}/deauthorize`;
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ user }) });
      expect(await answer.json()).toMatchObject({ status: 200 });
      await page.goto(account);
      expect(await troubles.count()).toBe(n + 1);
    }
    await context.close();
  });
});
