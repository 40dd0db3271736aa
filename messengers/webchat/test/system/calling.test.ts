import { beforeAll, describe, expect, it } from "vitest";
import { takePicture } from "../../../../test/support/browser.ts";
import { userSignature } from "../../src/visitor.ts";
import { answer, expectAccessible, lastChat, MARINA, openStage, SCREENS, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

/** Drops a file on the window. */
const DROP = `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["x"], "early.txt", { type: "text/plain" }));
  const panel = document.querySelector("gangway-chat").shadowRoot.querySelector("[data-part=panel]");
  panel.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
})()`;
const KEY = "k".repeat(43);
/** An hour in UTC that is not soon. */
const FAR = (new Date().getUTCHours() + 12) % 24;
const LISTEN = `<script>window.Gangway=window.Gangway||function(){(Gangway.q=Gangway.q||[]).push(arguments)};
window.heard=[];for(const name of ["ready","open","close","message","sent","unread"])Gangway("on",name,(detail)=>heard.push([name,detail]))</script>`;

describe.each(SCREENS)("on %s", (name, viewport) => {
  it("the page opens, closes, hides and changes the chat, and hears of it", async () => {
    const shop = await stage.shop();
    const { page, part, say, problems } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name, before: LISTEN }));
    await part("launcher").waitFor();
    await page.evaluate(`Gangway.hide()`);
    await part("launcher").waitFor({ state: "hidden" });
    await page.evaluate(`Gangway.show(); Gangway.toggle()`);
    await part("panel").waitFor();
    await page.evaluate(
      `Gangway.update({ title: "Ropes & more", accent: "#7a1f5c", side: "left", texts: { placeholder: "Ask away", nonsense: "x" } })`,
    );
    await page.getByRole("heading", { name: "Ropes & more" }).waitFor();
    expect(await part("input").getAttribute("placeholder")).toBe("Ask away");
    await say("hello");
    await answer(shop, "hi there");
    await page.getByText("hi there").waitFor();
    await page.evaluate(`Gangway("close"); Gangway("nonsense"); Gangway("constructor")`);
    await part("panel").waitFor({ state: "hidden" });
    const heard = await page.evaluate<[string, unknown][]>("heard");
    expect(heard.map(([event]) => event)).toEqual(["ready", "open", "sent", "message", "unread", "close"]);
    expect(heard.find(([event]) => event === "message")?.[1]).toEqual({ text: "hi there", author: "Marina" });
    await page.evaluate(`Gangway.open("Is this rope <b>red</b>?")`);
    expect(await part("input").inputValue()).toBe("Is this rope <b>red</b>?");
    await page.evaluate(`Gangway.open("Another")`);
    expect(await part("input").inputValue()).toBe("Is this rope <b>red</b>?");
    await part("input").fill("");
    await page.evaluate(`Gangway.close(); document.querySelector("h1").addEventListener("click", Gangway.open)`);
    await page.evaluate(`document.querySelector("h1").click()`);
    await part("panel").waitFor();
    expect(await part("input").inputValue()).toBe("");
    expect(problems).toEqual([]);
  });

  it("a signed customer has the same chat on two devices, until the page logs them out", async () => {
    const shop = await stage.shop({ visitorKey: KEY });
    const user = { id: "42", signature: userSignature(KEY, "42"), name: "Robin", email: "robin@shop.example" };
    const url = stage.page("/", { door: shop.name });
    const [one, other] = [await visitorAt(stage, { viewport }), await visitorAt(stage, { viewport })];
    for (const { page, part, open } of [one, other]) {
      await page.goto(url);
      await part("launcher").waitFor();
      await page.evaluate(`Gangway.identify(${JSON.stringify(user)})`);
      await open();
    }
    await one.say("from the phone");
    await other.page.getByText("from the phone").waitFor();
    expect([...shop.events.values()]).toMatchObject([{ customer: { nickname: "Robin", email: "robin@shop.example" } }]);
    await one.page.evaluate("Gangway.logout()");
    await one.part("panel").waitFor({ state: "hidden" });
    await expect.poll(one.stored).toBe(0);
    await one.open();
    expect(await one.page.getByText("from the phone").count()).toBe(0);
    await other.say("still here");
  });

  it("a forged signature opens nobody's chat, but an anonymous one, and tells the page's author", async () => {
    const shop = await stage.shop({ visitorKey: KEY });
    const [own, forger] = [await visitorAt(stage, { viewport }), await visitorAt(stage, { viewport })];
    const warnings: string[] = [];
    forger.page.on("console", (line) => {
      if (line.type() === "warning") warnings.push(line.text());
    });
    const chatAs = async ({ page, part, open }: typeof own, signature: string) => {
      await page.goto(stage.page("/", { door: shop.name }));
      await part("launcher").waitFor();
      await page.evaluate(`Gangway.identify({ id: 42, signature: "${signature}" })`);
      await open();
    };
    await chatAs(own, userSignature(KEY, "42"));
    await own.say("my own");
    const chat = lastChat(shop);
    await chatAs(forger, "0".repeat(64));
    await forger.say("somebody's");
    expect(lastChat(shop)).not.toBe(chat);
    expect(await forger.page.getByText("my own").count()).toBe(0);
    expect(warnings).toEqual([expect.stringMatching(/identify.*signature/)]);
    const other = await visitorAt(stage, { viewport });
    await chatAs(other, userSignature(KEY, "42"));
    await other.page.getByText("my own").waitFor();
  });

  it("a message tells the page it was written on, also where pages change by script, and the marks of the visit", async () => {
    const shop = await stage.shop({ pageTitle: true });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    stage.page("/cart", { door: shop.name });
    await page.goto(stage.page("/landing?utm_source=news&utm_campaign=spring", { door: shop.name }));
    await part("launcher").waitFor();
    await page.locator("#next").click();
    await page.waitForURL("**/cart");
    await part("launcher").waitFor();
    await page.evaluate(`history.pushState({}, "", "/cart/checkout"); document.title = "Checkout <i>"`);
    await open();
    await say("Does it ship?");
    expect([...shop.events.values()]).toMatchObject([
      {
        page: `${stage.site}/cart/checkout`,
        quoted: { head: "[Checkout <i>]\n" },
        customer: { utm: { source: "news", campaign: "spring" } },
      },
    ]);
  });

  it("the widget comes back when a page exchanges its whole body", async () => {
    const shop = await stage.shop();
    const { page, part } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await part("launcher").waitFor();
    await page.evaluate(
      `document.body.innerHTML = "<main><h1>Another</h1></main>"; history.pushState({}, "", "/other")`,
    );
    await part("launcher").waitFor();
  });

  it("says who is there: names, pictures, hours, the time to a reply", async () => {
    const openingHours = [`mon-sun ${FAR}:00-${FAR}:01`];
    const night = { openingHours, openingZone: "UTC", replyMinutes: 120, awayText: "We sleep, and answer at ten." };
    const shop = await stage.shop(night);
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await part("away").getByText("We sleep, and answer at ten.").waitFor();
    await page.getByText("We are away right now · Back").waitFor();
    await takePicture(page, `webchat-${name.slice(2)}-away`);
    await expectAccessible(page);
    await say("Anybody?");
    // A picture that cannot be had leaves the initial.
    await answer(shop, "I am!", { author: { ...MARINA, name: "مارينا", avatar: "https://nowhere.invalid/a.png" } });
    await page.getByText(/مارينا.? is here · Usually replies in 2 hrs?/).waitFor();
    expect(await page.locator(".head .face").textContent()).toBe("م");
  });

  it("says that somebody is there again once the hours begin, without a new page", async () => {
    const shop = await stage.shop({ openingHours: ["mon 0:00-0:01"], awayText: "We sleep." });
    const { page, part, open } = await visitorAt(stage, { viewport });
    await page.clock.install();
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await part("away").waitFor();
    await page.clock.setFixedTime(Date.now() + 7 * 86_400_000);
    await page.clock.runFor(16_000);
    await part("away").waitFor({ state: "hidden" });
  });

  it("greets by its rules: page, seconds, who comes; and offers what to begin with", async () => {
    const rules = { greetAfter: 10, greetPages: ["/cart", "/rope/*"], greetWhom: "new", starters: ["Delivery cost?"] };
    const shop = await stage.shop(rules);
    for (const path of ["/", "/rope/12", "/cart"]) stage.page(path, { door: shop.name });
    const { page, part, open } = await visitorAt(stage, { viewport });
    // It stands, however slowly a page loads.
    await page.clock.install({ time: Date.now() - 60_000 });
    await page.clock.pauseAt(Date.now());
    const waits = async (path: string) => {
      await page.goto(stage.site + path);
      await part("launcher").waitFor();
      await page.clock.runFor(3_000);
      expect(await part("preview").isVisible()).toBe(false);
      await page.clock.runFor(10_000);
    };
    await waits("/");
    expect(await part("preview").isVisible()).toBe(false);
    for (const path of ["/rope/12", "/cart"]) {
      await waits(path);
      await part("preview").waitFor();
    }
    await page.locator(".bubble-drop").click();
    await waits("/cart");
    expect(await part("preview").isVisible()).toBe(false);
    await page.evaluate(`Gangway.greet("Ten percent today?")`);
    await page.getByText("Ten percent today?").waitFor();
    await page.clock.resume();
    await open();
    await part("starter").click();
    await page.locator("[data-status=sent]", { hasText: "Delivery cost?" }).waitFor();
    expect(await part("starter").count()).toBe(0);
  });

  it("asks what the shop asks before the first message", async () => {
    const consentText = "I agree that the shop keeps my data <b>for a year</b>.";
    const starters = ["Delivery cost?"];
    const shop = await stage.shop({ askName: true, askPhone: true, consentText, starters });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await part("first").waitFor();
    expect(await part("input").isVisible()).toBe(false);
    expect(await part("starter").count()).toBe(0);
    await page.evaluate(DROP);
    await takePicture(page, `webchat-${name.slice(2)}-form`);
    await expectAccessible(page);
    await page.getByLabel("Your name").fill("Robin");
    await page.getByLabel("Your phone number").fill("+356 2123 4567");
    await page.getByRole("button", { name: "Start the chat" }).click();
    expect(await part("first").isVisible()).toBe(true);
    await page.getByLabel(consentText).check();
    await page.getByRole("button", { name: "Start the chat" }).click();
    await part("starter").waitFor();
    await say("hello");
    expect(stage.asked).not.toContain(`POST /m/${shop.name}/files`);
    expect([...shop.events.values()]).toMatchObject([{ customer: { nickname: "Robin", phone: "+35621234567" } }]);
    await page.reload();
    await part("input").waitFor();
  });

  it("takes no message before it knows what the shop asks", async () => {
    const shop = await stage.shop({ consentText: "I agree.", starters: ["Delivery cost?"] });
    const { page, part, open, say } = await visitorAt(stage, { viewport });
    let fails = true;
    await page.route("**/appearance", (route) => (fails ? route.abort() : route.continue()));
    await page.goto(stage.page("/", { door: shop.name }));
    await open();
    await expect.poll(() => stage.asked).toContain(`GET /m/${shop.name}/events`);
    expect(await part("input").isDisabled()).toBe(true);
    fails = false;
    await page.evaluate(`Gangway.update({})`);
    await part("first").waitFor();
    await page.getByLabel("I agree.").check();
    await page.getByRole("button", { name: "Start the chat" }).click();
    await say("hello");
  });
});

