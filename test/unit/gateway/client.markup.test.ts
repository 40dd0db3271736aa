import type { Content, Mark } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { OutboundAct } from "../../../src/domain/message.ts";
import { readAct, renderContent, renderText } from "../../../src/gateway/client.ts";

const URL = "https://shop.example/rope";
const marks: Mark[] = [
  { type: "bold", offset: 0, length: 4 },
  { type: "strikethrough", offset: 5, length: 1 },
  { type: "link", offset: 7, length: 4, url: URL },
];
const text = "only 5 here 2*3";
const room = { text: 16_384, note: 4_096 };

describe("a customer's text at the gateway", () => {
  it.each(["none", "markdown"] as const)("is rendered in the configured notation: %s", (markup) => {
    const wanted = { none: `only ~5~ here (${URL}) 2*3`, markdown: `**only** ~~5~~ [here](${URL}) 2\\*3` }[markup];
    const writing = { markup, ...room };
    const files: Content = { type: "image", files: [], note: text, marks };
    expect(renderContent({ type: "text", text, marks }, writing)).toEqual({ type: "text", text: wanted });
    expect(renderContent(files, writing)).toEqual({ type: "image", files: [], note: wanted });
    expect(renderText({ type: "edited", text, marks }, writing)).toEqual({ type: "edited", text: wanted });
  });

  it("stays unchanged without marks, as in rows stored before marks existed", () => {
    const writing = { markup: "none", ...room } as const;
    expect(renderContent({ type: "text", text: "2*3 ~a~" }, writing)).toEqual({ type: "text", text: "2*3 ~a~" });
    expect(renderContent({ type: "file", files: [] }, writing)).toEqual({ type: "file", files: [] });
  });

  it.each(["none", "markdown"] as const)(
    "lose the last addresses rather than letters where there is no room: %s",
    (markup) => {
      const links = Array.from(
        { length: 20 },
        (_, n): Mark => ({ type: "link", offset: 2 * n, length: 1, url: `${URL}?${n}` }),
      );
      const note = "a ".repeat(20).trim();
      const shown = renderContent({ type: "image", files: [], note, marks: links }, { markup, text: 600, note: 300 });
      const said = "note" in shown ? (shown.note ?? "") : "";
      expect(said.length).toBeLessThanOrEqual(300);
      expect(said).toContain(URL);
      expect(said.replaceAll(/\[|\]\([^)]*\)| \([^)]*\)/g, "")).toBe(note);
    },
  );
});

describe("an agent's text from the gateway", () => {
  const act = (content: Content): OutboundAct => ({ type: "message", content }) as OutboundAct;
  const read = (content: Content, markup: "none" | "markdown") => readAct(act(content), () => markup);
  const bold: Mark[] = [{ type: "bold", offset: 0, length: 2 }];

  it("is literal when the gateway has no notation", () => {
    const content: Content = { type: "text", text: "**no** _not_ \\*" };
    expect(read(content, "none")).toEqual(act(content));
  });

  it("is parsed in texts, notes and cards", () => {
    const card = { product: { id: 1, name: "Rope" }, type: "product" } as const;
    expect(read({ type: "text", text: "**no**" }, "markdown")).toEqual(act({ type: "text", text: "no", marks: bold }));
    expect(read({ type: "file", files: [], note: "**no**" }, "markdown")).toEqual(
      act({ type: "file", files: [], note: "no", marks: bold }),
    );
    expect(read({ ...card, text: "**no**" }, "markdown")).toEqual(act({ ...card, text: "no", marks: bold }));
    expect(read({ type: "file", files: [] }, "markdown")).toEqual(act({ type: "file", files: [] }));
  });
});
