import { createHmac, randomUUID } from "node:crypto";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import webchat from "../../src/index.ts";
import { ENDED } from "../../src/opening.ts";
import { createVisitors, identityKey, TOKEN_DAYS, userSignature } from "../../src/visitor.ts";
import { openShop, text } from "./shop.ts";

const DAY = 86_400_000;
const KEY = "k".repeat(43);
const visitors = createVisitors(KEY, systemClock);
const user = (id: string, signature = userSignature(KEY, id)) => ({ id, signature });

async function openAs(shop: Awaited<ReturnType<typeof openShop>>, body: object) {
  const { reply } = await shop.ask("POST", "open", { body: JSON.stringify(body) });
  return { status: reply.status, ...((await reply.json()) as { visitor: string; history: unknown[] }) };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a shop's own customer", () => {
  it("has one chat on every device, with a token for each", async () => {
    const shop = await openShop({ visitorKey: KEY });
    const [one, other] = [await openAs(shop, { user: user("42") }), await openAs(shop, { user: user("42") })];
    await shop.post({ text: "from the phone" }, bearer(one.visitor));
    const again = await openAs(shop, { visitor: other.visitor, user: user("42") });
    expect(again.visitor).toBe(other.visitor);
    expect(again.history).toMatchObject([{ text: "from the phone" }]);
    expect(one.visitor).not.toBe(other.visitor);
    expect((await openAs(shop, { user: user("43") })).history).toEqual([]);
  });

  it.each([
    ["unsigned", ""],
    ["of another customer", userSignature(KEY, "43")],
    ["by another channel's key", userSignature("o".repeat(43), "42")],
    ["that is the channel's own of a visitor", visitors.newToken("42")],
  ])("is refused when the signature is %s", async (_, signature) => {
    const shop = await openShop({ visitorKey: KEY });
    const refused = await openAs(shop, { user: { id: "42", signature } });
    expect([refused.status, refused.visitor]).toEqual([400, undefined]);
  });

  it("leaves an anonymous chat where it was", async () => {
    const shop = await openShop({ visitorKey: KEY });
    await shop.post({ text: "before the login" });
    const opened = await openAs(shop, { visitor: shop.visitor, user: user("42") });
    expect(opened.history).toEqual([]);
    expect(opened.visitor).not.toBe(shop.visitor);
  });

  it("is signed by a key that tells nothing of the channel's", () => {
    expect(identityKey(KEY)).not.toContain(KEY);
    expect(identityKey(KEY)).not.toBe(identityKey("o".repeat(43)));
  });
});

