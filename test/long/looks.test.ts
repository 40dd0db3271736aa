import { LANGUAGES, type Language } from "gangway-messenger/language";
import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { strings } from "../../src/pages/i18n/strings.ts";
import { faultsOf, wide } from "../support/axe.ts";
import { startBrowser, takePicture } from "../support/browser.ts";
import { addPageAssets } from "../support/page-assets.ts";
import { SHOWN, shownPage } from "../support/shown.tsx";

const [PHONE, DESK] = [
  { width: 320, height: 740 },
  { width: 1280, height: 800 },
];
/** Every part of a page in sight. */
const UNFOLD = `for (const folded of document.querySelectorAll("details")) folded.open = true;
for (const panel of document.querySelectorAll(".panel")) panel.classList.add("first")`;
/** Runs in the browser. */
const BORDER = new Function("marked", "return getComputedStyle(marked).borderTopStyle") as () => string;
const LOOKS: [string, BrowserContextOptions][] = [
  ["phone-light", { viewport: PHONE, colorScheme: "light" }],
  ["phone-dark", { viewport: PHONE, colorScheme: "dark" }],
  ["desk-light", { viewport: DESK, colorScheme: "light" }],
  ["desk-dark", { viewport: DESK, colorScheme: "dark" }],
];

/** A window that shows pages by name. */
async function openWindow(options: BrowserContextOptions) {
  const page = await (await (await startBrowser()).newContext(options)).newPage();
  let body = "";
  await addPageAssets(page);
  await page.route("**/account", (route) => route.fulfill({ contentType: "text/html", body }));
  const show = async (shown: string, language: Language) => {
    body = shownPage(shown, language);
    await page.goto("https://gangway.example/account");
  };
  return { page, show };
}

describe("every page, in every state", () => {
  const each = LOOKS.flatMap(([look, options], turn) =>
    LANGUAGES.map((language, n) => ({ look, options, language, turn: turn + LANGUAGES.length - n })),
  );
  it.each(each)(
    "fits, and has no fault that axe finds: $look, $language",
    async ({ look, options, language, turn }) => {
      const { page, show } = await openWindow(options);
      for (const [n, shown] of SHOWN.entries()) {
        await show(shown, language);
        await page.evaluate(UNFOLD);
        expect(await wide(page), shown).toBe(0);
        // What axe finds depends on the state and its colours: each look has a language in turn.
        if ((n + turn) % LANGUAGES.length === 0) expect(await faultsOf(page), shown).toEqual([]);
        await takePicture(page, `pages-${shown}-${language}-${look}`, { fullPage: true });
      }
    },
  );

  it("is no thin strip at 4K", async () => {
    const { page, show } = await openWindow({ viewport: { width: 3840, height: 2160 } });
    for (const shown of SHOWN) {
      await show(shown, "en");
      expect(await page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)"), shown).toBe(21);
    }
    await show("account", "en");
    await takePicture(page, "pages-account-4k");
    const { width = 0 } = (await page.locator("main").boundingBox()) ?? {};
    expect(width).toBeGreaterThan(0.4 * 3840);
  });

  it("shows what a ground means by a border, too, where colours are forced", async () => {
    const { page, show } = await openWindow({ viewport: DESK, forcedColors: "active" });
    await show("account", "en");
    await takePicture(page, "pages-account-forced-colors", { fullPage: true });
    for (const marked of await page.locator(".problem, .notice, .done").all())
      expect(await marked.evaluate(BORDER)).toBe("solid");
  });
});

/** Runs in the browser. */
const BEFORE = new Function("cell", "return getComputedStyle(cell, '::before').content") as () => string;

describe("a table on a phone", () => {
  it("names its bare figures, since its head is out of sight", async () => {
    const { page, show } = await openWindow({ viewport: PHONE });
    for (const [shown, head] of [
      ["channel", strings.es.health.failed],
      ["customers", strings.es.customers.found],
    ] as const) {
      await show(shown, "es");
      await page.evaluate(UNFOLD);
      expect(await page.locator("thead").first().isVisible()).toBe(false);
      const cell = page.locator("td").getByText(/^\d+$/).last();
      expect(await cell.evaluate(BEFORE)).toContain(head);
    }
  });
});

describe("an account with many messengers", () => {
  it("shows ten of them, those in trouble first, and folds the rest", async () => {
    const { page, show } = await openWindow({ viewport: DESK, javaScriptEnabled: false });
    await show("account-long", "en");
    const seen = () => page.locator("section.row h2 a:visible").allTextContents();
    const first = await seen();
    expect(first).toHaveLength(10);
    expect(first.slice(0, 3)).toEqual(["Shop chat 11", "Shop chat 12", "Shop chat 0"]);
    await takePicture(page, "pages-account-long");
    await page.getByText("4 more channels").click();
    expect((await seen()).sort()).toEqual(Array.from({ length: 14 }, (_, n) => `Shop chat ${n}`).sort());
  });
});
