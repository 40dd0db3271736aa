import type { Call } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import { botApi } from "../../src/api.ts";
import { connecting } from "../../src/connection.ts";
import { fresh, openStage } from "./stage.ts";

const webhookOf = (bot: { queue: unknown }) => (bot.queue as { webhook?: { url: string } }).webhook;

async function opened(settings: Record<string, unknown> = {}) {
  const stage = await openStage({ updates: "webhook", ...settings });
  // The emulator accepts webhooks on this machine only. Nothing listens there.
  Object.assign(stage.context, { doorUrl: `http://127.0.0.1:9/m/door-of-this-channel` });
  const session = connecting(stage.context, stage.api);
  const ask = async (method: string, params: object = {}) => {
    const url = `${stage.origin}/bot${stage.bot.token}/${method}`;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(params) };
    return ((await (await fetch(url, init)).json()) as { result: never }).result;
  };
  return { ...stage, session, ask };
}
const reasonOf = (act: Promise<unknown>) =>
  act.then(
    () => "connected",
    (error: unknown) => (error instanceof DeliveryError ? error.message : error),
  );

describe("connecting a bot", () => {
  it("asks whose the token is, and sets a webhook with a secret and everything it wants to hear", async () => {
    const { session, context, ask, bot } = await opened();
    expect(await session.identify(fresh())).toEqual({
      ...{ id: `telegram:${bot.id}`, name: "@harbour_bot", link: "https://t.me/harbour_bot" },
    });
    expect(await session.connect(fresh())).toEqual({ name: "@harbour_bot" });
    expect(await ask("getWebhookInfo")).toMatchObject({
      url: context.doorUrl,
      max_connections: 1,
      allowed_updates: expect.arrayContaining(["message", "message_reaction", "business_message"]),
    });
    expect(await ask("getMyCommands")).toMatchObject([{ command: "start" }]);
  });

  it("can be done again, and leaves a menu of the owner's alone", async () => {
    const { session, ask } = await opened();
    await ask("setMyCommands", { commands: [{ command: "price", description: "Prices" }] });
    await session.connect(fresh());
    await session.connect(fresh());
    expect(await ask("getMyCommands")).toMatchObject([{ command: "price" }]);
  });

  it("is refused while the bot's messages go to another service, unless the owner says so", async () => {
    const { session, ask } = await opened();
    const elsewhere = "http://127.0.0.1:8/hook";
    await ask("setWebhook", { url: elsewhere });
    expect(await reasonOf(session.connect(fresh()))).toMatch(/another service now \(127\.0\.0\.1:8\)/);
    expect(await ask("getWebhookInfo")).toMatchObject({ url: elsewhere });
    const willing = await opened({ takeOver: true });
    await willing.ask("setWebhook", { url: elsewhere });
    await willing.session.connect(fresh());
    expect(await willing.ask("getWebhookInfo")).toMatchObject({ url: willing.context.doorUrl });
  });

  it("is refused in plain words also where the bot's messages go to what is no address", async () => {
    const { session, api } = await opened();
    const { call } = api;
    api.call = async (request, signal) =>
      request.method === "getWebhookInfo" ? request.result.parse({ url: "not an address" }) : call(request, signal);
    expect(await reasonOf(session.connect(fresh()))).toMatch(/another service now \(unknown\)/);
  });

  it("takes the webhook back when a later step fails", async () => {
    const { session, ask, telegram } = await opened();
    telegram.faults.plan({ method: "setMyCommands", type: "status", status: 400, retryAfter: 1, scope: "bot" });
    expect(await reasonOf(session.connect(fresh()))).toMatch(/setMyCommands/);
    expect(await ask("getWebhookInfo")).toMatchObject({ url: "" });
  });

  it("tells an unknown token in plain words, whether Telegram ever knew it or not", async () => {
    const { session, bot } = await opened();
    bot.token = "7712345601:AAanotherTokenThatTheOwnerHasMadeSince";
    expect(await reasonOf(session.identify(fresh()))).toMatch(
      /^Telegram does not recognise this token\. .* from @BotFather/,
    );
  });

  it("says that Telegram is unreachable instead of calling it a refusal", async () => {
    const { context } = await opened();
    const call: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "ENOTFOUND" });
    const api = botApi({ call, apiUrl: "http://127.0.0.1:9", token: context.settings.token });
    const unreached = await reasonOf(connecting(context, api).identify(fresh()));
    expect(unreached).toMatch(/^this server cannot reach Telegram/);
  });

  it("passes on what Telegram itself says of a later time", async () => {
    const { session, telegram } = await opened();
    telegram.faults.plan({ method: "getMe", type: "status", status: 429, retryAfter: 7, scope: "bot" });
    expect(await reasonOf(session.identify(fresh()))).toMatch(/Too Many Requests/);
  });

  it("is undone by disconnecting, except what another server has set since", async () => {
    const { session, ask } = await opened();
    await session.connect(fresh());
    await session.disconnect(fresh());
    expect(await ask("getWebhookInfo")).toMatchObject({ url: "" });
    await ask("setWebhook", { url: "http://127.0.0.1:8/hook" });
    await session.disconnect(fresh());
    expect(await ask("getWebhookInfo")).toMatchObject({ url: "http://127.0.0.1:8/hook" });
  });
});