describe("a visitor's token", () => {
  it("ends with the logout, on every route, and its stream closes", async () => {
    const shop = await openShop();
    await shop.post({ text: "private" });
    const { reply } = await shop.ask("GET", "events", { headers: shop.headers });
    const closed = reply.text();
    await shop.ask("POST", "logout", { headers: shop.headers });
    expect(await closed).toContain('"type":"ended"');
    for (const [method, path] of [
      ["GET", "history?before=9"],
      ["GET", "unread"],
      ["GET", "events"],
      ["POST", "messages"],
      ["POST", "read"],
      ["POST", "erase"],
    ] as const) {
      const body = method === "POST" ? JSON.stringify({ id: randomUUID(), text: "x" }) : undefined;
      expect([path, (await shop.ask(method, path, { headers: shop.headers, body })).reply.status]).toEqual([path, 401]);
    }
    const again = await openAs(shop, { visitor: shop.visitor });
    expect([again.history, again.visitor.split(".")[0]]).not.toEqual([[], shop.chat]);
    expect(again.history).toEqual([]);
  });

  it("of another device goes on", async () => {
    const shop = await openShop({ visitorKey: KEY });
    const [one, other] = [await openAs(shop, { user: user("42") }), await openAs(shop, { user: user("42") })];
    await shop.post({ text: "hello" }, bearer(one.visitor));
    await shop.ask("POST", "logout", { headers: bearer(one.visitor) });
    const status = async (token: string) => (await shop.ask("GET", "unread", { headers: bearer(token) })).reply.status;
    expect([await status(one.visitor), await status(other.visitor)]).toEqual([401, 200]);
  });

  it("does not come back with the erasure of its chat", async () => {
    const shop = await openShop();
    await shop.post({ text: "private" });
    await shop.ask("POST", "logout", { headers: shop.headers });
    // The chat is gone, and with it all that its journal says.
    shop.journal.under = async () => [];
    shop.journal.latest = async () => [];
    expect((await shop.ask("GET", "unread", { headers: shop.headers })).reply.status).toBe(401);
  });

  it("of a shop's customer ends also before the first message", async () => {
    const shop = await openShop({ visitorKey: KEY });
    const { visitor } = await openAs(shop, { user: user("42") });
    await shop.ask("POST", "logout", { headers: bearer(visitor) });
    expect((await shop.ask("GET", "unread", { headers: bearer(visitor) })).reply.status).toBe(401);
  });

  it("ends its stream wherever the client says that it stands", async () => {
    const shop = await openShop();
    await shop.post({ text: "private" });
    const { reply } = await shop.ask("GET", "events?after=999999999999", { headers: shop.headers });
    const closed = reply.text();
    await shop.ask("POST", "logout", { headers: shop.headers });
    expect(await closed).toContain('"type":"ended"');
  });

  it("leaves no trace of a chat without messages", async () => {
    const shop = await openShop();
    await shop.ask("POST", "logout", { headers: shop.headers });
    expect(await shop.journal.latest(shop.chat, { entries: 9, bytes: 999 })).toEqual([]);
  });

  it.each(["v".repeat(22), `${"w".repeat(22)}.${"s".repeat(12)}`])(
    "from before it had a day, or even a serial number, still works, is renewed, and ends for good: %s",
    async (named) => {
      const clock = handClock(Date.UTC(2026, 11, 2));
      const shop = await openShop({ visitorKey: KEY }, clock);
      const old = `${named}.${createHmac("sha256", KEY).update(named).digest("base64url")}`;
      expect((await openAs(shop, { visitor: old })).visitor).toBe(old);
      await shop.post({ text: "hello" }, bearer(old));
      clock.leap(31 * DAY);
      const { visitor, history } = await openAs(shop, { visitor: old });
      expect([history.length, visitor === old]).toEqual([1, false]);
      await shop.ask("POST", "logout", { headers: bearer(visitor) });
      for (const token of [old, visitor])
        expect((await shop.ask("GET", "unread", { headers: bearer(token) })).reply.status).toBe(401);
    },
  );

  it("is renewed each month while it is used, and taken for a year", async () => {
    const clock = handClock();
    const shop = await openShop({ visitorKey: KEY }, clock);
    const first = shop.visitor;
    const signed = (await openAs(shop, { user: user("42") })).visitor;
    clock.leap(29 * DAY);
    expect((await openAs(shop, { visitor: first })).visitor).toBe(first);
    clock.leap(DAY);
    const { visitor } = await openAs(shop, { visitor: first });
    expect([visitor === first, visitor.split(".")[0]]).toEqual([false, shop.chat]);
    clock.leap(340 * DAY);
    const status = async (token: string) => (await shop.ask("GET", "unread", { headers: bearer(token) })).reply.status;
    expect([await status(first), await status(signed), await status(visitor)]).toEqual([401, 401, 200]);
  });

  it("that has ended is noted for longer than any of its kin is taken", () => {
    const { lasts = [] } = webchat.notes ?? {};
    expect(lasts.find(({ prefix }) => prefix === ENDED)?.days).toBeGreaterThan(TOKEN_DAYS);
  });
});

