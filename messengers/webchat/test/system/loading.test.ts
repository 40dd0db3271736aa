import { beforeAll, describe, expect, it } from "vitest";
import { answer, expectAccessible, openStage, SCREENS, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

const STUB = "<script>window.Gangway=window.Gangway||function(){(Gangway.q=Gangway.q||[]).push(arguments)}</script>";
const loadsOf = (name: string) => stage.asked.filter((line) => line.endsWith(name)).length;

describe.each(SCREENS)("on %s", (_, viewport) => {
  it("a page loads the button alone, and the chat when it is opened", async () => {
    const shop = await stage.shop();
    const { page, part, open, say, problems } = await visitorAt(stage, { viewport });
    const before = loadsOf("chat.js");
    await page.goto(stage.page("/", { door: shop.name }));
    await part("launcher").waitFor();
    await page.waitForLoadState("networkidle");
    expect(loadsOf("chat.js")).toBe(before);
    expect(stage.asked).not.toContain(`POST /m/${shop.name}/open`);
    await expectAccessible(page);
    await open();
    expect(loadsOf("chat.js")).toBe(before + 1);
    await say("hello");
    expect(problems).toEqual([]);
  });

  it("nothing is stored before the first click, and an unfinished visit leaves no visitor", async () => {
    const shop = await stage.shop({ greetAfter: 1 });
    const { page, part, stored, open, context } = await visitorAt(stage, { viewport });
    await page.clock.install();
    await page.goto(stage.page("/?utm_source=news", { door: shop.name }));
    await part("launcher").waitFor();
    await page.clock.runFor(3_000);
    await part("preview").waitFor();
    expect([await stored(), await context.cookies()]).toEqual([0, []]);
    await open();
    await expect.poll(stored).toBeGreaterThan(0);
    expect(await context.cookies()).toEqual([]);
  });

  it("goes on without the channel's look, greets once that has come, and writing begins where the focus is", async () => {
    const shop = await stage.shop({ greetAfter: 1 });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(`${stage.own}/m/*/appearance`, async (route) => {
      await gates[0]?.promise;
      await route.continue();
    });
    await page.clock.install();
    await page.goto(stage.page("/", { door: shop.name }));
    await page.clock.runFor(4_000);
    await part("launcher").waitFor();
    gates.shift()?.resolve();
    await part("preview").waitFor();
    await page.reload();
    await page.clock.runFor(4_000);
    await open();
    const active = () =>
      page.evaluate(`document.querySelector("gangway-chat").shadowRoot.activeElement?.getAttribute("data-part")`);
    expect(await part("input").isEnabled()).toBe(false);
    gates.shift()?.resolve();
    await expect.poll(active).toBe("input");
    await say("hello");
  });

  it("waits for consent: no request, no button, and what was called meanwhile happens after it", async () => {
    const shop = await stage.shop();
    const { page, part, stored } = await visitorAt(stage, { viewport });
    const before = `${STUB}<script>Gangway("open", "Is there rope?")</script>`;
    await page.goto(stage.page("/", { door: shop.name, attributes: { "data-consent": "wait" }, before }));
    await page.waitForLoadState("networkidle");
    expect(await page.locator("gangway-chat").count()).toBe(0);
    expect(stage.asked.filter((line) => line.includes(`/m/${shop.name}/`))).toEqual([]);
    expect(await stored()).toBe(0);
    await page.evaluate(`Gangway("consent")`);
    await part("panel").waitFor();
    expect(await part("input").inputValue()).toBe("Is there rope?");
  });

  it("consent in the stub's queue begins at once, and loses none of the calls around it", async () => {
    const shop = await stage.shop();
    const { page, part, say, problems } = await visitorAt(stage, { viewport });
    const calls = `Gangway("identify", { name: "Robin" });Gangway("consent");Gangway("open", "Is there rope?")`;
    const before = `${STUB}<script>${calls}</script>`;
    await page.goto(stage.page("/", { door: shop.name, attributes: { "data-consent": "wait" }, before }));
    await part("panel").waitFor();
    expect(await part("input").inputValue()).toBe("Is there rope?");
    await say("And canvas?");
    expect([...shop.events.values()]).toMatchObject([{ customer: { nickname: "Robin" } }]);
    expect(await part("launcher").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("a visitor deletes the conversation, here and on the server", async () => {
    const shop = await stage.shop();
    const { page, part, stored, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await say("my secret");
    const token = await page.evaluate(`localStorage.getItem("gangway:${shop.name}:visitor")`);
    await part("menu").click();
    await part("erase").click();
    await expectAccessible(page);
    await part("erase-yes").click();
    await page.getByText("Your conversation is deleted.").waitFor();
    expect(shop.erased).toEqual([String(token).split(".")[0]]);
    expect(await stored()).toBe(0);
    await page.locator(".bubble-drop").click();
    await open();
    expect(await page.getByText("my secret").count()).toBe(0);
  });

  it("runs under a strict policy with a nonce, and under one for trusted types", async () => {
    const shop = await stage.shop();
    const own = stage.own;
    const policy = `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${own}; img-src ${own}; media-src ${own}; base-uri 'none'; require-trusted-types-for 'script'`;
    for (const csp of [
      policy,
      `default-src 'none'; script-src 'nonce-abc'; connect-src ${own}; img-src ${own}; media-src ${own}`,
    ]) {
      const { page, open, say, problems } = await visitorAt(stage, { viewport });
      await page.goto(stage.page("/strict", { door: shop.name, nonce: "abc" }, csp));
      await open();
      await say("strictly");
      await answer(shop, "spoken");
      await page.getByText("spoken").waitFor();
      expect(problems).toEqual([]);
    }
  });
});

it("a chat that could not be loaded is loaded by the next click, also where its policy has a name", async () => {
  const shop = await stage.shop();
  const { own } = stage;
  const policy = `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${own}; require-trusted-types-for 'script'; trusted-types gangway`;
  const { page, part, open, problems } = await visitorAt(stage);
  await page.route("**/chat.js", (route) => route.abort(), { times: 1 });
  await page.goto(stage.page("/named", { door: shop.name, nonce: "abc" }, policy));
  const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/chat.js"));
  await part("launcher").focus();
  await failed;
  await page.locator("[data-part=launcher]:not([aria-busy])").waitFor();
  await open();
  expect(problems).toEqual([]);
});

it("the shop's old line, and two of them, show one widget", async () => {
  const shop = await stage.shop();
  const line = `<script src="${stage.own}/channels/webchat/widget.js" data-channel="${shop.name}" async></script>`;
  const { page, part, problems } = await visitorAt(stage);
  await page.goto(stage.page("/", { door: shop.name, before: line }));
  await part("launcher").waitFor();
  await page.waitForLoadState("networkidle");
  expect(await part("launcher").count()).toBe(1);
  expect(problems).toEqual([]);
});
