import { describe, expect, it } from "vitest";
import { createRates, createUnsent } from "../../../src/channels/webchat/rates.ts";
import { handClock } from "../../support/clock.ts";
import { fault, openShop, PNG } from "./shop.ts";

const MIB = 1024 * 1024;

describe("how fast a visitor may ask", () => {
  it("is sixty at once and then two a second, with the time to wait and words; others are not held up", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    for (let n = 0; n < 60; n++) expect((await shop.post({ text: "x" })).reply.status).toBe(200);
    const tooMuch = await shop.post({ text: "x" });
    expect([tooMuch.reply.status, tooMuch.reply.headers.get("retry-after"), tooMuch.events]).toEqual([429, "1", []]);
    expect((await fault(tooMuch)).message).toContain("wait a moment");
    const other = { authorization: `Bearer ${(await shop.open()).visitor}` };
    expect((await shop.post({ text: "x" }, other)).reply.status).toBe(200);
    await clock.forward(1_000);
    expect((await shop.post({ text: "x" })).reply.status).toBe(200);
  });

  it("has a bound for an address, whoever asks from there", async () => {
    const clock = handClock();
    const { session, context } = await openShop({}, clock);
    const open = (address: string) =>
      session.receive(new Request(`${context.doorUrl}/open`, { method: "POST", body: "{}" }), address);
    for (let n = 0; n < 1_000; n++) expect((await open("192.0.2.1")).reply.status).toBe(200);
    expect((await open("192.0.2.1")).reply.status).toBe(429);
    expect((await open("192.0.2.2")).reply.status).toBe(200);
  });

  it("is remembered for ten thousand, and no more", () => {
    const ask = createRates(handClock(), { burst: 1, perSecond: 1 });
    expect([ask("first"), ask("first")]).toEqual([0, 1]);
    for (let n = 0; n < 10_000; n++) ask(`name ${n}`);
    expect(ask("first")).toBe(0);
  });
});

describe("what a visitor has attached and not sent", () => {
  it("is thirty files, and sending them makes room", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    const kept: { id: string }[] = [];
    for (let n = 0; n < 30; n++) {
      kept.push(await shop.uploaded(PNG));
      await clock.forward(1_000);
    }
    const refused = await shop.upload(PNG);
    expect([refused.reply.status, (await fault(refused)).message]).toEqual([429, expect.stringContaining("attached")]);
    expect(shop.keptFiles.count()).toBe(30);
    expect((await shop.post({ files: kept.slice(0, 10) })).reply.status).toBe(200);
    expect((await shop.upload(PNG)).reply.status).toBe(200);
  });

  it("is a hundred megabytes, counted while they come; what failed or is an hour old counts no more", async () => {
    const clock = handClock();
    const unsent = createUnsent(clock);
    const places = Array.from({ length: 5 }, () => unsent.begin("v", 20 * MIB));
    expect(places.every(Boolean)).toBe(true);
    expect(unsent.begin("v", 1)).toBeUndefined();
    expect(unsent.begin("w", 1)).toBeDefined();
    places[0]?.failed();
    places[1]?.kept("f", 5 * MIB);
    expect(unsent.begin("v", 35 * MIB)).toBeDefined();
    expect(unsent.begin("v", 1)).toBeUndefined();
    await clock.forward(3_600_000);
    expect(unsent.begin("v", 1)).toBeDefined();
  });
});
