import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Bot, type Context, Keyboard, MaxError } from "@maxhub/max-bot-api";
import { PICTURE } from "gangway-messenger/kit/sending";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createEmulator } from "../../emulator/emulator.ts";
import { TOKEN } from "../../emulator/world.ts";

/** The official client, unmodified: only its `baseUrl` is set, by its own option. */
async function client(token = TOKEN) {
  const at = { origin: "" };
  const clock = { now: Date.now, after: later };
  const emulator = createEmulator({ origin: () => at.origin, clock, deliver: fetch });
  emulator.switches.set({ paced: false, notReady: 0 });
  const server = serve({ fetch: emulator.site.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    emulator.stop();
    server.close();
  });
  at.origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const bot = new Bot(token, { clientOptions: { baseUrl: at.origin } });
  const dialog = emulator.firstDialog();
  await emulator.customers.starts(dialog);
  return { emulator, bot, dialog, customers: emulator.customers };
}
function later(ms: number, run: () => void) {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

describe("@maxhub/max-bot-api", () => {
  it("asks who it is, sends, lists, edits and deletes", async () => {
    const { bot, dialog } = await client();
    expect(await bot.api.getMyInfo()).toMatchObject({ user_id: dialog.bot.id, username: dialog.bot.username });
    const keyboard = Keyboard.inlineKeyboard([
      [Keyboard.button.callback("Red", "r"), Keyboard.button.link("Shop", "https://shop.example/")],
      [Keyboard.button.requestContact("Number"), Keyboard.button.requestGeoLocation("Where")],
    ]);
    const sent = await bot.api.sendMessageToChat(dialog.chatId, "**Which**?", {
      format: "markdown",
      attachments: [keyboard],
    });
    expect(sent.body).toMatchObject({ text: "Which?", markup: [{ type: "strong", from: 0, length: 5 }] });
    await bot.api.sendMessageToUser(dialog.person.id, "And you?");
    const { messages } = await bot.api.getMessages(dialog.chatId, { count: 1 });
    expect(messages.map(({ body }) => body.text)).toEqual(["And you?"]);
    expect(await bot.api.getMessage(sent.body.mid)).toMatchObject({ body: { mid: sent.body.mid } });
    await bot.api.editMessage(sent.body.mid, { text: "Changed" });
    await bot.api.sendAction(dialog.chatId, "typing_on");
    expect(dialog.messages[0]).toMatchObject({ text: "Changed", isEdited: true });
    await bot.api.deleteMessage(sent.body.mid);
    expect(dialog.messages[0]?.isDeleted).toBe(true);
    expect(await bot.api.getChat(dialog.chatId)).toMatchObject({ chat_id: dialog.chatId, type: "dialog" });
  });

  it("uploads each kind of file, and waits while one is not ready", async () => {
    const { bot, dialog, emulator } = await client();
    const folder = mkdtempSync(join(tmpdir(), "max-client-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = (name: string, bytes: Uint8Array | string) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    emulator.switches.set({ notReady: 1 });
    const attachments = [
      await bot.api.uploadImage({ source: path("a.png", PICTURE) }),
      await bot.api.uploadFile({ source: path("a.pdf", "%PDF-1.4") }),
      await bot.api.uploadVideo({ source: Buffer.from("0000ftypisom") }),
      await bot.api.uploadAudio({ source: Buffer.from("OggS") }),
    ].map((each) => each.toJson());
    for (const attachment of attachments)
      await bot.api.sendMessageToChat(dialog.chatId, "", { attachments: [attachment] });
    expect(dialog.messages.map(({ attachments: [first] }) => first?.type)).toEqual(["image", "file", "video", "audio"]);
    const refused = emulator.journal
      .entries()
      .filter(({ operation, status }) => operation === "sendMessage" && status === 400);
    expect(refused).toHaveLength(4);
  });

  it("knows MAX's refusals by their code", async () => {
    const { bot, dialog, customers } = await client();
    const refusal = (act: Promise<unknown>) => act.catch((error: MaxError) => [error.status, error.code]);
    expect(await refusal(bot.api.sendMessageToChat(dialog.chatId, "x".repeat(4_001)))).toEqual([400, "proto.payload"]);
    await customers.stops(dialog);
    expect(await refusal(bot.api.sendMessageToChat(dialog.chatId, "x"))).toEqual([403, "chat.denied"]);
    const { bot: stranger } = await client("forged");
    expect(await refusal(stranger.api.getMyInfo())).toEqual([401, "verify.token"]);
    expect(await stranger.api.getMyInfo().catch((error: unknown) => error)).toBeInstanceOf(MaxError);
  });

  it("hears customers by long polling", async () => {
    const { bot, dialog, customers } = await client();
    const heard: string[] = [];
    const note = (words: (ctx: Context) => string | null | undefined) => (ctx: Context) =>
      void heard.push(words(ctx) ?? "");
    bot.on(
      "bot_started",
      note(() => "started"),
    );
    bot.on(
      "message_created",
      note((ctx) => ctx.message?.body.text),
    );
    bot.on(
      "message_callback",
      note((ctx) => `pressed ${ctx.callback?.payload}`),
    );
    bot.on(
      "message_removed",
      note(() => "removed"),
    );
    const running = bot.start();
    const said = await customers.says(dialog, { text: "hello" });
    const buttons = [[{ type: "callback" as const, text: "Red", payload: "r" }]];
    const attachments = [{ type: "inline_keyboard" as const, payload: { buttons } }];
    await bot.api.sendMessageToChat(dialog.chatId, "Which?", { attachments });
    const question = dialog.messages.at(-1);
    if (question) await customers.presses(dialog, question, "r");
    await customers.deletes(dialog, said);
    await vi.waitFor(() => expect(heard).toEqual(["started", "hello", "pressed r", "removed"]), 60_000);
    bot.stopPolling();
    await running;
  });

  it("hears customers by its webhook, whose secret it checks", async () => {
    const { bot, dialog, customers, emulator } = await client();
    const heard: (string | null | undefined)[] = [];
    bot.on("message_created", (ctx) => void heard.push(ctx.message.body.text));
    const secret = "a-secret_of-the-client";
    // It subscribes at an https address only: what the emulator brings there is handed to the client's own listener.
    const callback = await bot.createWebhook({ domain: "client.test", path: "/hook", secret });
    expect([...dialog.bot.subscriptions.values()]).toMatchObject([{ url: "https://client.test/hook", secret }]);
    const { createServer } = await import("node:http");
    const server = createServer(callback).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const [subscription] = [...dialog.bot.subscriptions.values()];
    const url = `http://127.0.0.1:${port}/hook`;
    dialog.bot.subscriptions.clear();
    if (subscription) dialog.bot.subscriptions.set(url, { ...subscription, url });
    await customers.says(dialog, { text: "hello" });
    await vi.waitFor(() => expect(heard).toEqual(["hello"]), 60_000);
    dialog.bot.subscriptions.set(url, { url, time: 0, secret: "another-secret" });
    await customers.says(dialog, { text: "forged" });
    expect(emulator.journal.entries().at(-1)).toMatchObject({ kind: "webhook", status: 404 });
    expect(heard).toEqual(["hello"]);
  });
});
