import type { GatewayFileId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { Content, Suggestion } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { staged } from "../unit/stage.ts";

const ROBIN = "15550100042";
const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(" ");

interface Shown {
  type: string;
  image?: { caption?: string };
  document?: { caption?: string };
  text?: { body: string };
  interactive?: { body: { text: string }; action: { buttons?: { reply: { title: string } }[] } };
}

/** What the customer sees of a picture with this note; Meta refuses nothing of it. */
async function shown(content: Partial<Content>, suggestions: Suggestion[] = [], mediaType = "image/png") {
  const { send, chats, network, atGateway, core } = await staged();
  network.switches.set({ pairMs: 0 });
  atGateway.set("f1", () => ({ body: streamOf(PICTURE), mediaType, name: "rope.png", size: PICTURE.length }));
  const files = [{ file: { at: "gateway" as const, id: "f1" as GatewayFileId } }];
  const sent = await send(ROBIN, { type: "image", files, ...content } as Content, { suggestions });
  await network.idle();
  const refused = core.journal.entries().filter(({ kind, status }) => kind === "call" && status >= 400);
  expect(refused.map(({ answer }) => answer)).toEqual([]);
  const messages = chats.robin.messages.filter(({ from }) => from === "business");
  return {
    contents: messages.map((each) => each.content as unknown as Shown),
    parts: sent.flatMap(({ parts }) => parts),
    losses: sent.flatMap(({ losses = [] }) => losses),
  };
}
const captionOf = ({ image, document, interactive, text }: Shown) =>
  image?.caption ?? document?.caption ?? interactive?.body.text ?? text?.body ?? "";

describe("a note that is longer than a caption", () => {
  it("follows its picture as a text, whole", async () => {
    const note = words(300);
    const { contents, parts, losses } = await shown({ note });
    expect(contents.map(({ type }) => type)).toEqual(["image", "text"]);
    expect(contents.map(captionOf)).toEqual(["", note]);
    expect(parts.map(({ holds }) => holds)).toEqual(["media", "text"]);
    expect(losses).toEqual([]);
  });

  it("and than a text goes on in further texts", async () => {
    const note = words(1_000);
    const { contents } = await shown({ note });
    expect(contents.map(({ type }) => type)).toEqual(["image", "text", "text"]);
    expect(contents.slice(1).map(captionOf).join(" ")).toBe(note);
  });

  it.each([
    ["beside ten choices", Array.from({ length: 10 }, (_, n): Suggestion => ({ type: "text", title: `Colour ${n}` }))],
    [
      "beside a link and choices",
      [
        { type: "text", title: "Yes" },
        { type: "url", title: "Shop", payload: `https://shop.example/${"a".repeat(200)}` },
      ] satisfies Suggestion[],
    ],
  ])("%s: no choice is lost, and no caption is too long", async (_, suggestions) => {
    // It fits alone, and not with its lines.
    const note = "n".repeat(1_000);
    const { contents, losses } = await shown({ note }, suggestions);
    expect(losses).toEqual([]);
    for (const { image, interactive } of contents)
      expect((image?.caption ?? interactive?.body.text ?? "").length).toBeLessThanOrEqual(1_024);
    const all = JSON.stringify(contents);
    for (const said of [note, ...suggestions.map(({ title }) => title)]) expect(all).toContain(said);
  });
});

describe("the words of a file", () => {
  it("are its own caption, too", async () => {
    const files = [{ file: { at: "gateway" as const, id: "f1" as GatewayFileId }, caption: "a rope" }];
    expect((await shown({ files } as Content)).contents.map(captionOf)).toEqual(["a rope"]);
    expect((await shown({ files, note: "Look" } as Content)).contents.map(captionOf)).toEqual(["Look\na rope"]);
  });

  it("follow it whole where they are longer than a caption", async () => {
    const caption = words(300);
    const files = [{ file: { at: "gateway" as const, id: "f1" as GatewayFileId }, caption }];
    const { contents, losses } = await shown({ type: "file", files } as Content, [], "application/pdf");
    expect(contents.map(({ type }) => type)).toEqual(["document", "text"]);
    expect(contents.map(captionOf)).toEqual(["", caption]);
    expect(losses).toEqual([]);
  });

  it("make a document of a small WebP picture, since a sticker has none", async () => {
    const { contents, losses } = await shown({ note: "Look" }, [], "image/webp");
    expect(contents).toMatchObject([{ type: "document", document: { caption: "Look" } }]);
    expect(losses).toEqual([{ code: "picture-as-file", about: "rope.png" }]);
    expect((await shown({}, [], "image/webp")).contents).toMatchObject([{ type: "sticker" }]);
  });
});

describe("a button under a picture", () => {
  const key = (title: string): Suggestion => ({ type: "text", title });

  it.each([
    [["A title of more than twenty characters"], ["A title of more tha…"]],
    [
      ["yes", "😀😀😀😀😀😀😀😀😀😀😀"],
      ["yes", "😀😀😀😀😀😀😀😀😀…"],
    ],
  ])("whose title is too long is cut, since a list stands under no picture: %j", async (titles, cut) => {
    const { contents } = await shown({ note: "ahoy" }, titles.map(key));
    const buttons = contents.flatMap(({ interactive }) => interactive?.action.buttons ?? []);
    expect(buttons.map(({ reply }) => reply.title)).toEqual(cut);
  });

  it("that would look like another becomes a line, and so does the other", async () => {
    const { contents } = await shown(
      { note: "ahoy" },
      ["a rope of ten metres, red", "a rope of ten metres, blue"].map(key),
    );
    expect(contents.map(captionOf)).toEqual(["ahoy\n– a rope of ten metres, red\n– a rope of ten metres, blue"]);
  });
});
