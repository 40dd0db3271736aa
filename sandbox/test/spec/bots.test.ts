import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { openChannel } from "../../src/conformance/channels.ts";
import { openChat, post } from "../../src/conformance/messages.ts";
import { setStage } from "../../src/conformance/stage.ts";
import { serveSandbox } from "../../src/serve.ts";
import { bot, chatting, until } from "./account.ts";

interface Event {
  type: string;
  data: { message?: { content: string; action?: string } };
}

/** A listening sandbox with a registered bot. */
async function botAt() {
  const running = await serveSandbox({ port: 0 });
  onTestFinished(running.close);
  const { origin } = running;
  const form = new URLSearchParams({ integrationModule: JSON.stringify(bot()) });
  const headers = { "x-api-key": "sandbox-key" };
  await fetch(`${origin}/api/v5/integration-modules/b/edit`, { method: "POST", headers, body: form });
  const token = running.sandbox.world.modules.get("b")?.token ?? "";
  const open = async (events: string, by: "header" | "subprotocol" = "header") => {
    const address = `${origin.replace("http", "ws")}/api/bot/v1/ws?events=${events}`;
    const socket =
      by === "header"
        ? new WebSocket(address, { headers: { "x-bot-token": token } })
        : new WebSocket(address, ["x-bot-token", token]);
    const received: Event[] = [];
    const closed: number[] = [];
    socket.on("message", (bytes) => received.push(JSON.parse(String(bytes))));
    socket.on("close", (code) => closed.push(code));
    const refused = await new Promise<number | undefined>((resolve) => {
      socket.on("open", () => resolve(undefined));
      socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode));
      socket.on("error", () => {});
    });
    return { received, closed, refused };
  };
  const ask = (method: string, path: string, body: unknown, secret = token) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { "content-type": "application/json", "x-bot-token": secret },
      body: JSON.stringify(body),
    });
  return { origin, token, open, ask, world: running.sandbox.world };
}

/** A chat and a bot. */
async function withBot() {
  const own = await chatting();
  await own.edit(bot());
  return { ...own, botId: [...own.world.bots.keys()][0], userId: [...own.world.users.keys()][0] };
}

