import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter, type TelegramAdapter } from "@chat-adapter/telegram";
import { Actions, Button, Card, CardText, Chat, ConsoleLogger, LinkButton, type Message } from "chat";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../../../../test/support/listening.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/telegram.ts";
import { UPDATE_KINDS } from "../../../emulator/wire.ts";
import { HARBOUR, opened, ROBIN, until, WREN } from "../stage.ts";
import { BYTES, KEYS, PICTURE } from "./scene.ts";

const THREAD = `telegram:${ROBIN}`;
const card = () =>
  Card({
    title: "Order 5",
    children: [
      CardText("Is it **right**?"),
      Actions([Button({ id: "yes", label: "Yes" }), LinkButton({ url: "https://shop.example/5", label: "See it" })]),
    ],
  });

async function chatting(mode: "polling" | "webhook", options: object = {}) {
  const set = await opened();
  await set.call("deleteWebhook", { drop_pending_updates: true });
  const adapter = createTelegramAdapter({
    botToken: HARBOUR_BOT_TOKEN,
    apiUrl: set.origin,
    mode,
    secretToken: "s3cret",
    logger: new ConsoleLogger("silent"),
    longPolling: { allowedUpdates: [...UPDATE_KINDS] },
    ...options,
  });
  const state = createMemoryState();
  const bot = new Chat({ userName: "harbour_bot", adapters: { telegram: adapter }, state, logger: "silent" });
  await bot.initialize();
  onTestFinished(() => bot.shutdown());
  const heard: Message[] = [];
  bot.onDirectMessage((_, message) => void heard.push(message));
  const called = (): [string, number][] =>
    set.telegram.calls.list().entries.map(({ method, status }): [string, number] => [method, status]);
  return { ...set, bot, adapter, heard, called };
}

interface Action {
  what: string;
  does(adapter: TelegramAdapter, thread: string, id: string): Promise<unknown>;
  /** Methods it calls, with their statuses. */
  calls: [method: string, status: number][];
  /** The last message on the phone, if any. */
  shows?: object;
}
const ok = (method: string): [string, number] => [method, 200];
const bold = (offset: number, length: number) => [{ type: "bold", offset, length }];

