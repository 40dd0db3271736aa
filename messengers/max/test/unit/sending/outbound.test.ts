import { PICTURE } from "gangway-messenger/kit/sending";
import type { FilePart, Suggestion } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { chatOfUser } from "../../../src/wire.ts";
import { fresh, talking } from "../talking.ts";

const at = (id = "f1"): FilePart => ({ file: { at: "gateway", id: id as never } });
const web = (url: string): FilePart => ({ file: { at: "web", url } });

describe("a file that is not ready", () => {
  it("is waited for 1, 2 and 4 seconds, then tried again as anything else, with one upload and one message in the end", async () => {
    const { emulator, send, sent, calls, has, waits } = await talking();
    emulator.switches.set({ notReady: 5 });
    has("bill.pdf", "%PDF-1.4", "application/pdf");
    const file = { kind: "file" as const, files: [at()], text: "the bill" };
    const error = await send(file).catch((thrown: unknown) => thrown as { verdict: object });
    expect("verdict" in error && error.verdict).toEqual({ type: "retry" });
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    await send(file);
    expect(waits).toEqual([1_000, 2_000, 4_000, 1_000]);
    expect(sent()).toMatchObject([{ text: "the bill", attachments: [{ type: "file", filename: "bill.pdf" }] }]);
    expect(calls("upload")).toHaveLength(1);
  });

  it("is no longer waited for once the attempt ends", async () => {
    const { emulator, session, step, target, calls, has, waits } = await talking();
    emulator.switches.set({ notReady: 5 });
    has("bill.pdf", "%PDF-1.4", "application/pdf");
    const stop = new AbortController();
    waits.push = () => {
      stop.abort();
      return 0;
    };
    const file = step({ kind: "file", files: [at()], text: "" });
    await expect(session.send(file, target("k"), stop.signal)).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(calls("sendMessage")).toHaveLength(1);
  });

  it("is not uploaded again for a message that MAX refuses for now", async () => {
    const { emulator, send, calls, has } = await talking();
    has("bill.pdf", "%PDF-1.4", "application/pdf");
    emulator.plans.plan({ operation: "sendMessage", status: 429, body: "contract" });
    const file = { kind: "file" as const, files: [at()], text: "" };
    await expect(send(file)).rejects.toMatchObject({ verdict: { type: "retry", afterMs: 1_000 } });
    await send(file);
    expect(calls("upload")).toHaveLength(1);
  });

  it("is uploaded anew for another message", async () => {
    const { emulator, send, calls, has } = await talking();
    emulator.switches.set({ notReady: 4 });
    has("bill.pdf", "%PDF-1.4", "application/pdf");
    const file = { kind: "file" as const, files: [at()], text: "" };
    for (const key of ["one", "two"])
      await expect(send(file, key)).rejects.toMatchObject({ verdict: { type: "retry" } });
    await send(file, "two");
    await send(file, "one");
    expect(calls("upload")).toHaveLength(2);
  });
});

