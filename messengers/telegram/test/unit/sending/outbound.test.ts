import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../../../src/domain/message.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/world.ts";
import { refusalError } from "../../../src/api.ts";
import telegram from "../../../src/index.ts";
import { sending } from "../../../src/sending/outbound.ts";
import { fresh, openStage, step } from "../stage.ts";

async function opened(settings: Record<string, unknown> = {}) {
  const stage = await openStage(settings);
  const session = sending(stage.context, stage.api);
  const send = (more: Parameters<typeof step>[0], chat: ChatId = stage.chat) =>
    session.send(step(more), { chat, key: crypto.randomUUID() }, fresh());
  const verdict = (sent: Promise<unknown>) =>
    sent.then(
      () => "sent",
      (error: unknown) => (error instanceof DeliveryError ? error.verdict : error),
    );
  return { ...stage, session, send, verdict };
}

describe("what an agent sends", () => {
  it("is formatted by entities, so that no sign of the text is taken for markup", async () => {
    const { send, heard } = await opened();
    const text = "*not bold* _nor this_ <b>nor that</b> Rope";
    const marks = [{ type: "bold" as const, offset: text.indexOf("Rope"), length: 4 }];
    await send({ text, marks });
    const [shown] = heard();
    expect(shown?.text).toBe(text);
    // Phones treat text that looks like a command as one.
    expect(shown?.marks.filter(({ type }) => type !== "bot_command")).toEqual(marks);
  });

  it("has every format that the gateway has a word for, in captions, too", async () => {
    const { send, heard, atTheGateway } = await opened();
    const text = "bold italic under struck code block link";
    const at = (word: string) => ({ offset: text.indexOf(word), length: word.length });
    const url = "https://shop.example/rope";
    const marks = [
      { type: "bold" as const, ...at("bold") },
      { type: "italic" as const, ...at("italic") },
      { type: "underline" as const, ...at("under") },
      { type: "strikethrough" as const, ...at("struck") },
      { type: "code" as const, ...at("code") },
      { type: "pre" as const, ...at("block"), language: "js" },
      { type: "link" as const, ...at("link"), url },
    ];
    await send({ text, marks });
    await send({ kind: "image", text, marks, files: [atTheGateway("1", PICTURE, "image/png", "rope.png")] });
    const shown = marks.map(({ type, ...mark }) => ({ type: type === "link" ? "text_link" : type, ...mark }));
    expect(heard().map((message) => message.marks)).toEqual([shown, shown]);
  });

  it("is surely not sent while the store cannot be read, and sent though it then cannot be written", async () => {
    const { send, heard, verdict, context } = await opened();
    const { get, set } = context.notes;
    const suggestions = [{ type: "text" as const, title: "Yes" }];
    const away = () => Promise.reject(new Error("the connection was lost"));
    context.notes.get = away;
    expect(await verdict(send({ text: "Well?", suggestions }))).toMatchObject({ type: "retry" });
    expect(heard()).toEqual([]);
    Object.assign(context.notes, { get, set: away });
    expect(await verdict(send({ text: "Well?", suggestions }))).toBe("sent");
    context.notes.set = set;
    expect(heard()).toHaveLength(1);
  });

  it("quotes what is still there, and goes without the quote when that is gone", async () => {
    const { send, heard, telegram, person, bot, start, chat } = await opened();
    const quote = { messengerMessageId: `${chat}:${start}` as MessengerMessageId };
    await send({ text: "with", quote });
    telegram.phone.erase(person, bot.id, start);
    await send({ text: "without", quote });
    expect(heard().map(({ text, quote: shown }) => [text, shown?.id])).toEqual([
      ["with", start],
      ["without", undefined],
    ]);
  });

  it("streams a picture with its caption, and a file under its real name", async () => {
    const { send, heard, atTheGateway } = await opened();
    await send({ kind: "image", text: "rope", files: [atTheGateway("1", PICTURE, "image/png", "rope.png")] });
    await send({ kind: "file", files: [atTheGateway("2", "terms", "text/plain", 'Условия "12".txt')] });
    expect(heard()).toMatchObject([
      { text: "rope", media: { kind: "photo" } },
      { media: { kind: "document", file: { name: expect.stringContaining("Условия"), size: 5 } } },
    ]);
  });

  it("sends an album in one call, the words under its first picture only", async () => {
    const { send, heard, atTheGateway } = await opened();
    const files = ["1", "2", "3"].map((id) => atTheGateway(id, PICTURE, "image/png", `${id}.png`));
    const { parts } = await send({ kind: "image", text: "three ropes", files });
    expect(parts.map(({ holds }) => holds)).toEqual(["caption", "media", "media"]);
    expect(heard().map(({ text }) => text)).toEqual(["three ropes", "", ""]);
    expect(new Set(heard().map(({ album }) => album)).size).toBe(1);
  });

  it("shows each file's own caption whole, and the note's where they share the first picture", async () => {
    const { session, heard, atTheGateway, chat } = await opened();
    const [bow, stern] = ["bow ".repeat(200).trim(), "stern ".repeat(200).trim()];
    const captions = [bow, stern, "mast"];
    const files = captions.map((caption, n) => ({
      ...atTheGateway(`${n}`, PICTURE, "image/png", `${n}.png`),
      caption,
    }));
    const content = { type: "image", files, note: "a boat" };
    const message = { type: "message", gatewayMessageId: "1", chat, content, suggestions: [] };
    const capabilities = telegram.capabilities(telegram.settings.parse({ token: HARBOUR_BOT_TOKEN }));
    const { steps } = planMessage(message as unknown as OutboundMessage, capabilities);
    for (const each of steps as SendStep[]) await session.send(each, { chat, key: crypto.randomUUID() }, fresh());
    // One caption has 799 characters, the other 1,199: more than Telegram takes.
    expect(heard().map(({ text }) => text)).toEqual(["", "", "mast", `a boat\n${bow}\n${stern}`]);
    await session.send(step({ kind: "image", files: files.slice(0, 1) }), { chat, key: "own" }, fresh());
    expect(heard().at(-1)?.text).toBe(bow);
  });

  it("sends an album with one odd picture as documents, and says so", async () => {
    const { send, heard, atTheGateway } = await opened();
    const files = [
      atTheGateway("1", PICTURE, "image/png", "a.png"),
      atTheGateway("2", "<svg/>", "image/svg+xml", "b.svg"),
    ];
    const { losses } = await send({ kind: "image", files });
    expect(heard().map(({ media }) => media?.kind)).toEqual(["document", "document"]);
    expect(losses).toHaveLength(2);
  });

  it("sends a voice as a voice, and music as music", async () => {
    const { send, heard, atTheGateway } = await opened();
    await send({ kind: "audio", files: [atTheGateway("1", "OggS", "audio/ogg", "v.ogg")] });
    await send({ kind: "audio", files: [atTheGateway("2", "ID3", "audio/mpeg", "song.mp3")] });
    expect(heard().map(({ media }) => media?.kind)).toEqual(["voice", "audio"]);
  });

  it("sends a product's picture by its address, and the words with the address where it cannot be fetched", async () => {
    const { send, heard } = await opened();
    await send({ kind: "image", text: "Rope", files: [{ file: { at: "web", url: "http://127.0.0.1:9/rope.png" } }] });
    expect(heard()).toMatchObject([{ text: "Rope\nhttp://127.0.0.1:9/rope.png" }]);
  });

  it("has quick replies, that vanish with the next message", async () => {
    const { send, telegram, person, bot } = await opened();
    await send({
      text: "Well?",
      suggestions: [
        { type: "text", title: "Yes" },
        { type: "phone", title: "My number" },
      ],
    });
    const keyboard = () =>
      telegram.phone
        .chats(person)
        .find(({ id }) => id === bot.id)
        ?.keyboard.flat();
    expect(keyboard()).toEqual([
      { text: "Yes", contact: false },
      { text: "My number", contact: true },
    ]);
    await send({ text: "Thank you" });
    expect(keyboard()).toEqual([]);
  });

  it("is an album that bears no keyboard and takes none away: the message after it does", async () => {
    const { send, telegram, person, bot, atTheGateway } = await opened();
    const keys = () =>
      telegram.phone
        .chats(person)
        .find(({ id }) => id === bot.id)
        ?.keyboard.flat();
    await send({ text: "Well?", suggestions: [{ type: "text", title: "Yes" }] });
    const pair = ["1", "2"].map((id) => atTheGateway(id, PICTURE, "image/png", `${id}.png`));
    const { parts } = await send({ kind: "image", files: pair });
    expect([keys()?.length, parts.map(({ fixed }) => fixed)]).toEqual([1, [undefined, undefined]]);
    await send({ text: "Thank you" });
    expect(keys()).toEqual([]);
  });

  it("is edited, deleted and reacted to; what is so already counts as done", async () => {
    const { session, send, heard, seen, chat, start } = await opened();
    const { parts } = await send({ text: "three euros" });
    const [part] = parts;
    const edit = () =>
      session.revisions?.edit({ do: "edit", part, text: "four euros", marks: [], suggestions: [] }, chat, fresh());
    await edit();
    await edit();
    expect(heard()).toMatchObject([{ text: "four euros", edited: true }]);
    const target = { chat, messengerMessageId: `${chat}:${start}` as MessengerMessageId };
    await session.reactions?.set(target, "❤️", fresh());
    expect(seen().find(({ id }) => id === start)?.reactions).toMatchObject([{ emoji: "❤" }]);
    await session.reactions?.set(target, null, fresh());
    expect(seen().find(({ id }) => id === start)?.reactions).toEqual([]);
    const gone = { chat, messengerMessageId: part.messengerMessageId };
    await session.revisions?.delete(gone, fresh());
    await session.revisions?.delete(gone, fresh());
    expect(heard()).toEqual([]);
  });

  it("is edited, quoted and deleted also where another module has sent it, which knew its number alone", async () => {
    const { send, session, heard, chat } = await opened();
    const { parts } = await send({ text: "three euros" });
    const [{ messengerMessageId }] = parts;
    const number = messengerMessageId.split(":")[1] as MessengerMessageId;
    const part = { messengerMessageId: number, holds: "text" } as const;
    await session.revisions?.edit({ do: "edit", part, text: "four", marks: [], suggestions: [] }, chat, fresh());
    await send({ text: "as I said", quote: { messengerMessageId: number, text: "four" } });
    const [first, second] = heard();
    expect([first?.text, second?.quote?.id]).toEqual(["four", first?.id]);
    await session.revisions?.delete({ chat, messengerMessageId: number }, fresh());
    expect(heard().map(({ text }) => text)).toEqual(["as I said"]);
  });

  it("costs one call to the messenger", async () => {
    const { send, telegram, atTheGateway } = await opened();
    await send({ text: "a" });
    await send({ kind: "image", text: "b", files: [atTheGateway("1", PICTURE, "image/png", "1.png")] });
    expect(telegram.calls.list().entries.map(({ method }) => method)).toEqual(["sendMessage", "sendPhoto"]);
  });

  it("is judged by Telegram's own list of parameters, and has no fault", async () => {
    const { send, telegram, atTheGateway, session, chat } = await opened();
    await send({ text: "a", suggestions: [{ type: "url", title: "Shop", payload: "https://shop.example/" }] });
    const pair = ["1", "2"].map((id) => atTheGateway(id, PICTURE, "image/png", `${id}.png`));
    const { parts } = await send({ kind: "image", text: "b", files: pair });
    await session.revisions?.edit({ do: "edit", part: parts[0], text: "c", marks: [], suggestions: [] }, chat, fresh());
    expect(telegram.calls.list().entries.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

describe("what cannot be delivered", () => {
  it("is refused with the gateway's own code when the customer has blocked the bot, or is gone", async () => {
    const { send, verdict, telegram, person, bot } = await opened();
    telegram.phone.block(person, bot.id, true);
    expect(await verdict(send({ text: "x" }))).toMatchObject({ type: "reject", code: "access_restricted" });
    expect(await verdict(send({ text: "x" }, "4242" as ChatId))).toMatchObject({
      type: "reject",
      code: "customer_not_exists",
    });
  });

  it.each(["lost", "html"] as const)("is unsure after %s", async (type) => {
    const { send, verdict, telegram } = await opened();
    telegram.faults.plan({ method: "sendMessage", type, status: 502, retryAfter: 1, scope: "bot" });
    expect(await verdict(send({ text: "x" }))).toEqual({ type: "unsure" });
  });

  it("is tried again after one refusal of the token, since a second call with it is not refused", async () => {
    const { send, verdict, telegram } = await opened();
    telegram.faults.plan({ method: "sendMessage", type: "status", status: 401, retryAfter: 1, scope: "bot" });
    expect(await verdict(send({ text: "x" }))).toEqual({ type: "retry" });
    telegram.faults.plan({ method: "sendMessage", type: "status", status: 404, retryAfter: 1, scope: "bot" });
    expect(await verdict(send({ text: "x" }))).toMatchObject({ type: "reject" });
  });

  it("waits exactly as long as Telegram wishes", async () => {
    const { send, verdict, telegram } = await opened();
    telegram.faults.plan({ method: "sendMessage", type: "flood", status: 429, retryAfter: 7, scope: "bot" });
    expect(await verdict(send({ text: "x" }))).toEqual({ type: "retry", afterMs: 7_000 });
  });

  it("stops the channel when the token is revoked, and no word of it holds the token", async () => {
    const { send, bot } = await opened();
    const { token } = bot;
    bot.token = "7712345601:AAanotherTokenThatTheOwnerHasMadeSince";
    const error = await send({ text: "x" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ verdict: { type: "reconnect" } });
    expect(JSON.stringify(error) + String(error)).not.toContain(token.split(":")[1]);
  });

  it("tries again when the gateway's file cannot be had, and refuses what the gateway refuses", async () => {
    const { send, verdict, atTheGateway, context } = await opened();
    const part = atTheGateway("1", PICTURE, "image/png", "a.png");
    const { gatewayFile } = context;
    const away = new DeliveryError({ type: "retry", afterMs: 3_000 }, "the gateway is busy");
    context.gatewayFile = async (id, signal) => ({
      ...(await gatewayFile(id, signal)),
      open: () => Promise.reject(away),
    });
    expect(await verdict(send({ kind: "image", files: [part] }))).toEqual({ type: "retry", afterMs: 3_000 });
  });

  it("follows a group that has become a supergroup, and answers there from then on", async () => {
    const { send, telegram, person, bot } = await opened({ groups: "whole" });
    const group = telegram.phone.makeGroup({ title: "Crew", people: [person], bot: bot.id });
    await send({ text: "before" }, String(group) as ChatId);
    const now = telegram.phone.upgrade(group);
    const { parts } = await send({ text: "after" }, String(group) as ChatId);
    expect(parts[0].messengerMessageId).toMatch(new RegExp(`^${now}:`));
    await send({ text: "again" }, String(group) as ChatId);
    const messages = telegram.phone.chats(person).find(({ id }) => id === now)?.messages ?? [];
    expect(messages.filter(({ from }) => from === "bot").map(({ text }) => text)).toEqual(["after", "again"]);
  });
});

describe("a group that has become a supergroup", () => {
  const MOVED = "Bad Request: group chat was upgraded to a supergroup chat";

  it("has left its old messages behind: to edit, delete or react to one is refused, and not tried again", async () => {
    const { session, send, verdict, telegram, person, bot } = await opened({ groups: "whole" });
    const group = telegram.phone.makeGroup({ title: "Crew", people: [person], bot: bot.id });
    const chat = String(group) as ChatId;
    const { parts } = await send({ text: "before" }, chat);
    telegram.phone.upgrade(group);
    const [part] = parts;
    const { messengerMessageId } = part;
    const refused = { type: "reject", code: "general" };
    const edit = session.revisions?.edit({ do: "edit", part, text: "x", marks: [], suggestions: [] }, chat, fresh());
    expect(await verdict(edit as Promise<void>)).toMatchObject(refused);
    const removal = session.revisions?.delete({ chat, messengerMessageId }, fresh());
    expect(await verdict(removal as Promise<void>)).toMatchObject(refused);
    const reaction = session.reactions?.set({ chat, messengerMessageId }, "👍", fresh());
    expect(await verdict(reaction as Promise<void>)).toMatchObject(refused);
  });

  it("is not followed any further when it is said to have moved again", async () => {
    const { context, chat } = await openStage({ groups: "whole" });
    const asked: unknown[] = [];
    const ask = async (request: unknown) => {
      asked.push(request);
      throw refusalError("sendMessage", { status: 400, description: MOVED, movedTo: `-100${asked.length}` }, false);
    };
    const session = sending(context, { call: ask, openFile: ask } as never);
    const sent = session.send(step({ text: "x" }), { chat, key: "k" }, fresh());
    await expect(sent).rejects.toMatchObject({ verdict: { type: "reject" } });
    expect(asked).toHaveLength(2);
  });
});

describe("a picture that Telegram does not take as one", () => {
  it("arrives as a document, and the agent is told", async () => {
    const { send, heard, atTheGateway } = await opened();
    const { losses } = await send({
      kind: "image",
      text: "rope",
      files: [atTheGateway("1", "no png", "image/png", "a.png")],
    });
    expect(heard()).toMatchObject([{ text: "rope", media: { kind: "document" } }]);
    expect(losses).toEqual([{ code: "picture-as-file", about: "a.png" }]);
  });
});
