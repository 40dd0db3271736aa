import type { MessengerMessageId } from "gangway-messenger/ids";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { Suggestion } from "gangway-messenger/message";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import vk from "../../../src/index.ts";
import { asLines } from "../../../src/sending/keyboard.ts";
import { fresh, talking } from "../../talking.ts";

describe("an answer on VK", () => {
  it("goes by peer_ids, whose answer has the number in the chat; a quote goes as forward", async () => {
    const { send, calls, idOf, sent, peer } = await talking();
    const quote = { messengerMessageId: idOf(1), text: "hello" };
    expect(await send({ quote })).toEqual({ parts: [{ messengerMessageId: idOf(2), holds: "text" }] });
    const [call] = calls("messages.send");
    expect(call?.request).toMatchObject({
      peer_ids: [Number(peer)],
      forward: `{"peer_id":${peer},"conversation_message_ids":[1],"is_reply":true}`,
    });
    expect(sent()[0]?.reply).toBe(1);
  });

  it("goes without its quote when VK no longer has what is quoted", async () => {
    const { send, sent, idOf } = await talking();
    await send({ quote: { messengerMessageId: idOf(99) } }, "a");
    await send({ quote: { messengerMessageId: "of another messenger" as MessengerMessageId } }, "b");
    expect(sent().map(({ reply, text }) => [reply, text])).toEqual([
      [undefined, "hello"],
      [undefined, "hello"],
    ]);
  });

  it("has ten pictures in one message, each by an address of this community's own", async () => {
    const { send, sent, file, calls } = await talking();
    const files = Array.from({ length: 10 }, (_, n) => file(`f${n}`, PICTURE, "image/png", `rope ${n}.png`));
    expect(await send({ kind: "image", text: "ropes", files })).toMatchObject({ parts: [{ holds: "caption" }] });
    expect(sent().map(({ text, attachments }) => [text, attachments.map(({ type }) => type)])).toEqual([
      ["ropes", Array(10).fill("photo")],
    ]);
    expect(calls("photos.getMessagesUploadServer")).toHaveLength(10);
  });

  it.each([
    ["a picture that is none", "image", "%PDF-1.4", "image/png", "offer.png", ["doc"], "picture-as-file"],
    ["a document that VK does not take", "file", "MZ", "application/x-msdownload", "setup.exe", [], "file-as-link"],
    ["a voice message that is none", "audio", "ID3", "audio/ogg", "voice.ogg", ["doc"], undefined],
    ["music", "audio", "ID3", "audio/mpeg", "song.mp3", [], "file-as-link"],
    ["a voice message", "audio", "OggS OpusHead", "audio/ogg", "voice.ogg", ["audio_message"], undefined],
    ["an empty document", "file", "", "text/plain", "a.txt", [], "file-as-link"],
  ] as const)("shows %s as far as it can", async (_, kind, bytes, mediaType, name, types, loss) => {
    const { send, sent, file } = await talking();
    const { losses } = await send({ kind, text: "", files: [file("f", bytes, mediaType, name)] });
    const [message] = sent();
    expect(message?.attachments.map(({ type }) => type)).toEqual(types);
    expect(message?.text).toBe(types.length > 0 ? "" : `${name}: https://gateway.example/f`);
    expect(losses).toEqual(loss && [{ code: loss, about: name }]);
  });

  it("sends files as links where the key lacks their right", async () => {
    const { send, sent, file, emulator } = await talking();
    emulator.core.world.tokens[0]?.rights.delete("docs");
    emulator.core.world.tokens[0]?.rights.delete("photos");
    const refused = await send({ kind: "image", text: "look", files: [file("f", PICTURE, "image/png", "rope.png")] });
    expect(sent()[0]?.text).toBe("look\nrope.png: https://gateway.example/f");
    expect(refused.losses).toEqual([{ code: "file-as-link", about: "rope.png" }]);
  });

  it("tells the agent of a customer who cannot be written to before a file is fetched", async () => {
    const { send, emulator, file } = await talking();
    emulator.core.faults.plan({ operation: "photos.getMessagesUploadServer", code: 901 });
    const files = [file("f", PICTURE, "image/png", "rope.png")];
    await expect(send({ kind: "image", text: "", files })).rejects.toMatchObject({
      verdict: { code: "access_restricted" },
    });
  });

  it.each([{ drop: "before" as const }, { status: 502, body: "html" as const }, { body: "garbage" as const }])(
    "tries an upload again that failed (%o)",
    async (fault) => {
      const { send, sent, emulator, file } = await talking();
      emulator.core.faults.plan({ operation: "docUpload", ...fault });
      const files = [file("f", "terms", "text/plain", "terms.txt")];
      await expect(send({ kind: "file", text: "", files })).rejects.toMatchObject({ verdict: { type: "retry" } });
      await send({ kind: "file", text: "", files });
      expect(sent().map(({ attachments }) => attachments.length)).toEqual([1]);
    },
  );

  it("has a product's picture, which it fetches, or its address", async () => {
    const { send, sent, emulator, settings } = await talking();
    const { core } = emulator;
    const stored = core.shelf.add({ name: "rope.png", mediaType: "image/png", bytes: PICTURE });
    const steps = (image: string) => {
      const content = { type: "product" as const, product: { id: 1, name: "Rope", image } };
      return planMessage({ content, suggestions: [] }, vk.capabilities(vk.settings.parse(settings))).steps;
    };
    for (const [n, step] of [
      ...steps(`${core.origin()}/file/${stored.id}/rope.png`),
      ...steps(`${core.origin()}/file/9/x.png`),
    ].entries())
      if (step.do === "send") await send(step, `k${n}`);
    expect(sent().map(({ text, attachments }) => [text, attachments.map(({ type }) => type)])).toEqual([
      ["Rope", ["photo"]],
      [`Rope\n${core.origin()}/file/9/x.png`, []],
    ]);
  });

  it.each([
    ["does not answer", { type: "failure", sent: "perhaps", reason: "timeout", detail: "" }],
    ["cannot be reached", { type: "failure", sent: "no", reason: "refused", detail: "" }],
    ["fails", { type: "answer", status: 500, headers: {}, bytes: new Uint8Array() }],
  ] as const)("has a product's address where the picture's site %s", async (_, answer) => {
    const { step, target, sent, context } = await talking();
    const { call } = context;
    const limits: number[] = [];
    const failing: typeof call = async (request) => {
      if (!request.url.startsWith("https://shop.example/")) return call(request);
      limits.push(request.timeoutMs);
      return answer;
    };
    Object.assign(context, { call: failing });
    const files = [{ file: { at: "web" as const, url: "https://shop.example/rope.png" } }];
    await vk.open(context).send(step({ kind: "image", text: "Rope", files }), target("k"), fresh());
    expect(sent().map(({ text }) => text)).toEqual(["Rope\nhttps://shop.example/rope.png"]);
    expect(limits).toEqual([20_000]);
  });
});

