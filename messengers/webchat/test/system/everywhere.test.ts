import { beforeAll, describe, expect, it } from "vitest";
import { wide } from "../../../../test/support/axe.ts";
import { takePicture } from "../../../../test/support/browser.ts";
import { answer, DESKTOP, expectAccessible, openStage, PHONE, SCREENS, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

interface Style {
  animationDuration: string;
  backgroundColor: string;
}
/** Runs in the page. */
const styleOf = (element: unknown): Style => {
  const { getComputedStyle } = globalThis as never as { getComputedStyle(of: unknown): Style };
  const { animationDuration, backgroundColor } = getComputedStyle(element);
  return { animationDuration, backgroundColor };
};

type Box = { x: number; y: number; width: number; height: number };

describe.each(SCREENS)("on %s", (name, viewport) => {
  it("reads from right to left, with names and times in their own direction", async () => {
    const shop = await stage.shop({ replyMinutes: 5, greeting: "مرحبًا! كيف نساعدك؟" });
    const { page, part, open, say, problems } = await visitorAt(stage, { viewport, locale: "ar" });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("هل لديكم حبل 12 mm؟");
    await answer(shop, "Yes (12 mm).");
    await page.getByText("Yes (12 mm).").waitFor();
    await page.locator(".message[data-from=agent]").waitFor();
    const [visitor, agent] = (await Promise.all(
      ["visitor", "agent"].map((from) => page.locator(`.message[data-from=${from}]`).boundingBox()),
    )) as [Box, Box];
    expect(visitor.x).toBeLessThan(agent.x + agent.width - visitor.width);
    expect(await page.locator(".author bdi").textContent()).toBe("Marina");
    await takePicture(page, `webchat-${name.slice(2)}-ar`);
    await expectAccessible(page);
    expect([await wide(page), problems]).toEqual([0, []]);
    expect((await part("launcher").boundingBox())?.x ?? 1e9).toBeGreaterThan(viewport.width / 2);
  });

  it("is used with the keyboard alone, and the focus comes back", async () => {
    const shop = await stage.shop();
    const { page, part } = await visitorAt(stage, { viewport });
    const active = () =>
      page.evaluate(`document.querySelector("gangway-chat").shadowRoot.activeElement?.getAttribute("data-part")`);
    await page.goto(stage.page("/", { door: shop.name }));
    await part("launcher").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await active()).toBe("launcher");
    await page.keyboard.press("Enter");
    await expect.poll(active).toBe("input");
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await page.locator("[data-status=sent]", { hasText: "typed" }).waitFor();
    await part("menu").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    expect(await active()).toBe("menu");
    await page.keyboard.press("Escape");
    await part("panel").waitFor({ state: "hidden" });
    expect(await active()).toBe("launcher");
  });
});

it.each([
  ["a phone on its side", { width: 844, height: 390 }],
  ["a phone", PHONE],
  ["320 pixels", { width: 320, height: 568 }],
])("fills the whole of %s, and nothing is cut", async (name, viewport) => {
  const shop = await stage.shop({ askEmail: true, consentText: "I agree. ".repeat(20) });
  const { page, part, open, say } = await visitorAt(stage, { viewport });
  await page.goto(stage.page("/", { door: shop.name }));
  await open();
  await expect.poll(() => part("panel").boundingBox()).toEqual({ x: 0, y: 0, ...viewport });
  await takePicture(page, `webchat-${name.replaceAll(" ", "-")}`);
  await page.getByLabel("Your e-mail address").fill("robin@shop.example");
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Start the chat" }).click();
  await say("x".repeat(300));
  await expectAccessible(page);
  expect(await wide(page)).toBe(0);
  const send = await part("mic").boundingBox();
  expect((send?.y ?? 0) + (send?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
});

it("fits at a zoom of 200 %", async () => {
  const shop = await stage.shop();
  const { page, part, open, say } = await visitorAt(stage, {
    viewport: { width: 680, height: 450 },
    deviceScaleFactor: 2,
  });
  await page.goto(stage.page("/", { door: shop.name }));
  await open();
  await say("zoomed");
  const fits = async () => {
    const box = await part("panel").boundingBox();
    return (box?.y ?? -1) >= 0 && (box?.height ?? 1e9) <= 450;
  };
  await expect.poll(fits).toBe(true);
  expect(await wide(page)).toBe(0);
});

it("moves nothing for those who want no motion, and obeys the shop's scheme", async () => {
  const shop = await stage.shop({
    colourScheme: "dark",
    windowSide: "left",
    offsetX: 40,
    offsetY: 60,
    launcherText: "Ask us",
  });
  const { page, part, open } = await visitorAt(stage, {
    viewport: DESKTOP,
    reducedMotion: "reduce",
    colorScheme: "light",
  });
  await page.goto(stage.page("/", { door: shop.name }));
  await page.getByRole("button", { name: "Ask us, Open chat" }).waitFor();
  const box = await part("launcher").boundingBox();
  expect([box?.x, Math.round(900 - (box?.y ?? 0) - (box?.height ?? 0))]).toEqual([40, 60]);
  await open();
  const style = (property: keyof Style) =>
    part("panel")
      .evaluate(styleOf)
      .then((all) => all[property]);
  expect(await style("animationDuration")).toBe("0.01s");
  expect(await style("backgroundColor")).toBe("rgb(19, 28, 31)");
  await takePicture(page, "webchat-left-dark");
});

it("shows what the settings form has, while it is filled", async () => {
  const shop = await stage.shop();
  const form = `<div id="design"><form><label>Title <input name="setting.title" value="Quay"></label>
<label>Colour <input name="setting.accent" type="color" value="#0f5f6b"></label><label>Questions <textarea name="setting.starters"></textarea></label>
<label><input type="checkbox" name="setting.askName" value="on"> Name</label></form></div>
<script src="${stage.own}/channels/webchat/design.js" data-channel="${shop.name}" data-form="design" async></script>`;
  const { page, part } = await visitorAt(stage, { viewport: DESKTOP });
  await page.goto(stage.page("/", { door: shop.name, body: form, snippet: false }));
  await page.getByRole("heading", { name: "Quay", exact: true }).waitFor();
  await page.getByLabel("Title").fill("Rope shop");
  await page.getByRole("heading", { name: "Rope shop", exact: true }).waitFor();
  await page.getByLabel("Questions").fill("Price?\nDelivery?");
  expect(await part("starter").allTextContents()).toEqual(["Price?", "Delivery?"]);
  await page.getByLabel("Colour").fill("#aa0000");
  expect((await page.locator(".head").evaluate(styleOf)).backgroundColor).toBe("rgb(170, 0, 0)");
  await page.locator("[name='setting.askName']").check();
  await part("first").waitFor();
});
