import { createMemoryState } from "@chat-adapter/state-memory";
import { createWhatsAppAdapter } from "@chat-adapter/whatsapp";
import { Actions, Button, Card, CardText, Chat, ConsoleLogger, type Message } from "chat";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { contractJudge } from "../../../../meta/test/emulator/contract.ts";
import { press, react, write } from "../../../emulator/acts.ts";
import { NUMBER_ID, TOKEN } from "../../../emulator/seed.ts";
import { FILES } from "../scene.ts";
import { ROBIN, served, VERIFY } from "../stage.ts";

const judge = contractJudge("whatsapp");
const THREAD = `whatsapp:${NUMBER_ID}:${ROBIN}`;

async function chatting() {
  const made: { bot?: { webhooks: { whatsapp(request: Request): Promise<Response> } } } = {};
  const stage = await served(async (request) => (await made.bot?.webhooks.whatsapp(request)) ?? new Response(null));
  const adapter = createWhatsAppAdapter({
    accessToken: TOKEN,
    appSecret: DEMO_APP.secret,
    phoneNumberId: NUMBER_ID,
    verifyToken: VERIFY,
    apiUrl: stage.origin,
    apiVersion: "v23.0",
    userName: "quay",
    logger: new ConsoleLogger("silent"),
  });
  const bot = new Chat({
    userName: "quay",
    adapters: { whatsapp: adapter },
    state: createMemoryState(),
    logger: "silent",
  });
  await bot.initialize();
  onTestFinished(() => bot.shutdown());
  made.bot = bot;
  expect((await stage.subscribe()).body).toEqual({ success: true });
  const heard: Message[] = [];
  bot.onDirectMessage((_, message) => void heard.push(message));
  const faults = () => stage.network.core.journal.entries().flatMap((entry) => judge?.(entry) ?? []);
  const refused = () =>
    stage.network.core.journal.entries().filter(({ status, kind }) => kind === "call" && status !== 200);
  return { ...stage, bot, adapter, heard, faults, refused };
}

describe("the Chat SDK's WhatsApp adapter", () => {
  it("hears text, pictures, presses and reactions", async () => {
    const { bot, adapter, emulator, network, chat, heard, faults } = await chatting();
    const acted: unknown[] = [];
    bot.onAction(({ actionId }) => void acted.push(actionId));
    bot.onReaction(({ rawEmoji, added }) => void acted.push([rawEmoji, added]));
    await emulator.says("hello *you*");
    await until("the text", () => heard.length === 1);
    expect(heard[0]).toMatchObject({ text: expect.stringContaining("hello"), author: { fullName: "Robin Field" } });
    await write(network, chat, { media: { kind: "image", ...FILES.image, caption: "look" } });
    await until("the picture", () => heard.length === 2);
    // It loads no address of this machine; the picture itself is there.
    await expect(heard[1]?.attachments[0]?.fetchData?.()).rejects.toThrow("internal attachment URL");
    expect(heard[1]?.attachments[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    const children = [CardText("Is it right?"), Actions([Button({ id: "yes", label: "Yes" })])];
    await adapter.postMessage(THREAD, { card: Card({ title: "Order 5", children }) });
    const asked = chat.messages.at(-1);
    if (!asked) throw new Error("nothing to press");
    const { action } = asked.content.interactive as { action: { buttons: { reply: { id: string } }[] } };
    await press(network, chat, asked, action.buttons[0]?.reply.id ?? "");
    await react(network, chat, asked, "👍");
    await react(network, chat, asked, null);
    await until("the acts", () => acted.length === 3);
    expect(acted).toEqual(["yes", ["👍", true], expect.any(Array)]);
    expect(faults()).toEqual([]);
  });

  it("answers in the customer's chat, with formatting and files, and marks as read", async () => {
    const { bot, adapter, emulator, chat, refused, faults, idle } = await chatting();
    bot.onDirectMessage(async (thread) => void (await thread.post("yes")));
    const { id } = await emulator.says("are you there?");
    await until(
      "the answer",
      () => (chat.messages.at(-1)?.content.text as { body?: string } | undefined)?.body === "yes",
    );
    await adapter.postMessage(THREAD, { markdown: "a **word**" });
    expect(chat.messages.at(-1)?.content).toMatchObject({ text: { body: "a *word*" } });
    await adapter.postMessage(THREAD, {
      markdown: "the bill",
      files: [{ data: Buffer.from("%PDF-1.4"), filename: "bill.pdf", mimeType: "application/pdf" }],
    });
    expect(chat.messages.at(-1)?.medium).toMatchObject({ name: "bill.pdf", mediaType: "application/pdf" });
    await adapter.addReaction(THREAD, id, "👍");
    expect(chat.messages[0]?.reactions.business).toBe("👍");
    await adapter.startTyping(THREAD);
    await idle();
    expect(refused()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it("meets a customer without a phone number", async () => {
    const { bot, network, hidden, heard, wren } = await chatting();
    bot.onDirectMessage(async (thread) => void (await thread.post("welcome")));
    await write(network, hidden, { text: "no number" });
    await until("the answer", () => hidden.messages.length === 2);
    expect(hidden.messages.at(-1)).toMatchObject({ from: "business", byUserId: true });
    expect(JSON.stringify(heard)).not.toContain(wren.phone);
  });

  it("reports a refusal with Graph's code", async () => {
    const { adapter, control } = await chatting();
    await control("POST", "faults", { operation: "sendMessage", code: 131056 });
    await expect(adapter.postMessage(THREAD, "x")).rejects.toThrow(/131056|pair rate/);
  });
});