describe("looking after a bot", () => {
  it("finds nothing wrong while all is well", async () => {
    const { session, ask } = await opened();
    await ask("deleteWebhook", { drop_pending_updates: true });
    await session.connect(fresh());
    expect(await session.inspect?.(fresh())).toBeUndefined();
  });

  it("reports a takeover of the bot, and a removed webhook", async () => {
    const { session, ask } = await opened();
    await session.connect(fresh());
    await ask("setWebhook", { url: "http://127.0.0.1:8/hook" });
    expect(await session.inspect?.(fresh())).toMatch(/another server has taken over this bot \(127\.0\.0\.1:8\)/);
    await ask("deleteWebhook");
    expect(await session.inspect?.(fresh())).toMatch(/somebody has removed the webhook/);
  });

  it("reports that Telegram cannot deliver messages, and why", async () => {
    const { session, telegram, person, bot } = await opened();
    await session.connect(fresh());
    telegram.phone.send(person, bot.id, { text: "hello?" });
    await expect.poll(() => session.inspect?.(fresh())).toMatch(/cannot deliver messages: /);
    expect(webhookOf(bot)).toBeDefined();
  });

  it("reports the same problem in the same words, however many messages wait, and briefly", async () => {
    const { session, api, context } = await opened();
    const found = { url: context.doorUrl, last_error_date: Math.floor(context.clock.now() / 1000) };
    const told = async (pending_update_count: number, last_error_message = "Wrong response: 502 Bad Gateway") => {
      api.call = async ({ result }) => result.parse({ ...found, pending_update_count, last_error_message });
      return session.inspect?.(fresh());
    };
    expect(await told(7)).toBe(await told(8));
    const long = await told(7, `one\r\n\u0000two ${"x".repeat(5_000)}`);
    expect(long).toMatch(/: one two x+$/);
    expect(long?.length).toBeLessThan(250);
  });
});

describe("a bot that another module had", () => {
  const old = (token: string) => `http://127.0.0.1:8/telegram/${token}`;

  it("is given back with the webhook that it had, no update is lost, and the record has no token", async () => {
    const { session, ask, bot, person, telegram } = await opened({ takeOver: true });
    await ask("setWebhook", { url: old(bot.token), max_connections: 40 });
    const { url, max_connections, allowed_updates, pending_update_count: waiting } = await ask("getWebhookInfo");
    const { mark, ...seen } = await session.handover.look(fresh());
    expect(seen).toEqual({ isHere: false, isOwn: false, to: "127.0.0.1:8" });
    expect(JSON.stringify(mark)).not.toContain(bot.token.split(":")[1]);
    await session.connect(fresh());
    expect(await session.handover.look(fresh())).toMatchObject({ isHere: true, isOwn: true });
    telegram.phone.send(person, bot.id, { text: "Hello" });
    await session.handover.giveBack(mark, fresh());
    await session.handover.giveBack(mark, fresh());
    expect(await ask("getWebhookInfo")).toMatchObject({
      ...{ url, max_connections, allowed_updates },
      pending_update_count: Number(waiting) + 1,
    });
    expect(await ask("getMyCommands")).toEqual([]);
    expect(webhookOf(bot)?.url).toBe(old(bot.token));
  });

  it("is known by its door also at an earlier address of this server, and by its token", async () => {
    const { session, context, ask } = await opened({ takeOver: true });
    const { pathname } = new URL(context.doorUrl);
    await ask("setWebhook", { url: `http://127.0.0.1:8${pathname}` });
    const { mark, ...seen } = await session.handover.look(fresh());
    expect(seen).toEqual({ isHere: false, isOwn: true, to: "127.0.0.1:8" });
    expect(session.handover.knows(mark)).toBe(true);
    expect(session.handover.knows({ ...mark, fingerprint: "another's" })).toBe(false);
    expect(session.handover.knows({ ...mark, fingerprint: undefined })).toBe(false);
    await session.handover.leave(fresh());
    expect(await ask("getWebhookInfo")).toMatchObject({ url: "" });
  });

  it("keeps the menu that its owner has given it since", async () => {
    const { session, ask } = await opened({ takeOver: true });
    const { mark } = await session.handover.look(fresh());
    await session.connect(fresh());
    await ask("setMyCommands", { commands: [{ command: "start", description: "Prices" }] });
    await session.handover.giveBack(mark, fresh());
    expect(await ask("getMyCommands")).toMatchObject([{ description: "Prices" }]);
  });

  it("keeps its own menu, and has no webhook again if it had none", async () => {
    const { session, ask } = await opened();
    await ask("setMyCommands", { commands: [{ command: "price", description: "Prices" }] });
    const { mark, to } = await session.handover.look(fresh());
    expect(to).toBe("");
    await session.connect(fresh());
    await session.handover.giveBack(mark, fresh());
    expect(await ask("getWebhookInfo")).toMatchObject({ url: "" });
    expect(await ask("getMyCommands")).toMatchObject([{ command: "price" }]);
  });
});
