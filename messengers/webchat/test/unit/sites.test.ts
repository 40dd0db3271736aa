import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import webchat from "../../src/index.ts";
import { openShop } from "./shop.ts";

const SHOP = "https://shop.example";

async function watched(allowedOrigins: string[] = []) {
  const clock = handClock(1_000_000);
  const shop = await openShop({ allowedOrigins }, clock);
  const visit = async (origin: string, path = "open") => {
    await shop.ask("POST", path, { headers: { origin }, body: "{}" });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const seen = async () => webchat.seen?.read(await shop.context.notes.get(webchat.seen.note));
  return { clock, shop, visit, seen };
}

describe("the sites with a web chat", () => {
  it("are noted where the window is opened, and where it is refused", async () => {
    const { clock, visit, seen } = await watched([SHOP]);
    expect(await seen()).toEqual([]);
    await visit(SHOP);
    clock.leap(60_000);
    await visit("https://copy.example");
    expect(await seen()).toEqual([
      { origin: SHOP, at: 1_000_000, refused: false },
      { origin: "https://copy.example", at: 1_060_000, refused: true },
    ]);
  });

  it("are noted once an hour, and not for other requests, our own pages and what is no site", async () => {
    const { clock, shop, visit, seen } = await watched();
    for (const origin of [
      "null",
      "javascript:1",
      `https://${"x".repeat(300)}.example`,
      new URL(shop.context.doorUrl).origin,
    ]) {
      await visit(origin);
      clock.leap(10_000);
    }
    await visit(SHOP, "messages");
    expect(await seen()).toEqual([]);
    await visit(SHOP);
    const [first] = (await seen()) ?? [];
    clock.leap(3_599_000);
    await visit(SHOP);
    expect(await seen()).toEqual([first]);
    clock.leap(1_000);
    await visit(SHOP);
    expect((await seen())?.[0]?.at).toBe((first?.at ?? 0) + 3_600_000);
  });

  it("are few, and a flood of invented ones neither writes often nor drives out the shop's own", async () => {
    const { clock, shop, visit, seen } = await watched([SHOP]);
    await visit(SHOP);
    let writes = 0;
    const { set } = shop.context.notes;
    shop.context.notes.set = async (notes) => {
      writes += 1;
      await set(notes);
    };
    for (let n = 0; n < 300; n += 1) {
      clock.leap(500);
      await visit(`https://copy-${n}.example`);
    }
    expect(writes).toBe(30);
    const sites = (await seen()) ?? [];
    expect(sites.length).toBe(11);
    expect(sites[0]?.origin).toBe(SHOP);
  });

  it("cost no visit when the note cannot be kept or read", async () => {
    const { shop, visit, seen } = await watched();
    shop.context.notes.set = () => Promise.reject(new Error("the disk is full"));
    await visit(SHOP);
    expect(await seen()).toEqual([]);
    expect(webchat.seen?.read("{")).toEqual([]);
    expect(webchat.seen?.read('[{"origin":1}]')).toEqual([]);
    expect((await shop.open()).title).toBe("Chat with us");
  });
});