describe("suggestions on VK", () => {
  const text = (title: string): Suggestion => ({ type: "text", title });
  it("are buttons below the message, links among them", async () => {
    const { send, sent } = await talking();
    const suggestions: Suggestion[] = [text("Yes"), { type: "url", title: "Open", payload: "https://shop.example/" }];
    await send({ suggestions });
    expect(sent()[0]?.keyboard).toEqual({
      inline: true,
      buttons: [
        [{ action: { type: "text", label: "Yes" } }],
        [{ action: { type: "open_link", label: "Open", link: "https://shop.example/" } }],
      ],
    });
  });

  it("of which there are ten fit into six rows", async () => {
    const { send, sent } = await talking();
    await send({ suggestions: Array.from({ length: 10 }, (_, n) => text(`button ${n}`)) });
    expect(sent()[0]?.keyboard?.buttons.map((row) => row.length)).toEqual([2, 2, 2, 2, 2]);
  });

  it("become lines when they do not fit: long titles, an eleventh, no address", () => {
    const many = Array.from({ length: 11 }, (_, n) => text(`${n}`));
    expect(asLines(many, "hello", false)).toEqual(many.slice(10));
    expect(asLines([text("x".repeat(41))], "hello", false)).toHaveLength(1);
    expect(asLines([{ type: "url", title: "x", payload: "javascript:1" }], "hello", false)).toHaveLength(1);
  });
});

