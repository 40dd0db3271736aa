import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import type { Content, Suggestion, TemplateUse } from "gangway-messenger/message";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fresh, refusalOf, staged } from "../stage.ts";

const ROBIN = "15550100042";
const choice = (title: string): Suggestion => ({ type: "text", title });
const link = (title: string, payload: string): Suggestion => ({ type: "url", title, payload });

describe("what an agent writes", () => {
  it("goes to the number where it is known, else to the user id, and carries the key", async () => {
    const { text, last, wren, acts, network, chats, context } = await staged();
    await text(ROBIN);
    expect(last()).toMatchObject({ callback: `gangway:${context.channelId}:one`, byUserId: false });
    await acts.write(network, chats.wren, { text: "hi" });
    await text(wren.userId, "hello", {}, "two");
    expect(last()).toMatchObject({ byUserId: true });
  });

  it("quotes a message of WhatsApp, and no other", async () => {
    const { text, emulator, last } = await staged();
    const { id } = await emulator.says("hello");
    await text(ROBIN, "yes", { quote: { messengerMessageId: id as MessengerMessageId } });
    expect(last().quote).toBe(id);
    await text(ROBIN, "yes", { quote: { messengerMessageId: "telegram:7" as MessengerMessageId } }, "two");
    expect(last().quote).toBeUndefined();
  });

  it("reaches a customer who hides the number after an agent wrote to it first", async () => {
    const { text, context } = await staged();
    await text("+1 555 010 0042".replace(/\D/g, ""));
    expect(JSON.parse((await context.notes.get(`to:${ROBIN}`)) ?? "{}")).toMatchObject({ phone: ROBIN });
  });
});

describe("suggestions", () => {
  const shown = async (words: string, suggestions: Suggestion[]) => {
    const { text, last, network } = await staged();
    const sent = await text(ROBIN, words, { suggestions });
    await network.idle();
    return { ...last().content, losses: sent.flatMap(({ losses = [] }) => losses) } as Record<string, unknown>;
  };

  it("are buttons up to three", async () => {
    expect(await shown("Which?", ["Blue", "Red", "Green"].map(choice))).toMatchObject({
      type: "interactive",
      interactive: {
        type: "button",
        body: { text: "Which?" },
        action: { buttons: ["Blue", "Red", "Green"].map((title, n) => ({ reply: { id: `${n}:${title}`, title } })) },
      },
    });
  });

  it("are rows of a list up to ten, or if a title is too long for a button", async () => {
    const many = Array.from({ length: 10 }, (_, n) => choice(`Colour ${n}`));
    const { interactive } = await shown("Which?", many);
    expect(interactive).toMatchObject({ type: "list", action: { button: "Choose" } });
    const long = await shown("Which?", [choice("The dark blue one from the picture above"), choice("Red")]);
    expect(long.interactive).toMatchObject({
      type: "list",
      action: {
        sections: [
          {
            rows: [
              {
                id: "0:The dark blue one from the picture above",
                title: "The dark blue one from …",
                description: "The dark blue one from the picture above",
              },
              { id: "1:Red", title: "Red" },
            ],
          },
        ],
      },
    });
  });

  it("beyond ten, and links beside others, are lines of the text", async () => {
    const many = Array.from({ length: 12 }, (_, n) => choice(`Colour ${n}`));
    const { interactive, losses } = await shown("Which?", [...many, link("Shop", "https://shop.example/")]);
    const { body, action } = interactive as { body: { text: string }; action: { sections: { rows: object[] }[] } };
    expect(body.text).toContain("Colour 10");
    expect(body.text).toContain("Colour 11");
    expect(body.text).toContain("Shop: https://shop.example/");
    expect(action.sections[0]?.rows).toHaveLength(10);
    expect(losses).toEqual([]);
  });

  it("with one link and nothing else become a button that opens the link", async () => {
    expect(await shown("Look", [link("To the shop", "https://shop.example/a")])).toMatchObject({
      interactive: {
        type: "cta_url",
        action: { parameters: { display_text: "To the shop", url: "https://shop.example/a" } },
      },
    });
  });

  it("under a text too long for buttons are lines, and none is lost", async () => {
    const { type, text } = await shown("x ".repeat(600), ["Blue", "Red"].map(choice));
    expect(type).toBe("text");
    expect((text as { body: string }).body).toMatch(/Blue\n.*Red$/);
  });

  it("stand under a picture, and under one without words, too", async () => {
    const { send, last, atGateway } = await staged();
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    atGateway.set("f1", () => ({ body: streamOf(png), mediaType: "image/png", name: "a.png", size: png.length }));
    const content: Content = { type: "image", files: [{ file: { at: "gateway", id: "f1" as GatewayFileId } }] };
    await send(ROBIN, content, { suggestions: [choice("Yes")] });
    expect(last().content).toMatchObject({
      interactive: { type: "button", header: { type: "image" }, body: { text: "Please choose:" } },
    });
  });
});

