import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { takePicture } from "../../../../test/support/browser.ts";
import { temporaryFolder } from "../../../../test/support/store.ts";
import { PNG } from "../unit/shop.ts";
import { answer, DESKTOP, expectAccessible, lastChat, openStage, SCREENS, type Stage, visitorAt } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});

const EUR = (value: number) => ({ value, currency: "EUR" });
const HOSTILE = `<img src=x onerror="document.title='hacked'">`;
const PRODUCT = {
  type: "product" as const,
  text: `We have it: ${HOSTILE}`,
  product: {
    id: 1,
    name: `Rope ${HOSTILE}`,
    article: "R-12",
    url: "https://shop.example/rope",
    cost: EUR(4),
    unit: "m",
  },
};
const ORDER = {
  type: "order" as const,
  order: {
    number: "1042C",
    url: "javascript:alert(1)",
    date: "2026-11-20T10:00:00Z",
    status: HOSTILE,
    cost: EUR(47.5),
    discount: EUR(2.5),
    items: [
      { name: "Rope", quantity: 10, unit: "m", price: EUR(4.1) },
      { name: "Cleat", price: EUR(4) },
    ],
    delivery: { name: "Courier", price: EUR(5) },
  },
};

describe.each(SCREENS)("on %s", (name, viewport) => {
  const talking = async (settings: object = {}) => {
    const shop = await stage.shop({ ...settings });
    const visitor = await visitorAt(stage, { viewport });
    await visitor.page.goto(stage.page("/", { door: shop.name }));
    await visitor.open();
    await visitor.say("hello");
    return { shop, ...visitor };
  };

  it("a product and an order are cards with right sums, and all words of the shop are text", async () => {
    const { shop, page, part, problems } = await talking();
    await answer(shop, PRODUCT);
    await part("product").waitFor();
    expect(await part("product").locator(".price").textContent()).toBe("€4.00 / m");
    expect(await part("product").getByRole("link").getAttribute("href")).toBe("https://shop.example/rope");
    await page.getByText(`We have it: ${HOSTILE}`).waitFor();
    await answer(shop, ORDER);
    await part("order").waitFor();
    expect(await part("order").locator("dd").allTextContents()).toEqual([
      "€41.00",
      "€4.00",
      "€5.00",
      "-€2.50",
      "€47.50",
    ]);
    expect(await part("order").getByRole("link").count()).toBe(0);
    await takePicture(page, `webchat-${name.slice(2)}-cards`);
    await expectAccessible(page);
    expect(await page.title()).toBe("Rope, 12 mm – Quay & Co.");
    expect(problems).toEqual([]);
  });

  it("pictures open in a viewer, one after another, by mouse and keyboard", async () => {
    const { shop, page, part } = await talking();
    const shot = await page.screenshot();
    const files = ["a.png", `${HOSTILE}.png`].map((file, n) => shop.fromGateway(`p${n}`, shot, "image/png", file));
    await answer(shop, { type: "image", files });
    await part("picture").nth(1).waitFor();
    await part("picture").first().click();
    await part("viewer").waitFor();
    expect(await part("viewer").locator("> img").getAttribute("alt")).toBe("a.png");
    await page.keyboard.press("ArrowRight");
    expect(await part("viewer").locator("> img").getAttribute("alt")).toBe(`${HOSTILE}.png`.replaceAll(/[/\\]/g, "_"));
    await takePicture(page, `webchat-${name.slice(2)}-viewer`);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await part("viewer").waitFor({ state: "hidden" });
    expect(await part("panel").isVisible()).toBe(true);
  });

  it("sound and film play where they are", async () => {
    const { shop, page } = await talking();
    await answer(shop, { type: "audio", files: [shop.fromGateway("v", "OggS", "audio/ogg", "voice.ogg")] });
    await answer(shop, { type: "file", files: [shop.fromGateway("f", "film", "video/mp4", "deck.mp4")] });
    await page.locator("audio[controls][aria-label='voice.ogg']").waitFor();
    await page.locator("video[controls][aria-label='deck.mp4']").waitFor();
    await expectAccessible(page);
  });

  it("a voice message is recorded and sent as one", async () => {
    const { shop, page, part } = await talking();
    await part("mic").click();
    await part("record").waitFor();
    await expectAccessible(page);
    await expect.poll(() => page.locator(".record-time").textContent()).not.toBe("0:00");
    await part("send-record").click();
    await page.locator("[data-from=visitor] audio").waitFor();
    await expect.poll(() => [...shop.events.values()].at(-1)).toMatchObject({ content: { type: "audio" } });
    await part("mic").click();
    await part("record").waitFor();
    await page.keyboard.press("Escape");
    await part("record").waitFor({ state: "hidden" });
    expect(shop.events.size).toBe(2);
  });

  it("the microphone is off once the window is closed, also if it was allowed after that", async () => {
    const { page, part, open } = await talking();
    await page.evaluate(`(() => {
      window.streams = [];
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      let allow;
      window.allow = () => allow();
      navigator.mediaDevices.getUserMedia = async (what) => {
        await new Promise((resolve) => { allow = resolve; });
        const stream = await ask(what);
        streams.push(stream);
        return stream;
      };
    })()`);
    const live = () => page.evaluate(`streams.map((stream) => stream.getTracks()[0].readyState).join()`);
    await part("mic").click();
    await part("mic").click();
    await page.evaluate("allow()");
    await part("record").waitFor();
    expect(await part("mic").isVisible()).toBe(false);
    expect(await live()).toBe("live");
    await page.evaluate("Gangway.close()");
    await expect.poll(live).toBe("ended");
    await open();
    await part("mic").click();
    await page.evaluate("Gangway.close(); allow()");
    await expect.poll(live).toBe("ended,ended");
    await open();
    await part("mic").click();
    await page.evaluate("allow()");
    await part("record").waitFor();
    await page.evaluate(`Gangway.update({ texts: { placeholder: "Anew" } })`);
    await expect.poll(live).toBe("ended,ended,ended");
    expect(await part("record").isVisible()).toBe(false);
  });

  it("files are picked, pasted and dropped, show how far they are, and bear any name", async () => {
    const { shop, page, part } = await talking();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${stage.own}/m/*/files`, async (route) => {
      await held;
      await route.continue();
    });
    const hostile = `${HOSTILE}.png`;
    await part("file").setInputFiles({ name: hostile, mimeType: "image/png", buffer: Buffer.from(PNG) });
    await page.locator("progress").waitFor();
    await expectAccessible(page);
    release();
    const put = (target: string, event: string, key: string) =>
      page.locator(target).evaluate(
        (element, [type = "", property = ""]) => {
          const { DataTransfer } = globalThis as never as { DataTransfer: new () => { items: Set<File> } };
          const transfer = new DataTransfer();
          transfer.items.add(new File(["%PDF-1.7"], `${type}.pdf`, { type: "application/pdf" }));
          const made = new Event(type, { bubbles: true, cancelable: true });
          Object.defineProperty(made, property, { value: transfer });
          (element as EventTarget).dispatchEvent(made);
        },
        [event, key],
      );
    await put("[data-part=input]", "paste", "clipboardData");
    await put("[data-part=panel]", "drop", "dataTransfer");
    await page.locator(".chip[data-state=ready]").nth(2).waitFor();
    await part("send").click();
    await page.locator("[data-from=visitor] .file").nth(1).waitFor();
    const names = () =>
      [...shop.events.values()].flatMap((event) =>
        event.type === "message" && "files" in event.content ? event.content.files.map((file) => file.name) : [],
      );
    await expect.poll(names).toEqual([hostile.replaceAll("/", "_"), "paste.pdf", "drop.pdf"]);
  });

  it("the chat is searched up to its first message, and saved as a file", async () => {
    const { shop, page, part } = await talking();
    const chat = lastChat(shop) as never;
    for (let n = 0; n < 230; n++) {
      const entry = {
        type: "message",
        from: "visitor",
        id: `${chat}.${n}`,
        text: `message ${n} of the long chat`,
        files: [],
        at: n,
      };
      await shop.journal.append([{ chat, key: `long:${n}`, entry }]);
    }
    await page.getByText("message 229 of").waitFor();
    await page.reload();
    await part("older").waitFor();
    await part("menu").click();
    await part("find").click();
    await part("search").fill("MESSAGE 3 OF");
    await page.getByText("1 of 1").waitFor();
    expect(await page.locator(".message.hit").textContent()).toContain("message 3 of");
    await part("search").fill("no such words");
    await page.getByText("Nothing found").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await part("menu").click();
    const [download] = await Promise.all([page.waitForEvent("download"), part("transcript").click()]);
    const path = join(temporaryFolder(), "chat.txt");
    await download.saveAs(path);
    const saved = readFileSync(path, "utf8");
    expect(saved.split("\n").filter((line) => /message \d+ of the long chat/.test(line))).toHaveLength(230);
    expect(saved).toContain("] You: hello");
  });
});

it("emoji are put where one is writing", async () => {
  const shop = await stage.shop();
  const { page, part, open } = await visitorAt(stage, { viewport: DESKTOP });
  await page.goto(stage.page("/", { door: shop.name }));
  await open();
  await part("input").fill("nice ");
  await page.getByRole("button", { name: "Emoji" }).click();
  await page.getByRole("button", { name: "🎉" }).click();
  expect(await part("input").inputValue()).toBe("nice 🎉");
});
