import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { createRates } from "../../src/rates.ts";
import { fault, openShop } from "./shop.ts";

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

  it("holds for who opens the chat again and again, and for no new visitor", async () => {
    const shop = await openShop({}, handClock());
    const again = () => shop.ask("POST", "open", { body: JSON.stringify({ visitor: shop.visitor }) });
    for (let n = 0; n < 60; n++) expect((await again()).reply.status).toBe(200);
    const { reply } = await again();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "1"]);
    expect((await shop.post({ text: "x" })).reply.status).toBe(429);
    expect((await shop.open()).visitor).toBeTruthy();
  });

  it("is limited per address, for all its visitors together", async () => {
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
