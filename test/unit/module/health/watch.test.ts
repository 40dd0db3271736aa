import type { Call, CallResult } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import { createWatch } from "../../../../src/module/health/watch.ts";
import type { Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { writeRows } from "../../../support/engine.ts";
import { FOREIGN_ANSWERS } from "../../../support/foreign-answers.ts";
import { silentLog } from "../../../support/log.ts";
import { addAccount, addChannel, oneChannel } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

interface Messenger {
  trouble?: string;
  dead?: boolean;
  /** Whether it names no login. */
  down?: boolean;
  asked: number;
  answersAfterMs: number;
  /** The inspected channels, as of their inspection. */
  looks: Channel[];
}

async function setUp() {
  const { clock, folder, store, account, channel } = await oneChannel();
  const told: { type: string; message: string }[] = [];
  const crm: { status: number; page?: string; weather?: CallResult } = { status: 200 };
  const site = new Hono().post("/api/v5/notifications/send", async (c) => {
    if (crm.page !== undefined) return c.html(crm.page, crm.status as 403);
    if (crm.status !== 200) return c.json({ success: false, errorMsg: "Access denied." }, crm.status as 403);
    told.push(JSON.parse(String((await c.req.parseBody()).notification)));
    return c.json({ success: true });
  });
  const messenger: Messenger = { asked: 0, answersAfterMs: 0, looks: [] };
  const inspect = async () => {
    messenger.asked += 1;
    const { dead, trouble } = messenger;
    if (messenger.answersAfterMs > 0) await pause(clock, messenger.answersAfterMs);
    if (dead) throw new DeliveryError({ type: "reconnect" }, "the token was revoked");
    return trouble;
  };
  const identify = async () => {
    if (messenger.down) throw new DeliveryError({ type: "retry" }, "the messenger is down");
    return { id: "1" };
  };
  const of = (known: Channel) => {
    messenger.looks.push(known);
    return { inspect, identify };
  };
  const announced: string[] = [];
  const sessions = { of, peek: of, adapter: () => ({}) } as unknown as Sessions;
  const config = { module: { code: "g", name: "Gangway", logoUrl: "" }, publicUrl: "https://gangway.example" };
  const real = callFrom(site);
  const call: Call = async (request) => crm.weather ?? real(request);
  /** What the channel carried, hour by hour. */
  const hours: { hour: number; delivered: number; refused: number }[] = [];
  const traffic = { ...store.traffic, of: async () => [{ channelId: channel.id, delivered: 0, refused: 0, hours }] };
  const watch = createWatch({
    config,
    call,
    store: { ...store, traffic },
    sessions,
    channels: { announce: async (_, id) => void announced.push(id), renew: async () => {} },
    standings: { refresh: async () => {} },
    explain: createExplain(COMMON_EXPLANATIONS),
    clock,
    log: silentLog,
  });
  const start = async () => {
    watch.start();
    await clock.forward(1);
  };
  const state = async () => {
    const now = await store.channels.byId(account.id, channel.id);
    return { state: now?.state, trouble: now?.trouble };
  };
  return { clock, folder, store, account, channel, told, crm, messenger, watch, start, state, hours, announced };
}
const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

describe("a channel that is unusually quiet", () => {
  /** Two weeks with a message in every hour, the last one two hours ago. */
  async function quiet() {
    const stage = await setUp();
    const hour = Math.floor(stage.clock.now() / HOUR_MS);
    for (let n = 14 * 24; n > 2; n--) stage.hours.push({ hour: hour - n, delivered: 3, refused: 0 });
    return stage;
  }

  it("is told of once, with the way to its page, and again when it is quiet once more", async () => {
    const { clock, account, channel, hours, start, told } = await quiet();
    await start();
    await clock.forward(30 * MINUTE_MS);
    const page = `https://gangway.example/account/${account.id}/channels/${channel.id}`;
    expect(told).toHaveLength(1);
    expect(told[0]?.type).toBe("api.info");
    expect(told[0]?.message).toContain("no messages for 2 hours, which is unusual");
    expect(told[0]?.message).toContain(page);
    await clock.forward(2 * HOUR_MS);
    expect(told).toHaveLength(1);
    hours.push({ hour: Math.floor(clock.now() / HOUR_MS), delivered: 1, refused: 0 });
    await clock.forward(4 * HOUR_MS);
    expect(told).toHaveLength(2);
  });

  it("is told of after a restart only if it was not before, and later when the CRM is away", async () => {
    const { clock, crm, start, told, watch } = await quiet();
    crm.status = 503;
    await start();
    await clock.forward(15 * MINUTE_MS);
    expect(told).toEqual([]);
    crm.status = 200;
    await clock.forward(20 * MINUTE_MS);
    expect(told).toHaveLength(1);
    watch.stop();
    await start();
    await clock.forward(20 * MINUTE_MS);
    expect(told).toHaveLength(1);
  });

  it("says nothing of a channel in trouble, or of one that nobody writes to at night", async () => {
    const { clock, messenger, hours, start, told } = await quiet();
    messenger.trouble = "the webhook fails";
    await start();
    await clock.forward(30 * MINUTE_MS);
    expect(told.filter(({ message }) => message.includes("unusual"))).toEqual([]);
    hours.length = 0;
    messenger.trouble = undefined;
    await clock.forward(30 * MINUTE_MS);
    expect(told.filter(({ message }) => message.includes("unusual"))).toEqual([]);
  });
});

describe("the watch over channels", () => {
  it("stops a channel whose token is revoked, and notifies the CRM's users within a minute, once", async () => {
    const { clock, messenger, start, state, told } = await setUp();
    await start();
    messenger.dead = true;
    await clock.forward(MINUTE_MS);
    expect(await state()).toEqual({ state: "stopped", trouble: "the token was revoked" });
    expect(told).toMatchObject([{ type: "api.error", message: expect.stringContaining("the token was revoked") }]);
    await clock.forward(10 * MINUTE_MS);
    expect(told).toHaveLength(1);
  });

  it("keeps what a test has found until the messenger answers again", async () => {
    const { clock, store, channel, messenger, start, state } = await setUp();
    messenger.down = true;
    await store.channels.setTrouble(channel.id, "the messenger is down");
    await start();
    await clock.forward(10 * MINUTE_MS);
    expect(await state()).toEqual({ state: "active", trouble: "the messenger is down" });
    messenger.down = false;
    await clock.forward(MINUTE_MS);
    expect(await state()).toEqual({ state: "active", trouble: undefined });
  });

  it("does not stop a channel because of its previous token", async () => {
    const { clock, store, account, channel, messenger, start, state } = await setUp();
    messenger.answersAfterMs = 5_000;
    messenger.dead = true;
    await start();
    await store.channels.change(channel.id, { name: "Toy", settings: { token: "new" } });
    messenger.dead = false;
    messenger.trouble = "its webhook is gone";
    await clock.forward(5_000);
    expect(await state()).toEqual({ state: "active", trouble: undefined });
    expect((await store.channels.byId(account.id, channel.id))?.settings).toEqual({ token: "new" });
  });

  it("inspects each channel in its current state", async () => {
    const { clock, store, account, messenger, start } = await setUp();
    await clock.forward(1);
    const later = await addChannel(store, account);
    messenger.answersAfterMs = 5_000;
    await start();
    await store.channels.change(later.id, { name: "Toy", settings: { token: "new" } });
    await clock.forward(10_000);
    expect(messenger.looks.map(({ settings }) => settings)).toEqual([{}, { token: "new" }]);
  });

  it("does not inspect a channel that is not connected yet, but sees that it is, twice a minute", async () => {
    const { clock, store, account, messenger, start, told, announced } = await setUp();
    const young = await store.channels.add(account.id, { kind: "toy", name: "Young", settings: {} });
    messenger.trouble = "somebody has removed the webhook";
    await start();
    await clock.forward(MINUTE_MS);
    expect(messenger.looks.map(({ id }) => id)).not.toContain(young.id);
    expect(announced.slice(0, 2)).toEqual([young.id, young.id]);
    expect(told).toHaveLength(1);
  });

  it("notifies of a takeover by another server, and of its end", async () => {
    const { clock, messenger, start, state, told } = await setUp();
    await start();
    messenger.trouble = "another server has taken this bot over";
    await clock.forward(MINUTE_MS);
    expect(await state()).toEqual({ state: "active", trouble: messenger.trouble });
    messenger.trouble = undefined;
    await clock.forward(MINUTE_MS);
    expect(await state()).toEqual({ state: "active", trouble: undefined });
    expect(told.map(({ type }) => type)).toEqual(["api.error", "api.info"]);
  });

  it("says nothing of what passes within seconds, nor of its end", async () => {
    const { clock, told, messenger, start, state } = await setUp();
    await start();
    messenger.trouble = "Telegram cannot deliver messages: Wrong response from the webhook: 502 Bad Gateway";
    await until("the trouble", async () => {
      await clock.forward(1_000);
      return (await state()).trouble !== undefined;
    });
    messenger.trouble = undefined;
    await clock.forward(2 * MINUTE_MS);
    expect(told).toEqual([]);
    expect(await state()).toEqual({ state: "active", trouble: undefined });
  });

  it("notifies in the account's language", async () => {
    const { clock, store, account, messenger, start, told } = await setUp();
    await store.accounts.setLocale(account.id, { language: "es" });
    await start();
    messenger.trouble = "its webhook is gone";
    await clock.forward(MINUTE_MS);
    messenger.trouble = undefined;
    await clock.forward(MINUTE_MS);
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining("Más información: https://gangway.example/account"),
      expect.stringContaining("vuelve a funcionar."),
    ]);
  });

  it("notifies once of a trouble whose details change", async () => {
    const { clock, messenger, start, told } = await setUp();
    await start();
    for (const detail of ["502 Bad Gateway", "Connection timed out", "503"]) {
      messenger.trouble = `Telegram cannot hand over messages: ${detail}`;
      await clock.forward(MINUTE_MS);
    }
    expect(told).toHaveLength(1);
  });

  it.each([200, 302, 400, 403, 404, 502])(
    "tells later when something else answers for the CRM with %i",
    async (status) => {
      const { clock, messenger, start, crm, told } = await setUp();
      await start();
      Object.assign(crm, { status, page: "<html><h1>nginx</h1></html>" });
      messenger.trouble = "the webhook is gone";
      await clock.forward(MINUTE_MS);
      Object.assign(crm, { status: 200, page: undefined });
      await clock.forward(MINUTE_MS);
      expect(told).toHaveLength(1);
    },
  );

  it("notifies later when the CRM is down, and not at all when the key lacks the right", async () => {
    const { clock, messenger, start, crm, told } = await setUp();
    await start();
    crm.status = 503;
    messenger.trouble = "the webhook is gone";
    await clock.forward(MINUTE_MS);
    expect(told).toEqual([]);
    crm.status = 200;
    await clock.forward(MINUTE_MS);
    expect(told).toHaveLength(1);
    crm.status = 403;
    messenger.trouble = "another trouble";
    await clock.forward(MINUTE_MS);
    crm.status = 200;
    await clock.forward(MINUTE_MS);
    expect(told).toHaveLength(1);
  });

  it.each(FOREIGN_ANSWERS)("notifies later when %s came instead of the CRM's answer", async (_, weather) => {
    const { clock, messenger, start, crm, told } = await setUp();
    await start();
    crm.weather = weather;
    messenger.trouble = "the webhook is gone";
    await clock.forward(MINUTE_MS);
    crm.weather = undefined;
    await clock.forward(MINUTE_MS);
    expect(told).toHaveLength(1);
  });

  it("inspects all others when the state of one cannot be stored", async () => {
    const { clock, store, account, channel, messenger, start } = await setUp();
    const beside = await addChannel(store, account);
    const { setState } = store.channels;
    store.channels.setState = async (id, ...change) => {
      if (id === channel.id) throw new Error("database or disk is full");
      await setState(id, ...change);
    };
    messenger.dead = true;
    await start();
    await clock.forward(MINUTE_MS);
    expect((await store.channels.byId(account.id, channel.id))?.state).toBe("active");
    expect((await store.channels.byId(account.id, beside.id))?.state).toBe("stopped");
  });

  it("notifies of all others when the key of one account does not decrypt", async () => {
    const { clock, folder, store, account, channel, messenger, start, told } = await setUp();
    messenger.trouble = "the webhook is gone";
    const other = await addChannel(store, await addAccount(store, "other"));
    for (const { id } of [channel, other]) await store.channels.setTrouble(id, "the webhook is gone");
    await writeRows(folder, "UPDATE account SET api_key_sealed = 'v1.test.x.y' WHERE id = ?", account.id);
    await start();
    await clock.forward(MINUTE_MS);
    expect(told).toHaveLength(1);
  });

  it("makes no calls for an account that is off, nor after a stop", async () => {
    const { clock, store, account, messenger, start, watch } = await setUp();
    await store.accounts.setActivity(account.id, { active: false, frozen: false }, MINUTE_MS);
    await start();
    await clock.forward(MINUTE_MS);
    expect(messenger.asked).toBe(0);
    await store.accounts.setActivity(account.id, { active: true, frozen: false }, MINUTE_MS);
    await clock.forward(MINUTE_MS);
    const { asked } = messenger;
    expect(asked).toBeGreaterThan(0);
    watch.stop();
    await clock.forward(10 * MINUTE_MS);
    expect(messenger.asked).toBe(asked);
  });
});
