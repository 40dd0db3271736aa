import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Message, Update } from "@grammyjs/types";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import {
  Bot,
  type Context,
  GrammyError,
  InlineKeyboard,
  InputFile,
  InputMediaBuilder,
  Keyboard,
  webhookCallback,
} from "grammy";
import { afterEach, describe, expect, it } from "vitest";
import { HARBOUR_BOT_TOKEN } from "../../emulator/telegram.ts";
import { HARBOUR, OFF, ROBIN, stage, until } from "./stage.ts";

const PICTURE = paintPng(300, 200, [10, 90, 160]);
const ALL = ["message", "edited_message", "callback_query", "message_reaction", "my_chat_member"] as const;
const closing: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function withBot(limits = OFF, now = Date.now) {
  const telegram = await stage(limits, now);
  const bot = new Bot(HARBOUR_BOT_TOKEN, { client: { apiRoot: telegram.origin } });
  const heard: Update[] = [];
  bot.use((context: Context) => void heard.push(context.update));
  const { phone, world } = telegram.telegram;
  return { ...telegram, bot, heard, phone, world };
}

async function polling() {
  const set = await withBot();
  closing.push(() => set.bot.stop());
  await new Promise<void>((resolve, reject) => {
    set.bot.start({ allowed_updates: [...ALL], onStart: () => resolve() }).catch(reject);
  });
  return set;
}