describe("an agent's files", () => {
  it("go as pictures, videos, voice messages and plain files, each as what it is", async () => {
    const { send, sent, has } = await talking();
    const cases = [
      ["image", "a.png", PICTURE, "image/png", "image"],
      ["file", "a.mp4", "0000ftypisom", "video/mp4", "video"],
      ["audio", "a.ogg", "OggS", "audio/ogg", "audio"],
      ["file", "a.pdf", "%PDF-1.4", "application/pdf", "file"],
      ["file", "a.mov", "0000ftypqt  ", "", "video"],
      ["audio", "a.txt", "words", "text/plain", "file"],
    ] as const;
    for (const [n, [kind, name, bytes, mediaType]] of cases.entries()) {
      has(name, bytes, mediaType);
      await send({ kind, files: [at()], text: "" }, `k${n}`);
    }
    expect(sent().map(({ attachments: [first] }) => first?.type)).toEqual(cases.map(([, , , , type]) => type));
  });

  it("several pictures are one message with the words and the buttons", async () => {
    const { send, sent, has } = await talking();
    for (const id of ["a", "b", "c"]) has(`${id}.png`, PICTURE, "image/png", id);
    const suggestions: Suggestion[] = [{ type: "text", title: "Yes" }];
    await send({ kind: "image", files: ["a", "b", "c"].map(at), text: "which?", suggestions });
    expect(sent()).toHaveLength(1);
    expect(sent()[0]?.attachments.map(({ type }) => type)).toEqual(["image", "image", "image", "inline_keyboard"]);
  });

  it("a picture that is none goes as a file, and the agent is told", async () => {
    const { send, sent, has } = await talking();
    for (const [n, mediaType] of ["image/svg+xml", "image/png"].entries()) {
      has("a.png", "<svg/>", mediaType);
      const { losses } = await send({ kind: "image", files: [at()], text: "" }, `k${n}`);
      expect(losses).toEqual([{ code: "picture-as-file", about: "a.png" }]);
    }
    expect(sent().map(({ attachments: [first] }) => first?.type)).toEqual(["file", "file"]);
  });

  it.each([400, 413, 415])(
    "a picture whose upload is refused with %i goes as a file, and a file is refused in words",
    async (status) => {
      const { emulator, send, sent, has } = await talking();
      has("a.png", PICTURE, "image/png");
      emulator.plans.plan({ operation: "upload", status, body: "html" });
      const { losses } = await send({ kind: "image", files: [at()], text: "" }, "a");
      expect(losses).toEqual([{ code: "picture-as-file", about: "a.png" }]);
      for (const kind of ["file", "audio"] as const) {
        emulator.plans.plan({ operation: "upload", status, body: "html", times: kind === "audio" ? 2 : 1 });
        has("a.ogg", "OggS", "audio/ogg");
        await expect(send({ kind, files: [at()], text: "" }, kind)).rejects.toMatchObject({
          verdict: { type: "reject", code: "general" },
          message: "MAX does not take this file",
        });
      }
      expect(sent().map(({ attachments: [first] }) => first?.type)).toEqual(["file"]);
    },
  );

  it("a picture that is none, beside others, goes as its address", async () => {
    const { send, sent, has } = await talking();
    has("a.png", PICTURE, "image/png", "a");
    has("b.svg", "<svg/>", "image/svg+xml", "b");
    const { losses } = await send({ kind: "image", files: [at("a"), at("b")], text: "both" });
    expect(losses).toEqual([{ code: "file-as-link", about: "b.svg" }]);
    expect(sent()[0]).toMatchObject({
      text: "both\nb.svg: https://gateway.example/b",
      attachments: [{ type: "image" }],
    });
  });

  it("a picture of the web that MAX cannot fetch goes as its address", async () => {
    const { send, sent } = await talking();
    await send({ kind: "image", files: [web("https://shop.example/rope.png")], text: "Rope" }, "a");
    await send({ kind: "image", files: [web("https://shop.invalid/rope.png")], text: "Rope" }, "b");
    expect(sent()).toMatchObject([
      { text: "Rope", attachments: [{ type: "image", payload: { url: "https://shop.example/rope.png" } }] },
      { text: "Rope\nhttps://shop.invalid/rope.png", attachments: [] },
    ]);
  });

  it("a voice message stands alone: its buttons are lost, and the agent is told", async () => {
    const { send, sent, has } = await talking();
    has("a.ogg", "OggS", "audio/ogg");
    const suggestions: Suggestion[] = [{ type: "text", title: "Yes" }];
    const { losses } = await send({ kind: "audio", files: [at()], text: "", suggestions });
    expect(losses).toEqual([{ code: "buttons", about: "Yes" }]);
    expect(sent()[0]?.attachments.map(({ type }) => type)).toEqual(["audio"]);
  });
});