describe("before the chat is open", () => {
  it("any page learns how it looks, and no secret", async () => {
    const shop = await openShop({ visitorKey: KEY, askEmail: true, openingHours: ["mon-sun 0:00-24:00"] });
    const { reply } = await shop.ask("GET", "appearance");
    const look = await reply.text();
    expect(JSON.parse(look)).toMatchObject({ accent: "#0f5f6b", asks: ["email"], open: true, offset: [24, 24] });
    expect(reply.headers.get("cache-control")).toContain("max-age=60");
    for (const secret of [KEY, identityKey(KEY)]) expect(look).not.toContain(secret);
  });

  it("unread answers are counted after what was read", async () => {
    const shop = await openShop();
    await shop.post({ text: "hello" });
    await shop.send(text("one"), "1");
    const [entry] = (await shop.history()).slice(-1) as { at: number }[];
    const count = async (after: number) => {
      const { reply } = await shop.ask("GET", `unread?after=${after}`, { headers: shop.headers });
      return ((await reply.json()) as { unread: number }).unread;
    };
    expect([await count(0), await count(entry?.at ?? 0)]).toEqual([1, 0]);
    await shop.session.revisions?.delete(shop.at("a.1"), new AbortController().signal);
    expect(await count(0)).toBe(0);
  });
});

describe("a visitor who wants to be erased", () => {
  it("is handed on by id, once there is something to erase", async () => {
    const shop = await openShop();
    const erase = async () => (await shop.ask("POST", "erase", { headers: shop.headers })).erase;
    expect(await erase()).toBeUndefined();
    await shop.post({ text: "forget me" });
    const asked = await erase();
    expect(asked?.customer).toBe(shop.chat);
    expect(await erase()).toEqual(asked);
    await shop.post({ text: "and me" });
    expect((await erase())?.proof).not.toBe(asked?.proof);
  });

  it("asks ten times an hour from one address, and no other address waits for it", async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    await shop.post({ text: "forget me" });
    const ask = async (address: string) => {
      const request = new Request(`${shop.context.doorUrl}/erase`, { method: "POST", headers: shop.headers });
      return (await shop.session.receive(request, address)).reply.status;
    };
    for (let n = 0; n < 10; n++) expect(await ask("one")).toBe(200);
    expect([await ask("one"), await ask("other")]).toEqual([429, 200]);
    await clock.forward(360_000);
    expect([await ask("one"), await ask("one")]).toEqual([200, 429]);
  });
});

describe("what a visitor says of themselves", () => {
  it("reaches the customer's fields, cut and cleaned", async () => {
    const shop = await openShop();
    const contact = { name: ` Robin\u202e ${"x".repeat(200)}`, email: "robin@shop.example", phone: "+356 2123-4567" };
    const { events } = await shop.post({ text: "hi", contact });
    expect(events).toMatchObject([{ customer: { email: "robin@shop.example", phone: "+35621234567" } }]);
    const [event] = events;
    const name = event?.type === "message" ? event.customer.nickname : "";
    expect(name).toMatch(/^Robin/);
    expect(name).not.toContain("\u202e");
    expect(name.length).toBeLessThanOrEqual(100);
  });

  it("that is no address or number is ignored, whatever its shape", async () => {
    const shop = await openShop();
    const { events } = await shop.post({ text: "hi", contact: { email: "<script>", phone: "call me" } });
    expect(events).toMatchObject([{ customer: { email: undefined, phone: undefined } }]);
    expect((await shop.post({ text: "hi", contact: "x", title: 7 })).reply.status).toBe(200);
  });

  it("begins with the page's title where the shop wants it, once, cut", async () => {
    const shop = await openShop({ pageTitle: true });
    const title = `Rope\u202e <b>${"x".repeat(300)}`;
    const [first] = (await shop.post({ text: "hi", title })).events;
    expect(first).toMatchObject({ quoted: { always: true, head: expect.stringMatching(/^\[Rope <b>x{100,}\]\n$/) } });
    expect((await shop.post({ text: "again", title })).events[0]).toMatchObject({ quoted: undefined });
    const plain = await openShop();
    expect((await plain.post({ text: "hi", title })).events[0]).toMatchObject({ quoted: undefined });
  });
});
