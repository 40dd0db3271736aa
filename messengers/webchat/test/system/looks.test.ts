import { beforeAll, describe, expect, it } from "vitest";
import { takePicture } from "../../../../test/support/browser.ts";
import { answer, DESKTOP, expectAccessible, openStage, PHONE, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

const PRODUCT = {
  type: "product" as const,
  text: "We have this one in stock:",
  product: {
    id: 1,
    name: "Three-strand rope, 12 mm",
    article: "by the metre · in stock",
    url: "https://shop.example/rope",
    cost: { value: 4, currency: "EUR" },
    unit: "m",
  },
};
const ORDER = {
  type: "order" as const,
  order: {
    number: "1042C",
    url: "https://shop.example/orders/1042",
    date: "2026-11-20T10:00:00Z",
    status: "On its way",
    cost: { value: 47.5, currency: "EUR" },
    discount: { value: 2.5, currency: "EUR" },
    items: [
      { name: "Three-strand rope, 12 mm", quantity: 10, unit: "m", price: { value: 4, currency: "EUR" } },
      { name: "Brass cleat", quantity: 1, price: { value: 5, currency: "EUR" } },
    ],
    delivery: { name: "Courier", price: { value: 5, currency: "EUR" } },
  },
};

describe.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)("on a %s", (name, viewport) => {
  it("shows a talk with cards, menu and search, without a fault of accessibility", async () => {
    const shop = await stage.shop({ replyMinutes: 5, starters: ["Rope by the metre?", "Delivery cost?"] });
    const url = stage.page("/looks", { door: shop.name });
    const { page, part, open, say, problems } = await visitorAt(stage, { viewport });
    await page.goto(url);
    await part("launcher").waitFor();
    await takePicture(page, `webchat-${name}-closed`);
    await open();
    await takePicture(page, `webchat-${name}-first`);
    await say("Rope, 12 mm. Do you have it by the metre?");
    await answer(shop, PRODUCT);
    await answer(shop, "Ten metres?", {
      suggestions: [
        { type: "text", title: "10 metres, please" },
        { type: "text", title: "Delivery cost?" },
      ],
    });
    await page.getByText("10 metres, please").waitFor();
    await takePicture(page, `webchat-${name}-product`);
    await page.emulateMedia({ colorScheme: "dark" });
    await takePicture(page, `webchat-${name}-product-dark`);
    await page.emulateMedia({ colorScheme: "light" });
    await answer(shop, ORDER);
    await part("order").waitFor();
    await takePicture(page, `webchat-${name}-order`);
    await part("menu").click();
    await takePicture(page, `webchat-${name}-menu`);
    await part("find").click();
    await part("search").fill("rope");
    await page.getByText("1 of").waitFor();
    await takePicture(page, `webchat-${name}-search`);
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });
});