describe("an agent's words", () => {
  it("with formatting go as HTML, and plain where that is longer than MAX takes", async () => {
    const { send, sent, calls } = await talking();
    const link = { type: "link" as const, offset: 0, length: 4, url: "https://shop.example/" };
    await send({ text: "shop & co", marks: [link] }, "a");
    await send({ text: `shop${"&".repeat(900)}`, marks: [link] }, "b");
    expect(sent()).toMatchObject([
      { text: "shop & co", markup: [{ type: "link", from: 0, length: 4, url: "https://shop.example/" }] },
      { text: `shop (https://shop.example/)${"&".repeat(900)}`, markup: [] },
    ]);
    expect(calls("sendMessage").map(({ request }) => (request as { format?: string }).format)).toEqual([
      "html",
      undefined,
    ]);
  });

  it("without formatting are shown as they are, whatever they look like", async () => {
    const { send, sent } = await talking();
    const words = "<b>5 * 3 * 2</b> &amp; [a](b) __x__";
    await send({ text: words });
    expect(sent()).toMatchObject([{ text: words, markup: [] }]);
  });

  it("go without the quote when MAX no longer has what is quoted, or never had it", async () => {
    const { send, sent, dialog, calls } = await talking();
    const quote = (id: string) => ({ quote: { messengerMessageId: id as never } });
    await send(quote(dialog.messages[0]?.mid ?? ""), "a");
    await send(quote("mid.00000000000000000000000000000000"), "b");
    await send(quote("start:5:6"), "c");
    expect(sent().map(({ link }) => link?.message.text)).toEqual(["hello", undefined, undefined]);
    expect(calls("sendMessage")).toHaveLength(4);
  });

  it("go to the customer where MAX has told no dialog", async () => {
    const { session, step, sent, dialog, calls } = await talking();
    const chat = chatOfUser(String(dialog.person.id));
    await session.send(step(), { chat, key: "k" }, fresh());
    expect(sent()).toHaveLength(1);
    expect(calls("sendMessage")[0]?.query).toEqual({ user_id: String(dialog.person.id) });
  });

  it("are refused in words once the customer has stopped the bot", async () => {
    const { emulator, dialog, send } = await talking();
    await emulator.customers.stops(dialog);
    await expect(send()).rejects.toMatchObject({
      verdict: { type: "reject", code: "access_restricted" },
      message: `the customer has stopped the bot. MAX: Key: error.dialog.suspended, args: [${dialog.chatId}]. (a message)`,
    });
  });
});

describe("a change of an agent's message", () => {
  it("keeps the files of a caption, and the buttons that stay under a text", async () => {
    const { session, chat, send, sent, has } = await talking();
    has("a.png", PICTURE, "image/png");
    const suggestions: Suggestion[] = [{ type: "text", title: "Yes" }];
    const picture = await send({ kind: "image", files: [at()], text: "one", suggestions }, "a");
    const words = await send({ text: "two", suggestions }, "b");
    const edit = { do: "edit" as const, marks: [], suggestions: [] };
    await session.revisions?.edit({ ...edit, part: picture.parts[0], text: "mended" }, chat, fresh());
    await session.revisions?.edit({ ...edit, part: words.parts[0], text: "mended", suggestions }, chat, fresh());
    const kinds = () => sent().map(({ text, attachments }) => [text, ...attachments.map(({ type }) => type)]);
    expect(kinds()).toEqual([
      ["mended", "image", "inline_keyboard"],
      ["mended", "inline_keyboard"],
    ]);
    await session.revisions?.edit({ ...edit, part: words.parts[0], text: "bare" }, chat, fresh());
    expect(kinds()[1]).toEqual(["bare"]);
  });

  it("is refused with MAX's words after its time, and a deletion of what is gone counts as done", async () => {
    const { session, chat, send, later } = await talking();
    const { parts } = await send();
    const { messengerMessageId } = parts[0];
    later(25 * 3_600_000);
    const edit = { do: "edit" as const, part: parts[0], text: "late", marks: [], suggestions: [] };
    await expect(session.revisions?.edit(edit, chat, fresh())).rejects.toMatchObject({
      verdict: { type: "reject" },
      message: "MAX: Message is too old (an edit)",
    });
    await expect(session.revisions?.delete({ chat, messengerMessageId }, fresh())).rejects.toThrow("too old");
    await session.revisions?.delete({ chat, messengerMessageId: "mid.gone" as never }, fresh());
  });
});