describe("spec: bots", () => {
  it('"PUT /my/commands/{name} on the Bot API registers a bot command."', async () => {
    const { asBot, world } = await withBot();
    expect((await asBot("PUT", "/my/commands/go", { description: "Goes" })).body).toMatchObject({ name: "go" });
    await asBot("PUT", "/my/commands/go", { description: "Goes on" });
    expect((await asBot("GET", "/my/commands")).body).toMatchObject([{ name: "go", description: "Goes on" }]);
    expect([...(world.bots.values().next().value?.commands.keys() ?? [])]).toEqual(["go"]);
  });

  it('"A bot that reacts to commands must register them immediately after the bot module is registered.": it can', async () => {
    const { ask } = await botAt();
    expect((await ask("PUT", "/api/bot/v1/my/commands/start", { description: "Starts" })).status).toBe(200);
  });

  it('"A bot connects to a WebSocket, listens for the events it needs, and acts through Bot API calls." / "A bot receives events over a WebSocket of the Bot API."', async () => {
    const { open, ask } = await botAt();
    const { received } = await open("bot_updated,message_new");
    const other = await open("chat_created", "subprotocol");
    await ask("PATCH", "/api/bot/v1/my/info", { name: "Renamed" });
    await until(() => received.length > 0);
    expect(received).toMatchObject([
      { type: "bot_updated", meta: { timestamp: expect.any(Number) }, data: { name: "Renamed" } },
    ]);
    expect(other.received).toEqual([]);
  });

  it.each(["chat_unread_updated", "settings_updated", "message_restore"])(
    "a socket may ask for %s as other clients do, and hears of the rest",
    async (name) => {
      const { open, ask } = await botAt();
      const { received, refused } = await open(`${name},bot_updated`);
      expect(refused).toBeUndefined();
      await ask("PATCH", "/api/bot/v1/my/info", { name: "Renamed" });
      await until(() => received.length > 0);
      expect(received.map(({ type }) => type)).toEqual(["bot_updated"]);
    },
  );

  it("a socket that asks for unknown events, or without a token, is refused", async () => {
    const { open, origin } = await botAt();
    expect((await open("message_new,weather")).refused).toBe(400);
    const socket = new WebSocket(`${origin.replace("http", "ws")}/api/bot/v1/ws?events=message_new`);
    const status = await new Promise((resolve) => {
      socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode));
      socket.on("error", () => {});
    });
    expect(status).toBe(401);
  });

  it.each([
    ["normally", 1000, 1000],
    ["abnormally", 0, 1006],
  ])(
    '"The bot must handle the WebSocket being closed by the gateway, normally or abnormally, and must try to reconnect after some timeout.": closed %s',
    async (_, code, seen) => {
      const { open, ask } = await botAt();
      const { closed } = await open("bot_updated");
      await ask("POST", "/sandbox/sockets/close", { code });
      await until(() => closed.length > 0);
      expect(closed).toEqual([seen]);
      const again = await open("bot_updated");
      await ask("PATCH", "/api/bot/v1/my/info", { name: "Back" });
      await until(() => again.received.length > 0);
    },
  );

  it("switching chats off closes the bots' sockets", async () => {
    const { open, ask } = await botAt();
    const { closed } = await open("bot_updated");
    await ask("POST", "/sandbox/switches", { chatsOn: false });
    await until(() => closed.length > 0);
    expect((await open("bot_updated")).refused).toBe(401);
  });

  it('"It assigns dialogs to managers or bots"', async () => {
    const { asBot, world, chat, botId, userId } = await withBot();
    const dialog = world.chats.get(chat)?.dialogs[0];
    const path = `/dialogs/${dialog?.id}`;
    expect((await asBot("PATCH", `${path}/assign`, { user_id: userId })).body).toMatchObject({
      is_reassign: false,
      responsible: { type: "user", id: userId },
    });
    expect((await asBot("PATCH", `${path}/assign`, { bot_id: botId })).body).toMatchObject({
      is_reassign: true,
      left_user_id: userId,
      responsible: { type: "bot", id: botId },
    });
    expect((await asBot("PATCH", `${path}/unassign`)).status).toBe(200);
    expect((await asBot("PATCH", `${path}/unassign`)).body.errors).toEqual(["dialog is not assigned"]);
    const unknown = await asBot("PATCH", "/dialogs/7/assign", { user_id: userId });
    expect([unknown.status, unknown.body.errors]).toEqual([404, ["dialog #7 not found"]]);
  });

  it("an older dialog no longer changes", async () => {
    const { asBot, world, chat, userId } = await withBot();
    const older = world.chats.get(chat)?.dialogs[0]?.id;
    await asBot("POST", `/chats/${chat}/dialogs`, {});
    expect((await asBot("PATCH", `/dialogs/${older}/assign`, { user_id: userId })).body.errors).toEqual([
      "dialog is not the latest in the chat",
    ]);
  });

  it('"posts messages to chats"', async () => {
    const { asBot, chat, server } = await withBot();
    expect((await asBot("POST", "/messages", { chat_id: chat, scope: "public", content: "Beep" })).status).toBe(200);
    const hook = await until(() => server.received.find(({ path }) => path === "/hook"));
    expect(JSON.parse(hook.text).data).toMatchObject({ content: "Beep", bot: { name: "B" } });
    expect(JSON.parse(hook.text).data.user).toBeUndefined();
  });

  it('"and responds to commands": an agent\'s command reaches the bot and not the customer', async () => {
    const { asUser, asBot, chat, server, world } = await withBot();
    const command = { chat_id: chat, scope: "public", type: "command", content: "/price rope" };
    await asUser("POST", "/messages", command);
    await asBot("POST", "/messages", { chat_id: chat, scope: "public", content: "4 EUR" });
    await until(() => server.received.some(({ text }) => text.includes("4 EUR")));
    expect(server.received.filter(({ text }) => text.includes("/price"))).toEqual([]);
    expect((await asBot("GET", "/messages?type=command")).body).toMatchObject([{ content: "/price rope" }]);
    expect(world.messages.map(({ from }) => from.type)).toEqual(["customer", "user", "bot"]);
  });

  it("lists public messages, private ones, or both with system messages", async () => {
    const { asUser, asBot, chat } = await withBot();
    await asUser("POST", "/messages", { chat_id: chat, scope: "private", content: "a note" });
    const scopes = async (query: string) => {
      const { body } = await asBot("GET", `/messages?chat_id=${chat}${query}`);
      return [...new Set((body as unknown as { scope: string }[]).map(({ scope }) => scope))].sort();
    };
    expect(await scopes("&scope=public")).toEqual(["public"]);
    expect(await scopes("&scope=private")).toEqual(["private"]);
    expect(await scopes("")).toEqual(["private", "public", "undefined"]);
  });

  it("shows who opened a chat: the customer, or the agent who wrote first", async () => {
    const { asBot, asAgent, say, channel, chat, userId, world } = await withBot();
    const customer = { external_id: "u9", nickname: "Kim" };
    const { body } = await asAgent("POST", "/chats", { channel_id: channel, customer });
    await say("joins");
    await say("first", { chat_id: body.chat_id });
    const [opened, known] = (await asBot("GET", "/chats")).body as unknown as Record<string, unknown>[];
    expect(opened).toMatchObject({ id: body.chat_id, author_id: userId });
    const customerId = [...world.customers.keys()][0];
    expect(known).toMatchObject({ id: chat, author_id: customerId, customer: { id: customerId } });
    const members = (await asBot("GET", `/members?user_id=${userId}`)).body as unknown as Record<string, unknown>[];
    expect(members.map(({ chat_id, is_author }) => [chat_id, is_author])).toEqual([
      [body.chat_id, true],
      [chat, false],
    ]);
  });

  it("the socket shows when a message came, and when it was edited", async () => {
    const stage = await setStage();
    onTestFinished(stage.close);
    const channel = await openChannel(stage);
    await openChat(stage, channel);
    const message = { external_id: "stamped" };
    await post(stage, channel, { ...message, created_at: "2020-01-01T00:00:00Z" });
    await stage.control("POST", "/clock", { jumpMs: 5_000 });
    await stage.transport("POST", "/messages/reaction", { channel, message, reaction: "🔥" });
    await stage.control("POST", "/clock", { jumpMs: 5_000 });
    await stage.transport("PUT", "/messages", { channel, message: { ...message, text: "Edited" } });
    const received = () =>
      (stage.received as { type: string; data: { message: Record<string, string> } }[])
        .filter(({ type, data }) => type.startsWith("message_") && data.message.time === "2020-01-01T00:00:00Z")
        .map(({ data }) => data.message);
    await stage.until("three events", () => received().length === 3);
    const [created, reacted, edited] = received();
    const ms = (text: string | undefined) => Date.parse(text ?? "");
    expect(ms(created?.created_at)).toBeGreaterThan(Date.parse("2025-01-01"));
    expect([created?.edited_at, reacted?.edited_at]).toEqual([undefined, undefined]);
    expect(edited?.created_at).toBe(created?.created_at);
    expect(ms(edited?.edited_at) - ms(edited?.created_at)).toBeGreaterThanOrEqual(10_000);
    expect(stage.seen.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("a bot changes its own messages, and nobody else's", async () => {
    const { asBot, chat, first } = await withBot();
    const { body } = await asBot("POST", "/messages", { chat_id: chat, scope: "private", content: "note" });
    expect((await asBot("PATCH", `/messages/${body.message_id}`, { content: "note 2" })).status).toBe(200);
    expect((await asBot("DELETE", `/messages/${first.body.message_id}`)).status).toBe(400);
  });
});
