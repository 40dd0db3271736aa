import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import type { Content, FilePart } from "gangway-messenger/message";
import type { Capabilities, SendStep, SentPart } from "gangway-messenger/plan";
import { planEdit, planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import { TINY } from "../../../test/support/capabilities.ts";

const own = { ownCaptions: true } as const;
const picture = (n: number, caption?: string, size = 50): FilePart => ({
  file: { at: "gateway", id: `${n}` as GatewayFileId },
  name: `${n}.jpg`,
  size,
  ...(caption !== undefined && { caption }),
});
const images = (files: FilePart[], note?: string): Content => ({ type: "image", files, ...(note && { note }) });
const steps = (content: Content, more: Partial<Capabilities> = {}) => {
  return planMessage({ content, suggestions: [] }, { ...TINY, ...more }).steps as SendStep[];
};
const shape = ({ kind, text, files, links }: SendStep) => [
  kind,
  text,
  [...files, ...links].map((each) => each.caption),
];

describe("the caption of a single file", () => {
  it("stands under its file where the messenger has one for each, and the note under the first", () => {
    expect(steps(images([picture(1, "bow"), picture(2, "stern")]), own).map(shape)).toEqual([
      ["image", "", ["bow", "stern"]],
    ]);
    expect(steps(images([picture(1), picture(2, "stern")], "a boat"), own).map(shape)).toEqual([
      ["image", "a boat", [undefined, "stern"]],
    ]);
  });

  it("is held to the room of its own kind, when it is planned and when it is edited", () => {
    const room = { ...own, image: { ...TINY.image, caption: 3 } };
    expect(steps(images([picture(1, "bow"), picture(2, "stern")]), room).map(shape)).toEqual([
      ["image", "", [undefined, undefined]],
      ["text", "bow\nstern", []],
    ]);
    const part = { messengerMessageId: "m1" as MessengerMessageId, holds: "caption" } as SentPart;
    const act = { type: "edited" as const, chat: "c" as ChatId, messengerMessageId: part.messengerMessageId };
    const longer = { ...act, content: images([picture(1)], "bow stern"), suggestions: [] };
    const { steps: edits } = planEdit(longer, [part], { ...TINY, ...room });
    expect(edits.map((step) => "text" in step && step.text)).toEqual(["bow", "stern"]);
    const product = { id: 1, name: "Anchor", image: "https://shop.example/a.png" };
    expect(steps({ type: "product", product }, { ...room, webPictures: true }).map(({ text }) => text)).toEqual([
      "",
      "Anchor",
    ]);
  });

  it("follows the note where the note has taken its place", () => {
    expect(steps(images([picture(1, "bow"), picture(2, "stern")], "boat"), own).map(shape)).toEqual([
      ["image", "boat\nbow", [undefined, "stern"]],
    ]);
  });

  it("that is too long for its place is in the text that follows, whole, and takes no other's place", () => {
    const long = "the stern of a boat";
    expect(steps(images([picture(1, "bow"), picture(2, long)]), own).map(shape)).toEqual([
      ["image", "", [undefined, undefined]],
      ["text", `bow\n${long}`, []],
    ]);
  });

  it("is the message's own where the messenger has one caption for all", () => {
    expect(steps(images([picture(1, "bow")])).map(shape)).toEqual([["image", "bow", [undefined]]]);
    expect(steps(images([picture(1, "bow"), picture(2, "stern")], "ship")).map(shape)).toEqual([
      ["image", "", [undefined, undefined]],
      ["text", "ship\nbow\nstern", []],
    ]);
  });

  it("that is longer than a text goes on in further texts, and no word is lost", () => {
    const long = "one two three four five six seven eight nine ten eleven twelve";
    const [file, ...texts] = steps(images([picture(1, long)]));
    expect(file).toMatchObject({ kind: "image", text: "" });
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.map(({ text }) => text).join(" ")).toBe(long);
  });

  it("names the link of a file that is too large, unless it is too long for that", () => {
    expect(steps(images([picture(1, "bow", 999)], "boat")).map(shape)).toEqual([
      ["text", "", ["bow"]],
      ["text", "boat", []],
    ]);
    const long = "b".repeat(201);
    const [link, ...texts] = steps(images([picture(1, long, 999)]), { text: 5_000 });
    expect(link && shape(link)).toEqual(["text", "", [undefined]]);
    expect(texts.map(({ text }) => text)).toEqual([long]);
  });

  it("that says what the note or the file's name says is not said again", () => {
    expect(steps(images([picture(1, "boat")], "boat")).map(shape)).toEqual([["image", "boat", [undefined]]]);
    for (const more of [{}, own]) {
      expect(steps(images([picture(1, "1.jpg")], "boat"), more).map(shape)).toEqual([["image", "boat", [undefined]]]);
      const { name: _, ...unnamed } = picture(1, "The rope.PNG");
      const [step] = steps(images([unnamed]), more);
      expect([step?.text, step?.files]).toMatchObject(["", [{ name: "The rope.PNG" }]]);
    }
    expect(steps(images([picture(1, "a.com")]))[0]?.text).toBe("a.com");
  });

  it("stays in the words after an edit of the note", () => {
    const part: SentPart = { messengerMessageId: "1" as MessengerMessageId, holds: "caption" };
    const content = images([picture(1, "bow")], "ship");
    const act = { type: "edited" as const, chat: "c" as ChatId, messengerMessageId: part.messengerMessageId, content };
    const plan = planEdit({ ...act, suggestions: [] }, [part], { ...TINY, ...own });
    expect(plan.steps).toMatchObject([{ do: "edit", part, text: "ship\nbow" }]);
  });
});
