import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { paintPng } from "../../../../../packages/messenger/src/kit/emulator/picture.ts";
import { addMessage } from "../../../emulator/world.ts";
import { AT, about, CHAT, created, edited, MID, ours, ROBIN, written } from "../../../samples/wire.ts";
import { fresh, SECRET, talking } from "../talking.ts";

async function stage() {
  const all = await talking();
  const { session, context, commit } = all;
  const receive = async (body: object) => {
    const headers = { "x-max-bot-api-secret": SECRET };
    const receipt = await session.receive(
      new Request(context.doorUrl, { method: "POST", headers, body: written(body) }),
    );
    await commit(receipt);
    return receipt;
  };
  return { ...all, receive };
}
const png = (n: number) => Uint8Array.from(paintPng(2, 2, [n, 2, 3]));
const texts = (events: ChannelEvent[]) =>
  events.map((event) => (event.type === "message" && event.content.type === "text" ? event.content.text : event.type));

describe("a customer's edit", () => {
  it("of the words under a picture is an edit, and of the picture a message that quotes the old one", async () => {
    const { emulator, dialog, after } = await stage();
    const said = await emulator.customers.says(dialog, { text: "one", files: [{ name: "a.png", bytes: png(1) }] });
    expect(await after(() => emulator.customers.edits(dialog, said, { text: "two" }))).toMatchObject([
      { type: "edited", messengerMessageId: said.mid, text: "two" },
    ]);
    const replaced = { text: "three", files: [{ name: "b.png", bytes: png(2) }] };
    expect(await after(() => emulator.customers.edits(dialog, said, replaced))).toMatchObject([
      { type: "message", quote: said.mid, content: { type: "image", note: "[Файл заменён]\nthree" } },
    ]);
    expect(await after(() => emulator.customers.edits(dialog, said, { text: "four" }))).toMatchObject([
      { type: "edited", text: "four" },
    ]);
  });

  it("of the words under a file is an edit, however MAX names the file now, and a file of another size is another", async () => {
    const { receive } = await stage();
    const file = (size: number, n: number) => [
      { type: "file", payload: { url: `https://fd.oneme.ru/${n}`, token: `t${n}` }, filename: "a.pdf", size },
    ];
    await receive(created({ text: "one", attachments: file(5, 1) }));
    expect((await receive(edited({ text: "two", attachments: file(5, 2) }))).events).toMatchObject([
      { type: "edited", text: "two" },
    ]);
    expect((await receive(edited({ text: "three", attachments: file(6, 3) }))).events).toMatchObject([
      { type: "message", quote: MID },
    ]);
  });

  it("that takes the words away says so", async () => {
    const { emulator, dialog, after } = await stage();
    const said = await emulator.customers.says(dialog, { text: "one", files: [{ name: "a.png", bytes: png(1) }] });
    expect(await after(() => emulator.customers.edits(dialog, said, { text: "" }))).toMatchObject([
      { type: "edited", text: "[Текст удалён]" },
    ]);
  });
});

describe("a deletion", () => {
  it("is the customer's own only: neither the bot's, nor of the bot's message, nor in a group", async () => {
    const { receive, emulator, dialog, after, send, chat } = await stage();
    const said = await emulator.customers.says(dialog, { text: "oops" });
    const removed = (more: object) =>
      receive({ update_type: "message_removed", timestamp: 5, message_id: said.mid, chat_id: dialog.chatId, ...more });
    expect((await removed({ user_id: dialog.bot.id })).events).toEqual([]);
    expect((await removed({ user_id: 999 })).events).toEqual([]);
    expect((await removed({ user_id: dialog.person.id, chat_id: -70_000_000_000_005 })).events).toEqual([]);
    const { parts } = await send();
    const ownMid = parts[0].messengerMessageId;
    expect((await removed({ user_id: dialog.person.id, message_id: ownMid })).events).toEqual([]);
    expect(await after(() => emulator.customers.deletes(dialog, said))).toMatchObject([
      { type: "deleted", chat, messengerMessageId: said.mid, key: `d:${said.mid}` },
    ]);
  });
});

describe("a callback without a dialog's id", () => {
  const callback = {
    callback: { timestamp: 1, callback_id: "cb", payload: "red", user: ROBIN },
    message: { ...ours(), recipient: { chat_id: 0, chat_type: "dialog", user_id: ROBIN.user_id } },
    ...{ timestamp: 1, user_locale: "en", update_type: "message_callback" },
  };

  it("belongs to the dialog that the customer has written in", async () => {
    const { receive } = await stage();
    await receive(created({ text: "hi" }));
    expect((await receive(callback)).events).toMatchObject([{ chat: CHAT }]);
  });

  it("names the chat for good where it comes first, so that a customer has one chat", async () => {
    const { receive } = await stage();
    expect((await receive(callback)).events).toMatchObject([{ chat: `u${ROBIN.user_id}` }]);
    expect((await receive(created({ text: "hi" }))).events).toMatchObject([{ chat: `u${ROBIN.user_id}` }]);
    const gone = { update_type: "message_removed", timestamp: 5, message_id: MID, chat_id: Number(CHAT) };
    expect((await receive({ ...gone, user_id: ROBIN.user_id })).events).toMatchObject([{ chat: `u${ROBIN.user_id}` }]);
  });
});

