import type { CustomerId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { deviceOf } from "../../src/device.ts";
import { openShop } from "./shop.ts";

const MINUTE = 60_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function openSite() {
  const clock = handClock();
  const shop = await openShop({}, clock);
  const look = (page: string, more: object = {}) =>
    shop.ask("POST", "visit", {
      headers: { ...shop.headers, "user-agent": FIREFOX },
      body: JSON.stringify({ page: `https://shop.example${page}`, ...more }),
    });
  const seen = () => shop.session.siteVisit?.(shop.chat as never as CustomerId);
  return { ...shop, clock, look, seen };
}

describe("a visit of the shop's site", () => {
  it("is known of those only who have written, from that message on", async () => {
    const { look, seen, post, context } = await openSite();
    expect((await look("/before")).notes).toBeUndefined();
    expect(await seen()).toBeUndefined();
    await post({ text: "hello", page: "https://shop.example/rope?token=1#2", title: "Rope" });
    expect(await seen()).toMatchObject({
      pages: [{ url: "https://shop.example/rope", title: "Rope", at: context.clock.now() }],
      ...{ count: 1, ended: false },
    });
  });

  it("shows the pages in order, what led to it, and the device; addresses come without query", async () => {
    const { look, seen, post, clock } = await openSite();
    await post({ text: "hello" });
    const more = {
      referrer: "https://search.example/?q=rope",
      language: "es\u202e",
      utm: { source: "mail", medium: "letter" },
    };
    await look("/rope?utm_source=mail", { title: "Rope\u202e", ...more });
    clock.leap(MINUTE);
    await look("/cart#pay");
    expect(await seen()).toMatchObject({
      source: "https://search.example",
      utm: { source: "mail", medium: "letter" },
      device: { language: "es", browser: "Firefox", os: "Linux" },
      pages: [
        { url: "https://shop.example/rope", title: "Rope" },
        { url: "https://shop.example/cart", at: clock.now() },
      ],
      seenAt: clock.now(),
    });
  });

  it("ends half an hour after the last sign of life, and the next one is counted", async () => {
    const { look, seen, post, clock } = await openSite();
    await post({ text: "hello", page: "https://shop.example/" });
    clock.leap(31 * MINUTE);
    expect(await seen()).toMatchObject({ ended: true, count: 1 });
    await look("/again");
    expect(await seen()).toMatchObject({ ended: false, count: 2, pages: [{ url: "https://shop.example/again" }] });
  });

  it("keeps its last 20 pages, and writes the same page once in half a minute", async () => {
    const { look, seen, post, clock } = await openSite();
    await post({ text: "hello" });
    for (let n = 0; n < 30; n++) await look(`/${n}`);
    const { pages = [] } = (await seen()) ?? {};
    expect([pages.length, pages[0]?.url]).toEqual([20, "https://shop.example/10"]);
    expect((await look("/29")).notes).toEqual([]);
    clock.leap(MINUTE);
    expect((await look("/29")).notes).toHaveLength(1);
    expect((await seen())?.pages).toHaveLength(20);
  });

  it.each([
    ["a script", "javascript:alert(1)"],
    ["nothing", ""],
    ["a very long address", `https://shop.example/${"x".repeat(600)}`],
  ])("is not begun by %s", async (_, page) => {
    const { ask, headers, post, seen } = await openSite();
    await post({ text: "hello" });
    const { reply } = await ask("POST", "visit", { headers, body: JSON.stringify({ page, title: 7, utm: "x" }) });
    expect([reply.status, await seen()]).toEqual([200, undefined]);
  });

  it("brings agents no link to another site than the asking page's", async () => {
    const { ask, headers, post, seen } = await openSite();
    await post({ text: "hello" });
    const look = (page: string) =>
      ask("POST", "visit", { headers: { ...headers, origin: "https://shop.example" }, body: JSON.stringify({ page }) });
    await look("https://evil.example/shop");
    expect(await seen()).toBeUndefined();
    await look("https://shop.example/rope");
    expect((await seen())?.pages).toHaveLength(1);
  });

  it("needs the visitor's token", async () => {
    const { ask } = await openSite();
    const { reply } = await ask("POST", "visit", { body: JSON.stringify({ page: "https://shop.example/" }) });
    expect(reply.status).toBe(401);
  });
});

it.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge",
    "Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 SamsungBrowser/25.0 Chrome/121.0 Mobile",
    "Samsung Internet",
    "Android",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604.1",
    "Safari",
    "iOS",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome", "macOS"],
  ["curl/8", "", ""],
])("%s is %s on %s", (agent, browser, os) => {
  expect(deviceOf(agent)).toEqual({ browser, os });
});
