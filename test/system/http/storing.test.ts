import { systemClock } from "gangway-messenger/clock";
import webchat from "gangway-webchat";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type GatewayDoorParts, gatewayDoor, messengerDoor } from "../../../src/http/doors/doors.ts";
import { createRateLimit } from "../../../src/http/doors/rate-limit.ts";
import { ready } from "../../../src/http/serving/health.ts";
import type { Env } from "../../../src/http/serving/request.ts";
import { handClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";
import { addAccount, addChannel, temporaryStore } from "../../support/store.ts";

const unguarded = { guesses: createRateLimit(100, systemClock), addressOf: () => "one" };
const clock = handClock(Date.UTC(2026, 10, 29, 12));
const post = { method: "POST", body: "{}" };

async function messengerSite(store: { works: boolean }, opens = true, more: Partial<typeof webchat> = {}) {
  const real = await temporaryStore();
  const channel = await addChannel(real, await addAccount(real));
  const order: string[] = [];
  const session = {
    receive: async (request: Request) => {
      await request.text();
      return { events: [], reply: new Response("stored", { status: 202 }) };
    },
  } as never;
  const door = messengerDoor({
    sessions: {
      byDoor: async () => {
        if (!opens) throw new Error("the settings do not fit");
        return {
          channel,
          adapter: { ...webchat, bodyLimit: (path: string) => (path === "files/big" ? 100 : 10), ...more },
          session,
        };
      },
    } as never,
    keepRaw: true,
    forward: async () => {},
    doorAnswered() {},
    acceptInbound: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push("stored");
      if (!store.works) throw new Error("disk full");
    },
    ...unguarded,
    clock,
    log: silentLog,
  });
  const site = new Hono<Env>().all("/m/:door/*", door);
  const ask = async (path: string, init: RequestInit = post) => {
    const response = await site.request(path, init);
    order.push("answered");
    return response;
  };
  return { ask, order };
}

describe("the messenger's door", () => {
  it("replies only after the events are stored", async () => {
    const { ask, order } = await messengerSite({ works: true });
    expect((await ask("/m/door/x")).status).toBe(202);
    expect(order).toEqual(["stored", "answered"]);
  });

  it("asks for a retry when they could not be stored, or the channel could not be opened", async () => {
    for (const { ask } of [await messengerSite({ works: false }), await messengerSite({ works: true }, false)]) {
      const refused = await ask("/m/door/x");
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await refused.text()).not.toContain("disk full");
    }
  });

  it("says when to come again as an HTTP date, where the messenger reads no seconds", async () => {
    const { ask } = await messengerSite({ works: false }, true, { retryAfter: "date" });
    const refused = await ask("/m/door/x");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "Sun, 29 Nov 2026 12:00:05 GMT"]);
  });

  it("holds each path to its own limit", async () => {
    const { ask, order } = await messengerSite({ works: true });
    const body = "x".repeat(50);
    expect((await ask("/m/door/files/big", { method: "POST", body })).status).toBe(202);
    const refused = await ask("/m/door/other", { method: "POST", body });
    expect([refused.status, refused.headers.get("connection")]).toEqual([413, "close"]);
    expect(order.filter((step) => step === "stored")).toHaveLength(1);
  });
});

describe("the gateway's door", () => {
  const fails = () => Promise.reject(new Error("disk full"));
  it.each<[string, Partial<GatewayDoorParts>]>([
    ["the event could not be stored", { acceptOutbound: fails }],
    ["the account could not be looked up", { accountByWebhook: fails }],
  ])("asks for a retry when %s", async (_, failing) => {
    const account = await addAccount(await temporaryStore());
    const door = gatewayDoor({
      accountByWebhook: async () => account,
      acceptOutbound: async () => ({ status: 200, body: {} }),
      limit: 100,
      ...unguarded,
      log: silentLog,
      ...failing,
    });
    const site = new Hono<Env>().post("/gateway/:secret", door);
    const refused = await site.request("/gateway/x", { ...post, headers: { clientid: account.clientId } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.text()).not.toContain("disk full");
  });
});

describe("readiness", () => {
  const status = async (ping: () => Promise<void>, draining = false) =>
    (await new Hono<Env>().get("/", ready({ ping, draining: () => draining })).request("/")).status;

  it("is refused while stopping, and while the database is broken or slower than two seconds", async () => {
    expect(await status(async () => {})).toBe(200);
    expect(await status(async () => {}, true)).toBe(503);
    expect(await status(() => Promise.reject(new Error("disk full")))).toBe(503);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let slow: number | undefined;
    const asked = status(() => new Promise(() => {})).then((given) => {
      slow = given;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(slow).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await asked;
    expect(slow).toBe(503);
  });
});