const ACTIONS: readonly Action[] = [
  {
    what: "posts words",
    does: (adapter, thread) => adapter.postMessage(thread, "1 + 1 = 2."),
    calls: [ok("sendMessage")],
    shows: { from: "bot", text: "1 + 1 = 2.", marks: [] },
  },
  {
    what: "posts Markdown, first as a rich message, which is not served",
    does: (adapter, thread) => adapter.postMessage(thread, { markdown: "a **word**, 1.5 `x`" }),
    calls: [["sendRichMessage", 404], ok("sendMessage")],
    shows: { text: "a word, 1.5 x", marks: [...bold(2, 4), { type: "code" }] },
  },
  {
    what: "posts a card with buttons",
    does: (adapter, thread) => adapter.postMessage(thread, { card: card() }),
    calls: [ok("sendMessage")],
    shows: { text: expect.stringContaining("Order 5"), inline: [[{ text: "Yes" }, { text: "See it" }]] },
  },
  {
    what: "answers a message",
    does: (adapter, thread) => adapter.reply(thread, `${ROBIN}:1`, "yes"),
    calls: [ok("sendMessage")],
    shows: { text: "yes", quote: { id: 1, text: "hello" } },
  },
  {
    what: "sends a file with a caption",
    does: (adapter, thread) =>
      adapter.postMessage(thread, { markdown: "the **bill**", files: [{ data: BYTES, filename: "счёт.txt" }] }),
    calls: [ok("sendDocument")],
    shows: { text: "the bill", marks: bold(4, 4), media: { kind: "document", file: { name: "счёт.txt", size: 10 } } },
  },
  {
    what: "sends a photo",
    does: (adapter, thread) =>
      adapter.postMessage(thread, { raw: "", attachments: [{ type: "image", data: PICTURE, name: "sea.png" }] }),
    calls: [ok("sendPhoto")],
    shows: { media: { kind: "photo", file: { width: 200 } } },
  },
  {
    what: "sends a video and an audio",
    async does(adapter, thread) {
      await adapter.postMessage(thread, { raw: "", attachments: [{ type: "audio", data: BYTES, name: "a.mp3" }] });
      await adapter.postMessage(thread, { raw: "", attachments: [{ type: "video", data: BYTES, name: "v.mp4" }] });
    },
    calls: [ok("sendAudio"), ok("sendVideo")],
    shows: { media: { kind: "video" } },
  },
  {
    what: "sends an album",
    does: (adapter, thread) =>
      adapter.postMessage(thread, {
        raw: "",
        files: ["a.txt", "b.txt"].map((filename) => ({ data: BYTES, filename })),
      }),
    calls: [ok("sendMediaGroup")],
    shows: { album: expect.any(String), media: { kind: "document", file: { name: "b.txt" } } },
  },
  {
    what: "changes a message, and takes its buttons away",
    does: (adapter, thread, id) => adapter.editMessage(thread, id, "changed"),
    calls: [ok("editMessageText")],
    shows: { text: "changed", edited: true, inline: [] },
  },
  {
    what: "deletes a message",
    does: (adapter, thread, id) => adapter.deleteMessage(thread, id),
    calls: [ok("deleteMessage")],
    shows: { text: "hello" },
  },
  {
    what: "reacts and takes it back",
    async does(adapter, thread) {
      await adapter.addReaction(thread, `${ROBIN}:1`, "🔥");
      await adapter.removeReaction(thread, `${ROBIN}:1`, "🔥");
    },
    calls: [ok("setMessageReaction"), ok("setMessageReaction")],
  },
  {
    what: "types",
    does: (adapter, thread) => adapter.startTyping(thread),
    calls: [ok("sendChatAction")],
  },
  {
    what: "asks about a chat and a person",
    async does(adapter, thread) {
      expect(await adapter.fetchThread(thread)).toMatchObject({ channelName: expect.stringContaining("Robin") });
      expect(await adapter.fetchChannelInfo(String(ROBIN))).toMatchObject({ memberCount: 2 });
      expect(await adapter.getUser(String(ROBIN))).toMatchObject({ userName: "robin_field" });
    },
    calls: [ok("getChat"), ok("getChat"), ok("getChatMemberCount"), ok("getChat")],
  },
  {
    what: "streams words by editing",
    async does(adapter, thread) {
      async function* words() {
        yield "one ";
        yield "**two**";
      }
      await adapter.stream(thread, words(), {});
    },
    // The number of edits, and repeats among them, depend on timing.
    calls: [ok("sendMessage"), ok("editMessageText")],
    shows: { text: "one two", marks: bold(4, 3) },
  },
];

/** Drops edits without changes, and repeats. */
const distinct = (calls: unknown[]) => {
  const said = calls.map((call) => JSON.stringify(call)).filter((call) => call !== '["editMessageText",400]');
  return said.filter((call, n) => call !== said[n - 1]).map((call) => JSON.parse(call));
};

