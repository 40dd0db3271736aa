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
  await page.addInitScript(`window.told = 0; const ask = fetch;
    window.fetch = (...given) => { if (String(given[0]).endsWith("/visit")) told += 1; return ask(...given); };`);
  const told = () => page.evaluate<number>("told");
  const moveTo = (path: string) =>
    page.evaluate(`history.pushState({}, "", "${path}"); dispatchEvent(new Event("popstate"))`);
  await page.goto(stage.page("/", { door: shop.name, attributes: { "data-consent": "wait" } }));
  await page.evaluate("Gangway('consent')");
  await open();
  await say("hello");
  await moveTo("/one");
  expect(await told()).toBeGreaterThan(0);
  await page.evaluate("Gangway.logout()");
  const before = await told();
  await moveTo("/other");
  expect(await told()).toBe(before);
});