describe("a change of a message on VK", () => {
  it("keeps what hangs on it, its quote and its buttons", async () => {
    const { send, session, sent, file, idOf, peer } = await talking();
    const quote = { messengerMessageId: idOf(1) };
    const { parts } = await send({
      kind: "file",
      text: "terms",
      files: [file("f", "x", "text/plain", "a.txt")],
      quote,
    });
    const suggestions: Suggestion[] = [{ type: "text", title: "Yes" }];
    await session.revisions?.edit(
      { do: "edit", part: parts[0], text: "mended", marks: [], suggestions },
      peer,
      fresh(),
    );
    expect(sent()).toMatchObject([
      { text: "mended", attachments: [{ type: "doc" }], reply: 1, keyboard: { inline: true } },
    ]);
  });

  it("is refused after a day in words that name it, and one of a message that is gone", async () => {
    const { send, session, later, peer, idOf } = await talking();
    const { parts } = await send();
    const edit = (part = parts[0]) =>
      session.revisions?.edit({ do: "edit", part, text: "mended", marks: [], suggestions: [] }, peer, fresh());
    const gone = { messengerMessageId: idOf(77), holds: "text" as const };
    await expect(edit(gone)).rejects.toMatchObject({ hindrance: { code: "gone" } });
    later(86_400_000);
    await expect(edit()).rejects.toMatchObject({ hindrance: { code: "too-old", about: "24" } });
    const ref = { chat: peer, messengerMessageId: parts[0].messengerMessageId };
    await expect(session.revisions?.delete(ref, fresh())).rejects.toMatchObject({ hindrance: { code: "too-old" } });
  });

  it("counts what is gone as deleted, and sends a message anew whose file nobody knows any more", async () => {
    const { send, session, peer, idOf, file, context } = await talking();
    await session.revisions?.delete({ chat: peer, messengerMessageId: idOf(77) }, fresh());
    const { parts } = await send({ kind: "file", text: "terms", files: [file("f", "x", "text/plain", "a.txt")] });
    await context.notes.set([{ key: `attached:${parts[0].messengerMessageId}`, value: "" }]);
    const edit = { do: "edit" as const, part: parts[0], text: "mended", marks: [], suggestions: [] };
    await expect(session.revisions?.edit(edit, peer, fresh())).rejects.toMatchObject({ hindrance: { code: "fixed" } });
  });

  it.each([
    ["by number", (response: number) => ({ "2": response })],
    ["as a list", (response: number) => [{ peer_id: 1, conversation_message_id: 2, response }]],
    ["as one number", (response: number) => response],
  ])("reads whether a message is deleted, %s", async (_, form) => {
    const { context, peer, idOf } = await talking();
    const erase = (response: unknown) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ response }));
      Object.assign(context, { call: async () => ({ type: "answer", status: 200, headers: {}, bytes }) });
      return vk.open(context).revisions?.delete({ chat: peer, messengerMessageId: idOf(2) }, fresh());
    };
    await erase(form(1));
    await expect(erase(form(0))).rejects.toThrow("VK has not deleted the message");
  });

  it("has a reaction by its number, and refuses one that VK does not have", async () => {
    const { session, chat, peer, idOf } = await talking();
    const at = { chat: peer, messengerMessageId: idOf(1) };
    await session.reactions?.set(at, "❤", fresh());
    expect(chat.messages[0]?.reactions.community).toBe(1);
    await session.reactions?.set(at, null, fresh());
    expect(chat.messages[0]?.reactions.community).toBeUndefined();
    await expect(session.reactions?.set(at, "🦄", fresh())).rejects.toThrow("VK has no such reaction");
  });

  it("may have other emoji, as the operator says", async () => {
    const { context, peer, idOf, chat } = await talking();
    Object.assign(context, { server: { ...context.server, VK_REACTIONS: "40=🦄,1=💖" } });
    const own = vk.open(context);
    const at = { chat: peer, messengerMessageId: idOf(1) };
    await own.reactions?.set(at, "🦄", fresh());
    expect(chat.messages[0]?.reactions.community).toBe(40);
    await own.reactions?.set(at, "💖", fresh());
    expect(chat.messages[0]?.reactions.community).toBe(1);
    // What agents may choose from goes on.
    await own.reactions?.set(at, "🔥", fresh());
    await own.reactions?.set(at, "❤️", fresh());
    expect(chat.messages[0]?.reactions.community).toBe(1);
  });
});