it.each([
  ["es-MX", "Escriba un mensaje"],
  ["ru", "Напишите сообщение"],
  ["pt-BR", "Escreva uma mensagem"],
  ["de-CH", "Nachricht schreiben"],
  ["fr", "Écrivez un message"],
  ["tr", "Bir mesaj yazın"],
  ["ar", "اكتب رسالة"],
  ["nl", "Write a message"],
])("speaks to a visitor in %s", async (locale, words) => {
  const shop = await stage.shop();
  const { page, open, part } = await visitorAt(stage, { locale });
  await page.goto(stage.page("/", { door: shop.name, lang: "" }));
  await open();
  expect(await part("input").getAttribute("placeholder")).toBe(words);
});

it("in a frame whose storage is apart, is another visitor; signed customers have the same chat there", async () => {
  const shop = await stage.shop({ visitorKey: KEY });
  const { context, page, open, say } = await visitorAt(stage);
  await page.goto(stage.page("/framed", { door: shop.name }));
  await open();
  await say("at the top");
  const outer = await context.newPage();
  stage.page("/outer", {
    door: shop.name,
    snippet: false,
    body: `<iframe sandbox="allow-scripts allow-forms" src="${stage.site}/framed" width="600" height="800"></iframe>`,
  });
  await outer.goto(`${stage.own}/outer`);
  const frame = outer.frameLocator("iframe");
  await frame.locator('[data-part="launcher"]').click();
  await frame.locator('[data-part="input"]').fill("in the frame");
  await frame.locator('[data-part="input"]').press("Enter");
  await frame.locator("[data-status=sent]", { hasText: "in the frame" }).waitFor();
  expect(await frame.locator(".message[data-from=visitor]").count()).toBe(1);
  const inner = outer.frames().find((each) => each.url().endsWith("/framed"));
  const user = JSON.stringify({ id: "42", signature: userSignature(KEY, "42") });
  for (const each of [page, inner]) await each?.evaluate(`Gangway.identify(${user})`);
  await page.locator(".message", { hasText: "at the top" }).waitFor({ state: "detached" });
  await say("signed");
  await frame.locator(".message", { hasText: "signed" }).waitFor();
  await page.evaluate("Gangway.logout()");
  await page.locator('[data-part="panel"]').waitFor({ state: "hidden" });
  await frame.locator(".message", { hasText: "signed" }).waitFor();
});