describe("a file", () => {
  const sendFile = async (as: "image" | "file" | "audio", mediaType: string, name: string, size?: number) => {
    const stage = await staged();
    const bytes = "OggS OpusHead and more";
    stage.atGateway.set("f1", () => ({ body: streamOf(bytes), mediaType, name, size: size ?? bytes.length }));
    const sent = await stage.send(ROBIN, {
      type: as,
      files: [{ file: { at: "gateway", id: "f1" as GatewayFileId } }],
      note: "note",
    });
    return { ...stage, losses: sent.flatMap(({ losses = [] }) => losses), parts: sent.map(({ parts }) => parts[0]) };
  };

  it("that is a voice message goes as one, and its note follows", async () => {
    const { chats, parts } = await sendFile("audio", "audio/ogg", "voice.ogg");
    expect(chats.robin.messages.map(({ content }) => content)).toMatchObject([
      { type: "audio", audio: { voice: true } },
      { type: "text", text: { body: "note" } },
    ]);
    expect(parts.map((part) => part?.holds)).toEqual(["media", "text"]);
  });

  it.each([
    ["image", "image/jpeg", "a.jpg", "image"],
    ["file", "video/mp4", "a.mp4", "video"],
    ["file", "application/pdf", "a.pdf", "document"],
    ["file", "application/octet-stream", "a.pdf", "document"],
  ] as const)("of the kind %s and the type %s (%s) goes as %s with its caption", async (as, type, name, kind) => {
    const { last } = await sendFile(as, type, name);
    expect(last().content).toMatchObject({ type: kind, [kind]: { caption: "note" } });
  });

  it("of a type that Meta does not take goes as a line with its address", async () => {
    const { last, losses } = await sendFile("file", "application/zip", "a.zip");
    expect(last().content).toMatchObject({ text: { body: "note\na.zip: https://gateway.example/f1" } });
    expect(losses).toMatchObject([{ code: "file-as-link" }]);
  });

  it("that is not what it says is refused by Meta later, which the agent is told", async () => {
    const { session, atGateway, emulator, network, send, robin, after } = await staged();
    await session.connect(fresh());
    await emulator.says("hello");
    atGateway.set("f1", () => ({ body: streamOf("%PDF-1.7 no"), mediaType: "image/png", name: "a.png", size: 11 }));
    const events = await after(async () => {
      await send(robin.userId, { type: "image", files: [{ file: { at: "gateway", id: "f1" as GatewayFileId } }] });
      await network.idle();
    });
    expect(events).toMatchObject([{ type: "failed", error: { code: "general", externalCode: "131053" } }]);
  });
});

describe("the window of a chat", () => {
  it("that has closed refuses a free text before any call, and lets a template through", async () => {
    const { text, core, context } = await staged();
    await context.notes.set([{ key: `window:${ROBIN}`, value: String(context.clock.now() - 1) }]);
    const error = await refusalOf(text(ROBIN));
    expect(error.verdict).toMatchObject({ type: "reject", code: "reply_timed_out" });
    expect(core.journal.entries().filter(({ operation }) => operation === "sendMessage")).toEqual([]);
  });

  it("that is not known lets Meta decide, whose refusal is remembered", async () => {
    const { text, core, fault, context } = await staged();
    fault({ code: 131047 });
    expect((await refusalOf(text(ROBIN))).verdict).toMatchObject({ type: "reject", code: "reply_timed_out" });
    const calls = core.journal.entries().length;
    expect((await refusalOf(text(ROBIN))).verdict).toMatchObject({ type: "reject", code: "reply_timed_out" });
    expect(core.journal.entries()).toHaveLength(calls);
    expect(Number(await context.notes.get(`window:${ROBIN}`))).toBeLessThanOrEqual(context.clock.now());
  });

  it("opens anew with each message of the customer", async () => {
    const { text, session, emulator, robin, context } = await staged();
    await session.connect(fresh());
    await context.notes.set([{ key: `window:${robin.userId}`, value: "1" }]);
    await emulator.says("hello");
    await expect(text(robin.userId)).resolves.toHaveLength(1);
  });
});

