import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { lossNote } from "gangway-messenger/loss";
import type { Content, Suggestion } from "gangway-messenger/message";
import type { Capabilities, SendStep, SentPart } from "gangway-messenger/plan";
import { planEdit, planMessage, type ToSend } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import { TINY as capabilities } from "../../../test/support/capabilities.ts";
import { fc, tries } from "../../../test/support/property.ts";

const chat = "c" as ChatId;
const plan = (content: Content, more: Partial<ToSend> = {}, own: Partial<Capabilities> = {}) => {
  const message = { content, suggestions: [], ...more };
  const { steps, losses } = planMessage(message, { ...capabilities, ...own });
  return { steps: steps as SendStep[], losses };
};
const pictures = (count: number, size = 50) =>
  Array.from({ length: count }, (_, n) => ({
    file: { at: "gateway" as const, id: `${n}` as GatewayFileId },
    name: `${n}.jpg`,
    size,
  }));
const shape = ({ kind, files, text, links }: SendStep) => [kind, files.length, links.length, text];

describe("the plan of a message", () => {
  it("is one step if everything fits", () => {
    expect(plan({ type: "text", text: "hello" }).steps.map(shape)).toEqual([["text", 0, 0, "hello"]]);
    expect(plan({ type: "image", files: pictures(3), note: "three" }).steps.map(shape)).toEqual([
      ["image", 3, 0, "three"],
    ]);
  });

  it("sends the picture of a product before its card where files have no captions", () => {
    const product = { id: 1, name: "Rope", image: "https://shop.example/rope.png" };
    const { steps, losses } = plan({ type: "product", product }, {}, { caption: 0 });
    expect(steps.map(shape)).toEqual([
      ["image", 1, 0, ""],
      ["text", 0, 0, "Rope"],
    ]);
    expect(losses).toEqual([]);
  });

  it("has products and orders as they are, in its first step, for a messenger that takes them", () => {
    const product = { id: 1, name: "Rope", image: "https://shop.example/rope.png" };
    const order = { number: "7", items: [{ name: "Rope" }] };
    const items = { items: true as const };
    expect(plan({ type: "product", product }, {}, { ...items, caption: 0 }).steps.map(({ item }) => item)).toEqual([
      { product },
      undefined,
    ]);
    expect(plan({ type: "order", order }, {}, items).steps[0]?.item).toEqual({ order });
    expect(plan({ type: "text", text: "hello" }, {}, items).steps[0]?.item).toBeUndefined();
    expect(plan({ type: "order", order }).steps[0]?.item).toBeUndefined();
  });

  it("shows a product as the messenger's card, behind the agent's words, unless buttons have become lines of it", () => {
    const product = { id: 1, name: "Rope", image: "https://shop.example/rope.png" };
    const cards = { cards: { title: 4, subtitle: 0 }, text: 60 };
    const card = { title: "Rope", subtitle: "", picture: product.image };
    const { steps } = plan({ type: "product", product, text: "This one" }, {}, cards);
    expect(steps.map(({ text }) => text)).toEqual(["This one", "Rope"]);
    expect(steps.map((step) => step.card)).toEqual([undefined, card]);
    const asLines = (all: Suggestion[]) => all;
    const lined = plan(
      { type: "product", product },
      { suggestions: [{ type: "text", title: "Yes" }] },
      { ...cards, asLines },
    );
    expect([lined.steps.some((step) => step.card), lined.steps.at(-1)?.text]).toEqual([false, "Rope\nYes"]);
    const long = { ...product, image: `https://shop.example/${"r".repeat(40)}` };
    expect(plan({ type: "product", product: long }, {}, cards).steps.some((step) => step.card)).toBe(false);
  });

  it("counts a long text in the messenger's own unit", () => {
    const text = "ж".repeat(40);
    expect(plan({ type: "text", text }).steps).toHaveLength(1);
    expect(plan({ type: "text", text }, {}, { textUnit: "bytes" }).steps).toHaveLength(2);
  });

  it("turns suggestions that do not fit as buttons into lines of text", () => {
    const suggestions = ["one", "two", "three"].map((title) => ({ type: "text" as const, title }));
    const asLines: Capabilities["asLines"] = (all, text) => (text === "choose" ? all.slice(2) : all);
    const [step] = plan({ type: "text", text: "choose" }, { suggestions }, { asLines }).steps;
    expect(step?.text).toBe("choose\nthree");
    expect(step?.suggestions.map(({ title }) => title)).toEqual(["one", "two"]);
  });

  it("puts an eleventh picture into a second album, and the text under the first", () => {
    const { steps, losses } = plan({ type: "image", files: pictures(11), note: "all" });
    expect(steps.map(shape)).toEqual([
      ["image", 10, 0, "all"],
      ["image", 1, 0, ""],
    ]);
    expect(losses).toEqual([]);
  });

  it("sends text that is too long for a caption as messages of its own", () => {
    const note = "one two three four five six seven eight nine ten";
    const { steps } = plan({ type: "image", files: pictures(1), note });
    expect(steps.map(({ kind }) => kind)).toEqual(["image", "text", "text"]);
    expect(
      steps
        .slice(1)
        .map(({ text }) => text)
        .join(" "),
    ).toBe(note);
  });

  it("sends an oversized picture as a file, an oversized file as a link, and reports it", () => {
    const [first, second, third] = pictures(3);
    if (!first || !second || !third) throw new Error();
    const files = [first, { ...second, size: 150 }, { ...third, size: 999 }];
    const { steps, losses } = plan({ type: "image", files, note: "three" });
    expect(steps.map(shape)).toEqual([
      ["image", 1, 0, "three"],
      ["file", 1, 0, ""],
      ["text", 0, 1, ""],
    ]);
    expect(losses).toEqual([
      { code: "picture-as-file", about: "1.jpg" },
      { code: "file-as-link", about: "2.jpg" },
    ]);
    expect(lossNote(losses, "en")).toMatch(/2\.jpg is too large for the messenger and was sent as a link/);
    expect(lossNote([], "en")).toBeUndefined();
  });

  it("sends audio as a file if the messenger has no audio", () => {
    const own = { audio: { most: 0, size: 0 } };
    expect(plan({ type: "audio", files: pictures(1) }, {}, own).steps.map(({ kind }) => kind)).toEqual(["file"]);
  });

  it("quotes in the first step, and offers suggestions in the last", () => {
    const quote = { messengerMessageId: "q" as MessengerMessageId };
    const suggestions = [
      { type: "text" as const, title: "Yes" },
      { type: "phone" as const, title: "Call" },
    ];
    const { steps, losses } = plan(
      { type: "text", text: "one two three four five six seven eight nine ten" },
      { quote, suggestions },
    );
    expect(steps.map((step) => [step.quote, step.suggestions.length])).toEqual([
      [quote, 0],
      [undefined, 1],
    ]);
    expect(losses).toEqual([{ code: "buttons", about: "Call" }]);
  });

  it("puts the text and its buttons into a message of their own if an album cannot have buttons", () => {
    const suggestions = [{ type: "text" as const, title: "Yes" }];
    const worded = plan({ type: "image", files: pictures(2), note: "two" }, { suggestions });
    expect(worded.steps.map(shape)).toEqual([
      ["image", 2, 0, ""],
      ["text", 0, 0, "two"],
    ]);
    expect(worded.steps[1]?.suggestions).toEqual(suggestions);
    expect(plan({ type: "image", files: pictures(2) }, { suggestions }).losses).toEqual([
      { code: "buttons", about: "Yes" },
    ]);
  });

  describe("with URL buttons that cannot be combined with reply keys", () => {
    const exclusive: Partial<Capabilities> = { exclusive: ({ type }) => type === "url" };
    const shop = { type: "url" as const, title: "Shop", payload: "https://shop.example/" };
    const yes = { type: "text" as const, title: "Yes" };

    it("writes them as lines, or as buttons if they are alone", () => {
      const both = plan({ type: "text", text: "Well?" }, { suggestions: [shop, yes] }, exclusive);
      expect(both.steps).toMatchObject([{ text: "Well?\nShop: https://shop.example/", suggestions: [yes] }]);
      const alone = plan({ type: "text", text: "Well?" }, { suggestions: [shop] }, exclusive);
      expect(alone.steps).toMatchObject([{ text: "Well?", suggestions: [shop] }]);
    });

    it("sends one more message if the text fills the last", () => {
      const { steps } = plan(
        { type: "text", text: "x".repeat(capabilities.text) },
        { suggestions: [shop, yes] },
        exclusive,
      );
      expect(steps.map(({ text, suggestions }) => [text, suggestions.length])).toEqual([
        ["x".repeat(capabilities.text), 0],
        ["Shop: https://shop.example/", 1],
      ]);
    });

    it("gives an edit the same text", () => {
      const part: SentPart = { messengerMessageId: "1" as MessengerMessageId, holds: "text" };
      const content = { type: "text" as const, text: "Well?" };
      const act = { type: "edited" as const, chat, messengerMessageId: part.messengerMessageId, content };
      const { steps } = planEdit({ ...act, suggestions: [shop, yes] }, [part], { ...capabilities, ...exclusive });
      expect(steps).toMatchObject([{ do: "edit", text: "Well?\nShop: https://shop.example/", suggestions: [yes] }]);
    });

    it("never exceeds a message's limit, and loses no word", () => {
      const words = fc.array(fc.constantFrom("rope", "knot.", "🧵", "\n", "x".repeat(50)), { maxLength: 30 });
      const text = words.map((all) => all.join(" "));
      const file = fc.record({ name: text, size: fc.integer({ min: 0, max: 300 }) });
      const files = fc
        .array(file, { minLength: 1, maxLength: 12 })
        .map((all) =>
          all.map((each, n) => ({ file: { at: "gateway" as const, id: `${n}` as GatewayFileId }, ...each })),
        );
      const content: fc.Arbitrary<Content> = fc.oneof(
        fc.record({ type: fc.constant("text" as const), text }),
        fc.record({ type: fc.constantFrom("image" as const, "file" as const), files, note: text }),
      );
      const titles = fc.array(fc.record({ type: fc.constantFrom("url" as const, "text" as const), title: text }));
      // The text ends in white space just beyond the limit of a single piece.
      const fullToTheEnd: [Content, { type: "url" | "text"; title: string }[]] = [
        { type: "text", text: "\n \n rope" },
        [
          { type: "url", title: "rope" },
          { type: "url", title: "🧵 \n \n rope knot. 🧵 rope \n" },
          { type: "text", title: "" },
        ],
      ];
      fc.assert(
        fc.property(content, titles, (said, suggestions) => {
          const { steps } = plan(said, { suggestions }, exclusive);
          for (const { text: shown, files: borne, suggestions: keys } of steps) {
            expect(shown.length).toBeLessThanOrEqual(borne.length > 0 ? capabilities.caption : capabilities.text);
            expect(new Set(keys.map(({ type }) => type)).size).toBeLessThanOrEqual(1);
          }
          const bare = (all: string) => all.replace(/\s+/g, "");
          const links = suggestions.some(({ type }) => type === "text")
            ? suggestions.filter(exclusive.exclusive as never)
            : [];
          const meant = [
            said.type === "text" ? said.text : "note" in said ? said.note : "",
            ...links.map((l) => l.title),
          ];
          expect(bare(steps.map((step) => step.text).join(""))).toBe(bare(meant.join("")));
        }),
        { examples: [fullToTheEnd], ...tries(100) },
      );
    });
  });

  it("gives a product without a page the address of its picture, where the picture is not shown", () => {
    const product = { id: 1, name: "Rope", image: "https://shop.example/r.png" };
    const textsOf = (more: object) =>
      plan({ type: "product", product: { ...product, ...more } }, {}, { webPictures: false, text: 400 }).steps.map(
        ({ text }) => text,
      );
    expect(textsOf({})).toEqual(["Rope\nhttps://shop.example/r.png"]);
    expect(textsOf({ url: "https://shop.example/r" })).toEqual(["Rope\nhttps://shop.example/r"]);
    expect(textsOf({ image: undefined })).toEqual(["Rope"]);
  });

  it("shows a product's picture with the card as its caption, or before it if that does not fit", () => {
    const product = { id: 1, name: "Rope", image: "https://shop.example/r.png" };
    const [step] = plan({ type: "product", product }).steps;
    expect(step).toMatchObject({ kind: "image", text: "Rope", files: [{ file: { at: "web", url: product.image } }] });
    const long = plan({ type: "product", product: { ...product, name: "A rope of ten metres" } });
    expect(long.steps.map(({ kind, text }) => [kind, text])).toEqual([
      ["image", ""],
      ["text", "A rope of ten metres"],
    ]);
    expect(long.losses).toEqual([]);
    const untaken = plan({ type: "product", product }, {}, { webPictures: false });
    expect(untaken.steps.map(({ kind }) => kind)).toEqual(["text"]);
    expect(untaken.losses).toEqual([{ code: "picture-as-link", about: "Rope" }]);
    expect(plan({ type: "product", product: { ...product, image: "javascript:x" } }).steps[0]?.kind).toBe("text");
  });

  it("keeps formatting in texts, captions and split pieces; only visible text counts toward the limits", () => {
    const bold = (text: string, offset = 0, length = text.length) => [{ type: "bold" as const, offset, length }];
    expect(plan({ type: "image", files: pictures(1), note: "only 5", marks: bold("only") }).steps).toMatchObject([
      { kind: "image", text: "only 5", marks: bold("only") },
    ]);
    const words = "one two three four five six seven eight nine ten";
    const { steps } = plan({ type: "text", text: words, marks: bold(words, 4) });
    expect(
      steps.map(({ text, marks }) => marks.map((mark) => text.slice(mark.offset, mark.offset + mark.length))),
    ).toEqual([["two three four five six seven eight"], ["nine ten"]]);
    const card = plan({ type: "product", product: { id: 1, name: "Rope" }, text: "see", marks: bold("see") });
    expect(card.steps[0]).toMatchObject({ text: "see\n\nRope", marks: [...bold("see"), ...bold("Rope", 5, 4)] });
    expect(plan({ type: "text", text: "hey", marks: bold("hey") }, {}, { marks: false }).steps[0]?.marks).toEqual([]);
  });

  it("drops formatting if the messenger has none", () => {
    const product = { id: 1, name: "Rope" };
    expect(plan({ type: "product", product }).steps[0]?.marks).toHaveLength(1);
    expect(plan({ type: "product", product }, {}, { marks: false }).steps[0]?.marks).toEqual([]);
  });
});