describe("the Chat SDK's adapter", () => {
  it.each(ACTIONS)("$what", async ({ what, does, calls, shows }) => {
    const { adapter, shown, text, called, telegram } = await chatting("webhook", { streamingEditIntervalMs: 1 });
    const { message_id } = (await text("before", { reply_markup: KEYS })).result;
    const before = called().length;
    await does(adapter, THREAD, `${ROBIN}:${message_id}`);
    expect(what.startsWith("streams") ? distinct(called().slice(before)) : called().slice(before)).toEqual(calls);
    if (shows) expect(shown().at(-1)).toMatchObject(shows);
    const faults = telegram.calls.list().entries.flatMap((each) => each.faults);
    expect(faults.filter((each) => !each.includes("does not serve"))).toEqual([]);
  });

  it("receives text, files, presses and reactions by polling", async () => {
    const { bot, heard, phone, world, text } = await chatting("polling");
    const acted: unknown[] = [];
    bot.onAction((event) => void acted.push([event.actionId, event.messageId]));
    bot.onReaction((event) => void acted.push([event.rawEmoji, event.added]));
    const { key } = world.files.add({ name: "sea.png", mediaType: "image/png", bytes: PICTURE });
    phone.send(ROBIN, HARBOUR, {
      text: "**see** this",
      marks: [{ type: "bold", offset: 0, length: 7 }],
      media: [{ kind: "photo", file: key }],
    });
    await until(() => heard.length === 1);
    expect(heard[0]).toMatchObject({ author: { userName: "robin_field" }, attachments: [{ type: "image" }] });
    const bytes = await heard[0]?.attachments[0]?.fetchData?.();
    expect(Buffer.from(bytes as ArrayBuffer).equals(PICTURE)).toBe(true);
    const { message_id } = (await text("Choose", { reply_markup: KEYS })).result;
    phone.press(ROBIN, HARBOUR, message_id, "one");
    phone.react(ROBIN, HARBOUR, message_id, "👍");
    await until(() => acted.length === 2);
    expect(acted).toEqual(
      expect.arrayContaining([
        ["one", `${ROBIN}:${message_id}`],
        ["👍", true],
      ]),
    );
  });

  it("receives by a webhook with a secret, and answers", async () => {
    const { bot, heard, phone, call, shown } = await chatting("webhook");
    bot.onDirectMessage(async (thread) => void (await thread.post("yes")));
    const site = await listening(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = request.headers as Record<string, string>;
      const asked = new Request("http://bot/hook", { method: "POST", headers, body: Buffer.concat(chunks) });
      const answer = await bot.webhooks.telegram(asked);
      response.writeHead(answer.status).end(await answer.text());
    });
    await call("setWebhook", { url: `${site}/hook`, secret_token: "s3cret" });
    phone.send(ROBIN, HARBOUR, { text: "are you there?" });
    await until(() => shown().at(-1)?.text === "yes");
    expect(heard.map(({ text }) => text)).toEqual(["are you there?"]);
    const info = async () => (await call<{ pending_update_count: number }>("getWebhookInfo")).result;
    await until(async () => (await info()).pending_update_count === 0);
    expect(await info()).not.toHaveProperty("last_error_message");
  });

  it("writes and deletes in a person's own chats", async () => {
    const { adapter, heard, phone, control, called } = await chatting("polling", { businessMode: true });
    await control("business", "POST", { bot: HARBOUR, owner: WREN });
    phone.send(ROBIN, WREN, { text: "Open?" });
    await until(() => heard.length === 1);
    const thread = heard[0]?.threadId ?? "";
    const posted = await adapter.postMessage(thread, "Yes");
    expect(phone.chats(WREN)[0]?.messages.at(-1)?.text).toBe("Yes");
    await adapter.deleteMessage(thread, posted.id);
    expect(phone.chats(WREN)[0]?.messages.at(-1)?.text).toBe("Open?");
    expect(called().filter(([, status]) => status !== 200)).toEqual([]);
  });

  it.each([
    ["AdapterRateLimitError", { type: "flood", retryAfter: 7 }],
    ["PermissionError", { type: "status", status: 403 }],
    ["AuthenticationError", { type: "status", status: 401 }],
    ["NetworkError", { type: "status", status: 502 }],
  ])("throws its own %s", async (name, fault) => {
    const { adapter, control } = await chatting("webhook");
    await control("faults", "POST", { method: "sendMessage", ...fault });
    await expect(adapter.postMessage(THREAD, "x")).rejects.toMatchObject({ name });
  });

  it("reports a refusal in Telegram's words", async () => {
    const { adapter } = await chatting("webhook");
    await expect(adapter.postMessage("telegram:5", "x")).rejects.toThrow("Bad Request: chat not found");
  });
});
