import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { SendStep } from "gangway-messenger/plan";
import { describe, expect, it } from "vitest";
import { samples } from "../../samples/samples.ts";
import { fresh, talking } from "../unit/talking.ts";
import { judgeOf } from "./judge.ts";
import { connected } from "./stage.ts";

const judge = judgeOf();
const png = Uint8Array.from(paintPng(2, 2, [1, 2, 3]));

type Stage = Awaited<ReturnType<typeof connected>>;

async function customerDoes({ customers, dialog, send }: Stage): Promise<void> {
  await customers.starts(dialog);
  await customers.starts(dialog, "spring");
  const said = await customers.says(dialog, { text: "Привет 😀", markup: [{ type: "strong", from: 0, length: 6 }] });
  for (const kind of ["image", "video", "audio", "file"])
    await customers.says(dialog, { text: kind, files: [{ kind, name: `${kind}.bin`, bytes: png }] });
  await customers.sharesContact(dialog);
  await customers.says(dialog, { attachments: [{ type: "location", latitude: 55.7, longitude: 37.6 }] });
  await customers.says(dialog, { text: "yes", reply: said });
  await customers.says(dialog, { forward: { message: said, sender: dialog.person } });
  await customers.edits(dialog, said, { text: "Hello" });
  const buttons = [[{ type: "callback", text: "Red", payload: "r" }]];
  await send({ text: "Which?", attachments: [{ type: "inline_keyboard", payload: { buttons } }] });
  const question = dialog.messages.at(-1);
  if (question) await customers.presses(dialog, question, "r");
  await customers.deletes(dialog, said);
  await customers.stops(dialog);
}

async function strangerAsks({ call, dialog, customers }: Stage): Promise<void> {
  const chat = `chat_id=${dialog.chatId}`;
  await customers.starts(dialog);
  const { body } = await call("POST", `/messages?${chat}`, { text: "**x**", format: "markdown", notify: false });
  const { mid } = body.message.body;
  for (const path of ["/me", `/chats/${dialog.chatId}`, `/messages/${mid}`, "/subscriptions"]) await call("GET", path);
  await call("GET", `/messages?${chat}&count=10`);
  await call("POST", "/answers?callback_id=x", { notification: "ok" });
  for (const action of ["typing_on", "mark_seen", "sending_photo"])
    await call("POST", `/chats/${dialog.chatId}/actions`, { action });
  await call("PUT", `/messages?message_id=${mid}`, { text: "y", attachments: [] });
  await call("DELETE", `/messages?message_id=${mid}`);
  for (const [method, path, given] of [
    ["GET", "/chats/5", undefined],
    ["GET", "/videos/none", undefined],
    ["POST", "/messages", { text: "x" }],
    ["GET", "/updates", undefined],
  ] as const)
    await call(method, path, given);
  await call("GET", "/me", undefined, "forged");
  await call("DELETE", "/control/subscriptions");
  await customers.says(dialog, { text: "kept" });
  await call("GET", "/updates?timeout=0&limit=10&types=message_created");
}

describe.skipIf(!judge)("beside the published contract", () => {
  it("all of MAX's traffic fits it: webhooks, answers and refusals", async () => {
    const stage = await connected();
    await customerDoes(stage);
    await strangerAsks(stage);
    const entries = stage.emulator.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(entries.filter(({ kind }) => kind === "webhook").length).toBeGreaterThan(15);
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(13);
  });

  it("all that the adapter asks fits it, too", async () => {
    const { session, emulator, send, has, dialog, chat, lookup, calls } = await talking();
    await session.identify?.(fresh());
    await session.inspect?.(fresh());
    await session.standing?.(fresh());
    const [first] = dialog.messages;
    const quote = { messengerMessageId: first?.mid as never };
    const marks = [{ type: "bold" as const, offset: 0, length: 2 }];
    const suggestions = [
      { type: "text" as const, title: "Red" },
      { type: "phone" as const, title: "Number" },
      { type: "url" as const, title: "Open", payload: "https://shop.example/" },
    ];
    const words = await send({ quote, marks, suggestions }, "a");
    const file = (id: string) => ({ file: { at: "gateway" as const, id: id as never } });
    has("a.png", PICTURE, "image/png", "p");
    has("a.pdf", "%PDF-1.4", "application/pdf", "d");
    has("a.ogg", "OggS", "audio/ogg", "o");
    has("a.mp4", "0000ftypisom", "video/mp4", "v");
    const steps: [SendStep["kind"], string][] = [
      ["image", "p"],
      ["file", "d"],
      ["audio", "o"],
      ["file", "v"],
    ];
    for (const [kind, id] of steps) await send({ kind, files: [file(id)], text: kind === "audio" ? "" : "x" }, id);
    await send({ kind: "image", files: [{ file: { at: "web", url: "https://shop.example/a.png" } }], text: "" }, "w");
    await lookup("unknown");
    const ref = { chat, messengerMessageId: words.parts[0].messengerMessageId };
    const edit = { do: "edit" as const, part: words.parts[0], text: "mended", marks, suggestions };
    await session.revisions?.edit(edit, chat, fresh());
    await session.readMarks?.read(ref, fresh());
    await session.revisions?.delete(ref, fresh());
    await session.avatars?.find(String(dialog.person.id) as never, fresh());
    await session.disconnect(fresh());
    const entries = emulator.journal.entries();
    expect(entries.filter(({ kind, status }) => kind === "call" && status >= 400)).toEqual([]);
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(calls("sendMessage")).toHaveLength(6);
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(11);
  });

  it("our samples of webhooks fit it, but those that are odd on purpose", () => {
    const odd = [
      "a person with a user name only",
      "a person without any name",
      "formatted words",
      "a callback without a chat",
    ];
    const strange = /tomorrow|other types|without an address|do not hold|empty|keyboard that|forwarded picture/;
    const wrong = Object.entries(samples).flatMap(([name, { body }]) => {
      const shared = { at: 0, kind: "webhook" as const, operation: "update", method: "POST", path: "/", query: {} };
      const request = JSON.parse(JSON.stringify(body).replace(/"seq:(\d+)"/g, "1"));
      const faults = judge?.({ ...shared, status: 200, request, answer: undefined, headers: {} }) ?? [];
      return odd.includes(name) || strange.test(name) ? [] : faults.map((fault) => `${name}: ${fault}`);
    });
    expect(wrong).toEqual([]);
  });
});