describe("the plan of an edit", () => {
  const part = (id: string, holds: SentPart["holds"]): SentPart => ({
    messengerMessageId: id as MessengerMessageId,
    holds,
  });
  const edit = (text: string, parts: SentPart[]) => {
    const act = {
      type: "edited" as const,
      chat,
      messengerMessageId: "1" as MessengerMessageId,
      content: { type: "text" as const, text },
      suggestions: [],
    };
    return planEdit(act, parts, capabilities).steps.map((step) => {
      if (step.do === "edit") return [step.part.messengerMessageId, step.text];
      return step.do === "delete" ? ["delete", step.part.messengerMessageId] : [step.do];
    });
  };
  const long = "one two three four five six seven eight nine ten";

  it("edits the existing parts, deletes those left over, and sends those missing", () => {
    expect(edit("short", [part("1", "text"), part("2", "text")])).toEqual([
      ["1", "short"],
      ["delete", "2"],
    ]);
    expect(edit(long, [part("1", "text")])).toEqual([["1", "one two three four five six seven eight"], ["send"]]);
  });

  it("keeps the text where it was: in the caption, or in the message that followed it", () => {
    expect(edit("new", [part("1", "caption"), part("2", "media")])).toEqual([["1", "new"]]);
    expect(edit("new", [part("1", "caption"), part("2", "text")])).toEqual([["2", "new"]]);
  });

  it("resends no caption that cannot be edited while other files of its message stay", () => {
    const content = { type: "image" as const, files: pictures(1), note: "new" };
    const act = {
      type: "edited" as const,
      chat,
      messengerMessageId: "1" as MessengerMessageId,
      content,
      suggestions: [],
    };
    const fixed = { ...part("1", "caption"), fixed: true as const };
    const does = (...parts: SentPart[]) => planEdit(act, parts, capabilities).steps.map((step) => step.do);
    expect(does(fixed)).toEqual(["delete", "send"]);
    expect(does(fixed, part("2", "media"))).toEqual(["edit"]);
  });

  it("knows that buttons stand under a file, also if its text is another message", () => {
    const asked: boolean[] = [];
    const asLines = (_: Suggestion[], __: string, hasFile: boolean) => {
      asked.push(hasFile);
      return [];
    };
    const suggestions: Suggestion[] = [{ type: "text", title: "Yes" }];
    const content = { type: "text" as const, text: "new" };
    const act = { type: "edited" as const, chat, messengerMessageId: "1" as MessengerMessageId, content, suggestions };
    for (const holds of ["text", "caption", "media"] as const)
      planEdit(act, [part("1", holds)], { ...capabilities, asLines });
    expect(asked).toEqual([false, true, true]);
  });

  it("continues a caption that is now too long in a message, and empties one without text", () => {
    expect(edit(long, [part("1", "caption")])[0]).toEqual(["1", "one two"]);
    expect(edit("", [part("1", "caption")])).toEqual([["1", ""]]);
  });
});