it("a press with the id of an earlier one is another, and a repeat of it the same", async () => {
  const { receive } = await stage();
  const press = async (timestamp: number) => {
    const callback = { timestamp, callback_id: "cb", payload: "red", user: ROBIN };
    const { events } = await receive({ update_type: "message_callback", timestamp: 9, callback, message: ours() });
    return events.flatMap((event) => (event.type === "message" ? [event.key, event.messengerMessageId] : []));
  };
  const [first, again, second] = [await press(1), await press(1), await press(2)];
  expect(again).toEqual(first);
  expect(new Set([...first, ...second]).size).toBe(4);
});

it("who has stopped the bot is noted for the agent, once they had a chat", async () => {
  const { receive } = await stage();
  expect((await receive(about("bot_stopped"))).events).toEqual([]);
  await receive(about("bot_started"));
  expect((await receive(about("bot_stopped"))).events).toMatchObject([
    { type: "note", chat: CHAT, text: "Клиент остановил бота." },
  ]);
});

it("an update of tomorrow is logged by its name, and one that MAX has for others is not", async () => {
  const { receive } = await stage();
  expect(await receive({ update_type: "bot_flew", timestamp: 1 })).toMatchObject({ unknown: "event bot_flew" });
  for (const type of ["bot_added", "dialog_muted", "comment_created"])
    expect((await receive(about(type))).unknown).toBeUndefined();
});

it("a picture's and a video's bytes are what the customer has sent, and the picture of the customer is the dialog's", async () => {
  const { session, emulator, dialog, after } = await stage();
  const files = [
    { name: "a.png", bytes: png(1) },
    { kind: "video", name: "a.mp4", mediaType: "video/mp4", bytes: Buffer.from("0000ftypisom") },
  ];
  for (const file of files) {
    const [event] = await after(() => emulator.customers.says(dialog, { files: [file] }));
    if (event?.type !== "message" || !("files" in event.content)) throw new Error("no file came");
    const [{ file: at } = {}] = event.content.files;
    const open = at?.at === "messenger" ? await session.files?.open(at.ref, fresh()) : undefined;
    expect(Buffer.from(await new Response(open?.body).arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true);
  }
  const found = await session.avatars?.find(String(dialog.person.id) as never, fresh());
  const open = await session.files?.open(found?.ref ?? "", fresh());
  expect(open?.mediaType).toBe("image/png");
  expect(await session.avatars?.find("5" as never, fresh())).toBeUndefined();
});

it("a name, id or type with a length that is no number is none", async () => {
  const { receive } = await stage();
  const length = { length: { toString: 1, valueOf: 1 } };
  expect(await receive({ update_type: length })).toMatchObject({ events: [], unknown: "a body that is not an update" });
  expect((await receive(created({ mid: length, text: "hi" }))).events).toEqual([]);
  expect(texts((await receive(created({ text: "hi", attachments: [{ type: length }] }))).events)).toEqual(["hi"]);
});

it("a seq of any size, or of any kind, is no number that is read", async () => {
  const { receive } = await stage();
  for (const seq of ["seq:99999999999999999999999", 1e300, "x", null]) {
    const body = created({ text: "hi" });
    body.message.body = { ...body.message.body, seq } as never;
    expect(texts((await receive(body)).events)).toEqual(["hi"]);
  }
});

it("a message that only passes another on comes whole, though it has no body; one without both is none", async () => {
  const { receive } = await stage();
  const link = { type: "forward", sender: ROBIN, message: { ...ours().body, text: "Which?" } };
  for (const body of [null, undefined, 5])
    expect((await receive(created({}, { body, link }))).events).toMatchObject([
      {
        key: `m:${MID}:${AT}`,
        messengerMessageId: `${MID}:${AT}`,
        content: { text: "Forwarded from Robin Reyes:\nWhich?" },
      },
    ]);
  expect((await receive(created({}, { body: null }))).events).toEqual([]);
});

it("the button for the number brings it", async () => {
  const { emulator, dialog, after } = await stage();
  addMessage(dialog, 1, { from: "bot", text: "Your number?" });
  const [event] = await after(() => emulator.customers.sharesContact(dialog));
  expect(event).toMatchObject({ content: { text: "Анна Орлова, +79990000001" }, customer: { phone: "+79990000001" } });
});
