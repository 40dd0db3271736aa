import { beforeAll, expect, it } from "vitest";
import { type FirefoxPage, findFirefox, firefoxPage } from "../../../../test/support/firefox.ts";
import { answer, openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

const firefox = findFirefox();
const WHY = "Firefox is not on this machine: install firefox-esr, or set FIREFOX to its path";

const ROOT = `document.querySelector("gangway-chat")?.shadowRoot`;
const part = (name: string) => `${ROOT}?.querySelector('[data-part="${name}"]')`;
const isSeen = (name: string) => `${part(name)}?.checkVisibility()`;
const says = (from: string, text: string, status = "") =>
  `[...${ROOT}.querySelectorAll("[data-from=${from}]${status}")].some((each) => each.textContent.includes("${text}"))`;
const ACTIVE = `${ROOT}.activeElement?.getAttribute("data-part")`;

async function visitorIn(executable: string) {
  const shop = await stage.shop();
  const page: FirefoxPage = await firefoxPage(executable);
  await page.goto(stage.page("/firefox", { door: shop.name }));
  await page.shows(isSeen("launcher"));
  return { shop, page };
}

it("in Firefox a visitor opens the chat, writes, is answered, and finds all again after a reload", async ({ skip }) => {
  if (!firefox) return skip(WHY);
  const { shop, page } = await visitorIn(firefox);
  expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
  await page.click(part("launcher"));
  await page.shows(isSeen("panel"));
  await page.shows(`${ACTIVE} === "input"`);
  await page.press("Is it in stock?", "Enter");
  await page.shows(says("visitor", "Is it in stock?", ":is([data-status=sent], [data-status=delivered])"));
  await answer(shop, "It is.");
  await page.shows(says("agent", "It is."));
  await page.goto(`${stage.site}/firefox`);
  await page.shows(isSeen("panel"));
  await page.shows(`${says("visitor", "Is it in stock?")} && ${says("agent", "It is.")}`);
  expect(shop.events.size).toBeGreaterThanOrEqual(1);
});

it("in Firefox the chat is used with the keyboard alone", async ({ skip }) => {
  if (!firefox) return skip(WHY);
  const { page } = await visitorIn(firefox);
  await page.press("Tab", "Tab");
  expect(await page.evaluate(ACTIVE)).toBe("launcher");
  await page.press("Enter");
  await page.shows(`${ACTIVE} === "input"`);
  await page.press("typed", "Enter");
  await page.shows(says("visitor", "typed", "[data-status=sent]"));
  await page.press("Escape");
  await page.shows(`!${isSeen("panel")}`);
  expect(await page.evaluate(ACTIVE)).toBe("launcher");
});
