import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { faultsOf, wide } from "../../../../test/support/axe.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { LANGUAGES } from "../../src/browser/language.ts";
import { answer, lastChat, openStage, type Stage, visitorAt } from "../system/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

const NARROW = { width: 320, height: 640 };
const EUR = (value: number) => ({ value, currency: "EUR" });
const PRODUCT = {
  id: 1,
  name: "Rope, 12 mm",
  article: "R-12",
  url: "https://shop.example/rope",
  cost: EUR(4),
  unit: "m",
};
const ORDER = {
  ...{ number: "1042C", date: "2026-11-20T10:00:00Z", status: "paid", cost: EUR(47.5), discount: EUR(2.5) },
  items: [{ name: "Rope", quantity: 10, unit: "m", price: EUR(4.1) }],
  delivery: { name: "Courier", price: EUR(5) },
};

/** What is wider than the window or is cut, in the widget. Runs in the page. */
const OVERFLOWING = `[...document.querySelector("gangway-chat").shadowRoot.querySelectorAll("*")].filter((each) => {
  const { left, right, width } = each.getBoundingClientRect();
  return width > 1 && each.checkVisibility() && !each.closest(".sr, .viewer img") && (left < -1 || right > innerWidth + 1);
}).map((each) => each.outerHTML.slice(0, 120))`;

/** The state has no fault of accessibility in either scheme, and nothing of it is beside the window. */
async function check(page: Page, state: string, lang: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect([state, await faultsOf(page)]).toEqual([state, []]);
  }
  const beside = [await page.evaluate(OVERFLOWING), await page.evaluate(CUT), await wide(page)];
  expect([state, ...beside]).toEqual([state, [], [], 0]);
  await takePicture(page, `webchat-${lang}-${state}`);
}

/** Buttons and links whose words do not fit. Runs in the page. */
const CUT = `[...document.querySelector("gangway-chat").shadowRoot.querySelectorAll("button:not(.launcher), a.card-link")]
  .filter((each) => each.checkVisibility() && (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1))
  .map((each) => each.outerHTML.slice(0, 120))`;

type Visitor = Awaited<ReturnType<typeof visitorAt>>;

async function firstForm({ page, part, open }: Visitor, check: (state: string) => Promise<void>) {
  await part("launcher").waitFor();
  await check("closed");
  await open();
  await part("first").waitFor();
  await check("first form");
  await page.locator("[name=email]").fill("robin@shop.example");
  await page.getByRole("checkbox").check();
  await page.locator(".first .main").click();
}

async function conversation({ page, part, say }: Visitor, shop: Awaited<ReturnType<Stage["shop"]>>) {
  await part("starter").first().waitFor();
  await say("hello");
  const shot = await page.screenshot();
  await answer(shop, { type: "product", text: "We have it:", product: PRODUCT });
  await answer(shop, { type: "order", order: ORDER });
  const files = ["a.png", "b.png"].map((name, n) => shop.fromGateway(`p${n}`, shot, "image/png", name));
  await answer(shop, { type: "image", files });
  await answer(shop, {
    type: "file",
    files: [shop.fromGateway("f", "text", "text/plain", `${"long-".repeat(20)}name.txt`)],
  });
  await answer(shop, "Which one?", {
    suggestions: [
      { type: "text", title: "The thick one" },
      { type: "phone", title: "My number" },
      { type: "url", title: "See", payload: "https://shop.example/" },
    ],
  });
  await page.getByText("Which one?").waitFor();
  await part("picture").nth(1).waitFor();
}

describe.each(LANGUAGES)("in %s", (lang) => {
  it("every state of the window has no fault of axe in either scheme, and fits into 320 pixels", async () => {
    const consentText = "I agree that my words are kept.";
    const shop = await stage.shop({
      askEmail: true,
      askName: false,
      consentText,
      starters: ["Price?", "Delivery?"],
      replyMinutes: 5,
    });
    const visitor = await visitorAt(stage, { viewport: NARROW, locale: lang });
    const { page, part, problems } = visitor;
    const look = (state: string) => check(page, state, lang);
    await page.goto(stage.page("/", { door: shop.name, lang, attributes: { "data-lang": lang } }));
    await firstForm(visitor, look);
    await look("empty");
    await conversation(visitor, shop);
    expect(
      await page.evaluate(
        `document.querySelector("gangway-chat").shadowRoot.querySelector("[dir=rtl], [dir=ltr]").dir`,
      ),
    ).toBe(lang === "ar" ? "rtl" : "ltr");
    await look("conversation");
    await page.locator(".foot .icon[aria-expanded]").click();
    await look("emoji");
    await page.keyboard.press("Escape");
    await part("quote").first().focus();
    await part("quote").first().press("Enter");
    await look("quoting");
    await page.keyboard.press("Escape");
    await part("menu").click();
    await look("menu");
    await part("erase").click();
    await part("sure").waitFor();
    await look("erase");
    await page.keyboard.press("Escape");
    await part("menu").click();
    await part("find").click();
    await part("search").fill("hello");
    await page.locator(".search-count", { hasText: "1" }).waitFor();
    await look("search");
    await part("search").press("Escape");
    await part("picture").first().click();
    await part("viewer").waitFor();
    await look("viewer");
    await page.keyboard.press("Escape");
    await part("mic").click();
    await part("record").waitFor();
    await look("record");
    await page.keyboard.press("Escape");
    const deleted = shop.at((await page.locator("[data-from=agent]").last().getAttribute("data-message")) ?? "");
    await shop.session.revisions?.delete({ ...deleted, chat: lastChat(shop) as never }, new AbortController().signal);
    await page.locator(".gone").waitFor();
    await look("deleted");
    await part("close").click();
    await answer(shop, "Are you still there?");
    await part("preview").waitFor();
    await look("preview");
    await part("launcher").click();
    await part("panel").waitFor();
    await page.context().setOffline(true);
    await part("input").fill("not sent");
    await part("input").press("Enter");
    await page.locator("[data-status=sending]").waitFor();
    await page.locator(".offline:not([hidden])").waitFor();
    await look("offline");
    expect(problems).toEqual([]);
  });
});
