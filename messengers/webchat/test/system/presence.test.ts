import type { CustomerId } from "gangway-messenger/ids";
import { beforeAll, expect, it } from "vitest";
import { lastChat, openStage, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

it("tells no page before the first click, and then each, without a new one too", async () => {
  const shop = await stage.shop();
  const { page, open, say, stored } = await visitorAt(stage, { locale: "es-ES" });
  const told = () => stage.asked.filter((each) => each === `POST /m/${shop.name}/visit`).length;
  for (const path of ["/rope", "/cart"]) stage.page(path, { door: shop.name });
  await page.goto(stage.page("/", { door: shop.name }));
  await page.goto(`${stage.site}/rope?session=secret`);
  await page.evaluate("dispatchEvent(new Event('popstate'))");
  expect([told(), await stored()]).toEqual([0, 0]);
  await open();
  await say("hello");
  const before = told();
  await page.goto(`${stage.site}/cart`);
  await expect.poll(told).toBeGreaterThan(before);
  const atCart = told();
  await page.evaluate("history.pushState({}, '', '/cart/pay')");
  await expect.poll(told).toBeGreaterThan(atCart);
  const visit = () => shop.session.siteVisit?.(lastChat(shop) as CustomerId);
  await expect
    .poll(async () => (await visit())?.pages.map(({ url }) => url.replace(stage.site, "")))
    .toEqual(["/rope", "/cart", "/cart/pay"]);
  expect(await visit()).toMatchObject({ count: 1, ended: false, device: { browser: "Chrome", language: "es" } });
});

it("tells nothing while the page waits for consent, nor after the logout", async () => {
  const shop = await stage.shop();
  const { page, open, say } = await visitorAt(stage);
  const told = () =>
    stage.asked.filter((each) => each.endsWith(`/m/${shop.name}/visit`) && each.startsWith("POST")).length;
  await page.goto(stage.page("/", { door: shop.name, attributes: { "data-consent": "wait" } }));
  await page.evaluate("Gangway('consent')");
  await open();
  await say("hello");
  await page.evaluate("Gangway.logout()");
  const before = told();
  await page.evaluate("history.pushState({}, '', '/other'); dispatchEvent(new Event('popstate'))");
  await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
  expect(told()).toBe(before);
});
