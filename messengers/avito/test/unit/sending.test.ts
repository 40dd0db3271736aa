import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { FilePart } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import avito from "../../src/index.ts";
import { fresh, talking } from "../stage.ts";

const HOUR = 3_600_000;
const FILE: FilePart = { file: { at: "gateway", id: "f1" as never } };
const stream = (bytes: Uint8Array) => new Blob([Uint8Array.from(bytes)]).stream();
type Talking = Awaited<ReturnType<typeof talking>>;

const put = ({ atGateway }: Talking, mediaType: string, name: string, bytes = paintPng(4, 4, [1, 2, 3])) =>
  atGateway.set("f1", () => ({ body: stream(bytes), mediaType, name, size: bytes.length }));
const picture: Partial<SendStep> = { kind: "image", text: "", files: [FILE] };

describe("an agent's message", () => {
  it("has at most 1,000 characters; a longer one goes in pieces, several pictures one by one, and a note after them", () => {
    const capabilities = avito.capabilities(
      avito.settings.parse({ avitoClientId: "c".repeat(20), avitoClientSecret: "s".repeat(20) }),
    );
    const words = planMessage(
      { content: { type: "text", text: "x".repeat(1_001) }, suggestions: [] },
      capabilities,
    ).steps;
    expect(words.map((step) => step.do === "send" && step.text.length)).toEqual([1_000, 1]);
    const files = [1, 2].map(
      (n): FilePart => ({ ...FILE, name: `${n}.png`, caption: n === 2 ? "the second" : undefined }),
    );
    const { steps } = planMessage({ content: { type: "image", files, note: "note" }, suggestions: [] }, capabilities);
    expect(steps.map((step) => step.do === "send" && [step.kind, step.text, step.files.length])).toEqual([
      ["image", "", 1],
      ["image", "", 1],
      ["text", "note\nthe second", 0],
    ]);
  });

  it("as a picture is uploaded, then sent", async () => {
    const all = await talking();
    put(all, "image/png", "a.png");
    const { parts } = await all.send(picture);
    expect(parts).toEqual([{ messengerMessageId: all.sent()[0]?.id, holds: "media" }]);
    expect(all.sent()[0]).toMatchObject({
      type: "image",
      content: { image: { sizes: { "32x32": expect.any(String) } } },
    });
  });

  it.each([
    ["a type that Avito does not take", "image/webp", "a.webp", undefined],
    ["a file that is no picture", "image/png", "a.png", Buffer.from("not a picture")],
    [
      "a picture of too many pixels",
      "image/png",
      "a.png",
      Buffer.from("89504e470d0a1a0a0000000d49484452000075300000753008060000000000000000", "hex"),
    ],
  ])("as %s goes as a link, and the agent is told", async (_, mediaType, name, bytes) => {
    const all = await talking();
    put(all, mediaType, name, bytes);
    const { parts, losses } = await all.send(picture);
    expect(parts).toMatchObject([{ holds: "text" }]);
    expect(losses).toEqual([{ code: "file-as-link", about: name }]);
    expect(all.sent().map(({ content }) => content.text)).toEqual([`${name}: https://gateway.example/f1`]);
  });

  it("as a picture that went as a link says so, too, where its webhook settled it", async () => {
    const all = await talking();
    put(all, "image/webp", "a.webp");
    all.emulator.faults.plan({ operation: "postSendMessage", status: 502, body: "html", when: "after" });
    const named = { ...picture, files: [{ ...FILE, name: "a.webp" }] };
    await expect(all.send(named, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const found = await all.session.lookup?.(all.step(named), { ...all.target("doubt"), since: 0 }, fresh());
    expect(found).toMatchObject({
      found: "arrived",
      parts: [{ holds: "text" }],
      losses: [{ code: "file-as-link", about: "a.webp" }],
    });
  });

  it("is not sent again once its webhook has come, although its answer was lost", async () => {
    const { emulator, send, sent } = await talking();
    emulator.faults.plan({ operation: "postSendMessage", drop: "after", times: 1, status: 500, when: "after" });
    await expect(send({}, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const { parts } = await send({}, "doubt");
    expect(sent().map(({ id }) => id)).toEqual([parts[0].messengerMessageId]);
  });

  it("that says nothing, or whose file is nowhere, is refused without a call", async () => {
    const { send, calls } = await talking();
    const refused = { verdict: { type: "reject", code: "general" } };
    await expect(send({ text: "" })).rejects.toMatchObject(refused);
    await expect(
      send({ kind: "image", text: "", files: [{ file: { at: "web", url: "https://a.example/a.png" } }] }),
    ).rejects.toMatchObject(refused);
    await expect(send(picture)).rejects.toMatchObject(refused);
    expect(calls("postSendMessage")).toEqual([]);
  });

  it("cannot be edited: the relay deletes it and sends it anew", async () => {
    const { session, chat } = await talking();
    await expect(session.revisions?.edit({} as never, chat.id as never, fresh())).rejects.toMatchObject({
      hindrance: { code: "fixed" },
    });
  });
});

describe("a deletion", () => {
  const target = ({ chat, sent }: Talking) => ({
    chat: chat.id as never,
    messengerMessageId: (sent()[0]?.id ?? "") as never,
  });

  it("within the hour takes the message back, and its webhook tells the CRM nothing that it knows", async () => {
    const all = await talking();
    await all.send();
    expect(await all.after(async () => all.session.revisions?.delete(target(all), fresh()))).toEqual([]);
    expect(all.sent()).toMatchObject([{ type: "deleted" }]);
    // Twice is once.
    await all.session.revisions?.delete(target(all), fresh());
  });

  it("after the hour is refused, with the reason; then staff may still delete it", async () => {
    const all = await talking();
    await all.send();
    all.later(HOUR + 1_000);
    await expect(all.session.revisions?.delete(target(all), fresh())).rejects.toMatchObject({
      verdict: { type: "reject", code: "general" },
      hindrance: { code: "too-old", about: "1" },
    });
    const [message] = all.sent();
    const events = await all.after(async () => message && all.emulator.customers.staffDeletes(all.chat, message));
    expect(events).toMatchObject([{ type: "deleted", messengerMessageId: message?.id }]);
  });

  it.each([429, 503, 403])(
    "that was refused with %i is not called too late, and staff may still delete it",
    async (status) => {
      const all = await talking();
      await all.send();
      all.emulator.faults.plan({ operation: "deleteMessage", status, times: 2 });
      const error = await all.session.revisions?.delete(target(all), fresh()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ verdict: { type: status === 403 ? "reject" : "retry" } });
      expect(error).not.toMatchObject({ hindrance: expect.anything() });
      all.emulator.faults.clear();
      const [message] = all.sent();
      const events = await all.after(async () => message && all.emulator.customers.staffDeletes(all.chat, message));
      expect(events).toMatchObject([{ type: "deleted" }]);
    },
  );

  it("of a message that Avito does not have counts as done", async () => {
    const { session, chat } = await talking();
    await session.revisions?.delete({ chat: chat.id as never, messengerMessageId: "gone" as never }, fresh());
  });
});

it("a read mark marks the whole chat", async () => {
  const { session, chat, emulator, calls } = await talking();
  await emulator.customers.says(chat, { text: "one" });
  const { id } = await emulator.customers.says(chat, { text: "two" });
  await session.readMarks?.read({ chat: chat.id as never, messengerMessageId: id as never }, fresh());
  await session.readMarks?.delivered({ chat: chat.id as never, messengerMessageId: id as never }, fresh());
  expect(chat.messages.map(({ readAt }) => readAt !== undefined)).toEqual([true, true]);
  expect(calls("chatRead")).toHaveLength(1);
});