describe("grammY, polling", () => {
  it("receives what a person writes, edits, reacts with and presses", async () => {
    const { bot, heard, phone } = await polling();
    const [id = 0] = phone.send(ROBIN, HARBOUR, { start: "spring" });
    await until(() => heard.length === 1);
    expect(heard[0]?.message).toMatchObject({
      message_id: id,
      text: "/start spring",
      entities: [{ type: "bot_command", offset: 0, length: 6 }],
      from: { id: ROBIN, username: "robin_field", language_code: "en" },
      chat: { id: ROBIN, type: "private" },
    });
    expect(heard[0]?.message?.date).toBeLessThan(Date.now() / 1000 + 1);
    phone.edit(ROBIN, HARBOUR, id, "changed");
    const sent = await bot.api.sendMessage(ROBIN, "Choose", {
      reply_markup: new InlineKeyboard().text("One", "one").url("Site", "https://example.com"),
    });
    phone.press(ROBIN, HARBOUR, sent.message_id, "one");
    phone.react(ROBIN, HARBOUR, sent.message_id, "👍");
    phone.block(ROBIN, HARBOUR, true);
    await until(() => heard.length === 5);
    expect(heard[1]?.edited_message?.text).toBe("changed");
    expect(heard[2]?.callback_query).toMatchObject({ data: "one", message: { message_id: sent.message_id } });
    expect(heard[3]?.message_reaction?.new_reaction).toEqual([{ type: "emoji", emoji: "👍" }]);
    expect(heard[4]?.my_chat_member?.new_chat_member.status).toBe("kicked");
    await bot.api.answerCallbackQuery(heard[2]?.callback_query?.id ?? "");
  });

  it("fetches the bytes of a photo by getFile", async () => {
    const { bot, heard, phone, world, origin } = await polling();
    const { key } = world.files.add({ name: "sea.png", mediaType: "image/png", bytes: PICTURE });
    phone.send(ROBIN, HARBOUR, { text: "The sea", media: [{ kind: "photo", file: key }] });
    await until(() => heard.length === 1);
    const photo = heard[0]?.message?.photo ?? [];
    expect(photo.map(({ width }) => width)).toEqual([90, 300]);
    const file = await bot.api.getFile(photo.at(-1)?.file_id ?? "");
    const answer = await fetch(`${origin}/file/bot${HARBOUR_BOT_TOKEN}/${file.file_path}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(PICTURE)).toBe(true);
  });
});

describe("grammY, sending", () => {
  async function opened() {
    const set = await withBot();
    set.phone.send(ROBIN, HARBOUR, { text: "hello" });
    const shown = () => set.phone.chats(ROBIN)[0]?.messages ?? [];
    return { ...set, api: set.bot.api, shown };
  }

  it("sends formatted text that quotes a message", async () => {
    const { api, shown } = await opened();
    const answer: Message.TextMessage = await api.sendMessage(ROBIN, "bold words", {
      entities: [{ type: "bold", offset: 0, length: 4 }],
      reply_parameters: { message_id: 1 },
    });
    expect(answer).toMatchObject({ reply_to_message: { text: "hello" }, from: { is_bot: true } });
    expect(shown().at(-1)).toMatchObject({
      from: "bot",
      text: "bold words",
      marks: [{ type: "bold", offset: 0, length: 4 }],
      quote: { id: 1, text: "hello" },
    });
  });

  it("uploads a file whose name is Cyrillic", async () => {
    const { api, shown, telegram } = await opened();
    const file = new InputFile(PICTURE, "Счёт за март.png");
    const answer = await api.sendDocument(ROBIN, file, { caption: "A bill" });
    expect(answer.document).toMatchObject({ file_name: "Счёт за март.png", file_size: PICTURE.byteLength });
    expect(shown().at(-1)?.media?.file).toMatchObject({ name: "Счёт за март.png", mediaType: "image/png" });
    await api.sendPhoto(ROBIN, new InputFile(PICTURE, "море.png"));
    expect(shown().at(-1)?.media?.kind).toBe("photo");
    expect(telegram.calls.list().faults).toBe(0);
  });

  it("sends an album and everything but text", async () => {
    const { api, shown, telegram } = await opened();
    const album = await api.sendMediaGroup(ROBIN, [
      InputMediaBuilder.photo(new InputFile(PICTURE), { caption: "Two" }),
      InputMediaBuilder.video(new InputFile(Buffer.from("a video"), "v.mp4")),
    ]);
    expect(new Set(album.map((each) => ("media_group_id" in each ? each.media_group_id : ""))).size).toBe(1);
    expect(
      shown()
        .slice(-2)
        .map(({ media }) => media?.kind),
    ).toEqual(["photo", "video"]);
    const bytes = () => new InputFile(Buffer.from("some bytes"), "x.ogg");
    await api.sendVoice(ROBIN, bytes(), { duration: 3 });
    await api.sendAudio(ROBIN, bytes(), { title: "Tune" });
    await api.sendVideoNote(ROBIN, bytes());
    await api.sendAnimation(ROBIN, bytes());
    await api.sendSticker(ROBIN, bytes());
    await api.sendLocation(ROBIN, 59.9, 30.3);
    await api.sendVenue(ROBIN, 59.9, 30.3, "Pier", "Quay 1");
    await api.sendContact(ROBIN, "+15550100042", "Robin");
    await api.sendPoll(ROBIN, "Tea?", ["Yes", "No"]);
    await api.sendDice(ROBIN, "🎲");
    await api.sendChatAction(ROBIN, "typing");
    expect(telegram.calls.list().entries.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("shows and removes keyboards", async () => {
    const { api, phone } = await opened();
    await api.sendMessage(ROBIN, "Your number?", {
      reply_markup: new Keyboard().requestContact("Send").text("No").oneTime(),
    });
    expect(phone.chats(ROBIN)[0]?.keyboard).toEqual([
      [
        { text: "Send", contact: true },
        { text: "No", contact: false },
      ],
    ]);
    await api.sendMessage(ROBIN, "Fine", { reply_markup: { remove_keyboard: true } });
    expect(phone.chats(ROBIN)[0]?.keyboard).toEqual([]);
  });

  it("changes, reacts to and deletes messages", async () => {
    const { api, shown } = await opened();
    const sent = await api.sendMessage(ROBIN, "before");
    await api.editMessageText(ROBIN, sent.message_id, "after");
    await api.setMessageReaction(ROBIN, 1, [{ type: "emoji", emoji: "🔥" }]);
    expect(shown().map(({ text, edited, reactions }) => ({ text, edited, reactions }))).toEqual([
      { text: "hello", edited: false, reactions: [{ emoji: "🔥", mine: false }] },
      { text: "after", edited: true, reactions: [] },
    ]);
    const photo = await api.sendPhoto(ROBIN, new InputFile(PICTURE));
    await api.editMessageCaption(ROBIN, photo.message_id, { caption: "said later" });
    await api.editMessageMedia(
      ROBIN,
      photo.message_id,
      InputMediaBuilder.photo(new InputFile(paintPng(50, 50, [1, 2, 3]))),
    );
    expect(shown().at(-1)).toMatchObject({ text: "", media: { file: { width: 50 } } });
    await api.deleteMessages(ROBIN, [sent.message_id, photo.message_id]);
    expect(shown()).toHaveLength(1);
  });

  it("knows the person, their photo and itself", async () => {
    const { api } = await opened();
    expect((await api.getMe()).username).toBe("harbour_bot");
    expect(await api.getChat(ROBIN)).toMatchObject({ type: "private", first_name: "Robin" });
    expect((await api.getUserProfilePhotos(ROBIN)).total_count).toBe(1);
    await api.setMyCommands([{ command: "start", description: "Begin" }]);
    expect(await api.getMyCommands()).toEqual([{ command: "start", description: "Begin" }]);
  });
});

describe("grammY, refused", () => {
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail("it was carried out"),
      (error: unknown) => (error instanceof GrammyError ? error : expect.fail(String(error))),
    );

  it("gets a code and a wait for a flood", async () => {
    const at = Date.now();
    const { bot, phone } = await withBot({ ...OFF, perChat: 1 }, () => at);
    phone.send(ROBIN, HARBOUR, { text: "hello" });
    await bot.api.sendMessage(ROBIN, "one");
    const error = await failure(bot.api.sendMessage(ROBIN, "two"));
    expect([error.error_code, error.parameters.retry_after]).toEqual([429, 1]);
  });

  it("gets the new id of a group that became a supergroup", async () => {
    const { bot, phone } = await withBot();
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    await bot.api.sendMessage(group, "hello");
    const supergroup = phone.upgrade(group);
    const error = await failure(bot.api.sendMessage(group, "again"));
    expect([error.error_code, error.parameters.migrate_to_chat_id]).toEqual([400, supergroup]);
    await bot.api.sendMessage(supergroup, "again");
  });
});

describe("grammY, by webhook", () => {
  it("receives updates with its secret", async () => {
    const { bot, heard, phone } = await withBot();
    const server = createServer(webhookCallback(bot, "http", { secretToken: "s3cret_-" }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(async () => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await bot.api.setWebhook(url, { secret_token: "s3cret_-" });
    phone.send(ROBIN, HARBOUR, { text: "over the web" });
    await until(() => heard.length === 1);
    expect(heard[0]?.message?.text).toBe("over the web");
    const info = await bot.api.getWebhookInfo();
    expect(info).toMatchObject({ url, max_connections: 40 });
    expect(info.last_error_message).toBeUndefined();
  });
});