describe("a message that was perhaps sent", () => {
  const at = (key: string, since: number) => ({ chat: ROBIN as ChatId, key, since });

  it("is found by the status that names its key, although its answer was lost", async () => {
    const { session, text, fault, network, stepsOf, context, last } = await staged();
    await session.connect(fresh());
    fault({ when: "after", status: 502, body: "html" });
    const since = context.clock.now();
    expect((await refusalOf(text(ROBIN, "hello", {}, "doubtful"))).verdict).toEqual({ type: "unsure" });
    await network.idle();
    const [step] = stepsOf({ type: "text", text: "hello" });
    if (!step) throw new Error("a text is a step");
    const found = await session.lookup?.(step, at("doubtful", since), fresh());
    expect(found).toMatchObject({ found: "arrived", parts: [{ messengerMessageId: last().id, holds: "text" }] });
    expect(await session.lookup?.(step, at("another", since), fresh())).toMatchObject({ found: "unknown" });
  });

  it("is not sent again once a status has named it, although Meta had refused it with a 500", async () => {
    const { session, text, fault, network, last, chats } = await staged();
    await session.connect(fresh());
    fault({ when: "after", status: 500, body: "contract" });
    expect((await refusalOf(text(ROBIN, "hello", {}, "refused"))).verdict).toEqual({ type: "retry" });
    await network.idle();
    const [sent] = await text(ROBIN, "hello", {}, "refused");
    expect(sent?.parts[0].messengerMessageId).toBe(last().id);
    expect(chats.robin.messages.filter(({ from }) => from === "business")).toHaveLength(1);
  });

  /** What is told at each time, ms since the session was opened, of a message sent `ageMs` before that. */
  const told = async (ageMs: number, times: number[]) => {
    const { session, stepsOf, context } = await staged();
    const [step] = stepsOf({ type: "text", text: "hello" });
    if (!step) throw new Error("a text is a step");
    const openedAt = context.clock.now();
    const now = vi.spyOn(context.clock, "now");
    onTestFinished(() => now.mockRestore());
    const answers = [];
    for (const ms of times) {
      now.mockReturnValue(openedAt + ms);
      answers.push(await session.lookup?.(step, at("none", openedAt - ageMs), fresh()));
    }
    return answers;
  };

  it("is asked about for a minute, then the policy decides", async () => {
    const sentLater = -600_000;
    expect(await told(sentLater, [600_000, 659_000, 661_000])).toEqual([
      { found: "unknown", askAgainMs: 2_000 },
      { found: "unknown", askAgainMs: 1_000 },
      { found: "unknown" },
    ]);
  });

  it("is asked about for a minute from when its channel was opened again", async () => {
    expect(await told(600_000, [59_000, 61_000])).toEqual([
      { found: "unknown", askAgainMs: expect.any(Number) },
      { found: "unknown" },
    ]);
  });
});

describe("a template", () => {
  const use: TemplateUse = {
    code: "order_ready|en_US",
    header: { type: "text", values: ["No. 7"], files: [] },
    body: ["Robin", "Monday\nat noon"],
    buttons: [
      { type: "url", title: "Track", values: ["abc"] },
      { type: "phone", title: "Call", values: [] },
      { type: "plain", title: "Thanks", values: [] },
    ],
  };

  it("goes with its values, in the form and language that Meta has reviewed", async () => {
    const { session, stepsOf, core } = await staged();
    const [step] = stepsOf({ type: "text", text: "as the template says" });
    if (!step) throw new Error("a text is a step");
    const sent = session.send({ ...step, template: use }, { chat: ROBIN as ChatId, key: "t" }, fresh());
    // The emulator has no such template: what counts is what it was asked for.
    expect((await refusalOf(sent)).verdict).toMatchObject({ type: "reject", externalCode: "132001" });
    const asked = core.journal.entries().find(({ operation }) => operation === "sendMessage")?.request;
    expect(asked).toMatchObject({
      type: "template",
      template: {
        name: "order_ready",
        language: { code: "en_US" },
        components: [
          { type: "header", parameters: [{ type: "text", text: "No. 7" }] },
          { type: "body", parameters: [{ text: "Robin" }, { text: "Monday at noon" }] },
          { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: "abc" }] },
        ],
      },
    });
  });
});

describe("marks and reactions", () => {
  it("show the customer what an agent has read, and that somebody is typing if the shop wants it", async () => {
    for (const typing of [false, true]) {
      const { session, emulator, robin, chats, context } = await staged({ typing });
      const { id } = await emulator.says("hello");
      await session.readMarks?.read(
        { chat: robin.userId as ChatId, messengerMessageId: id as MessengerMessageId },
        fresh(),
      );
      expect(chats.robin.messages[0]?.status).toBe("read");
      expect(chats.robin.typingUntil > context.clock.now()).toBe(typing);
    }
  });

  it("are set and taken back", async () => {
    const { session, emulator, chats } = await staged();
    const { id } = await emulator.says("hello");
    const target = { chat: ROBIN as ChatId, messengerMessageId: id as MessengerMessageId };
    await session.reactions?.set(target, "🙏", fresh());
    expect(chats.robin.messages[0]?.reactions.business).toBe("🙏");
    await session.reactions?.set(target, null, fresh());
    expect(chats.robin.messages[0]?.reactions.business).toBeUndefined();
  });
});
