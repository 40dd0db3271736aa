import { beforeAll, describe, expect, it } from "vitest";
import { takePicture } from "../../../../test/support/browser.ts";
import { answer, expectAccessible, openStage, SCREENS, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

describe.each(SCREENS)("on %s", (name, viewport) => {
  it("the chat stays open over pages and keeps what is being written", async () => {
    const shop = await stage.shop();
    stage.page("/cart", { door: shop.name });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("first");
    await part("input").fill("half a thou");
    await page.goto(`${stage.site}/cart`);
    await part("panel").waitFor();
    expect(await part("input").inputValue()).toBe("half a thou");
    await page.getByText("first").waitFor();
    await part("close").click();
    await page.reload();
    await part("launcher").waitFor();
    expect(await part("panel").isVisible()).toBe(false);
  });

  it("an answer while the chat is closed shows beside the button and in the page's title, here and on the next page", async () => {
    const shop = await stage.shop();
    stage.page("/cart", { door: shop.name });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("Is it in stock?");
    await part("close").click();
    await answer(shop, "Yes, 40 metres <img src=x onerror=alert(1)>");
    await page.getByText("Yes, 40 metres <img").waitFor();
    expect(await part("count").textContent()).toBe("1");
    expect(await page.title()).toBe("(1) Rope, 12 mm – Quay & Co.");
    await takePicture(page, `webchat-${name.slice(2)}-preview`);
    await expectAccessible(page);
    await page.evaluate(`document.title = "Another"`);
    await expect.poll(() => page.title()).toBe("(1) Another");
    await page.goto(`${stage.site}/cart`);
    await part("preview").waitFor();
    await part("preview").click();
    await part("panel").waitFor();
    await expect.poll(() => page.title()).toBe("Rope, 12 mm – Quay & Co.");
    await expect.poll(() => [...shop.events.keys()].some((key) => key.startsWith("read:"))).toBe(true);
  });

  it("an old conversation shows an answer that came while its visitor was away", async () => {
    const shop = await stage.shop();
    const { context, page, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("I come back later");
    await page.close();
    await answer(shop, "Here is your offer");
    // Another tab: nothing of the first one's session.
    const later = await context.newPage();
    await later.goto(`${stage.site}/`);
    await later.getByText("Here is your offer").waitFor();
  });

  it("sound is off until the visitor turns it on", async () => {
    const shop = await stage.shop();
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.addInitScript(
      `window.played = 0; const Real = AudioContext; window.AudioContext = class extends Real { constructor() { super(); window.played += 1; } };`,
    );
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("hello");
    await answer(shop, "silent");
    await page.getByText("silent").waitFor();
    expect(await page.evaluate("played")).toBe(0);
    await part("menu").click();
    expect(await part("sound").getAttribute("aria-checked")).toBe("false");
    await part("sound").click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await answer(shop, "aloud");
    await expect.poll(() => page.evaluate("played")).toBe(1);
  });

  it("when nobody answers it asks for an address, which reaches the customer", async () => {
    const shop = await stage.shop({ askAfterMinutes: 5 });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.clock.install();
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("Anybody there?");
    await page.clock.runFor(4 * 60_000);
    expect(await part("contact").isVisible()).toBe(false);
    await page.clock.runFor(2 * 60_000);
    await part("contact").waitFor();
    await takePicture(page, `webchat-${name.slice(2)}-contact`);
    await expectAccessible(page);
    await part("contact").fill("not an address");
    await part("contact").press("Enter");
    await page.getByText("Please check the address or number.").waitFor();
    await part("contact").fill("robin@shop.example");
    await part("contact").press("Enter");
    await part("contact").waitFor({ state: "hidden" });
    await expect
      .poll(() => [...shop.events.values()].at(-1))
      .toMatchObject({ customer: { email: "robin@shop.example" } });
  });
});
