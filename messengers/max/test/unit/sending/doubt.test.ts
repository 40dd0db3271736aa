import { PICTURE } from "gangway-messenger/kit/sending";
import type { FilePart } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { describe, expect, it } from "vitest";
import { addMessage } from "../../../emulator/world.ts";
import max from "../../../src/index.ts";
import { fresh, talking } from "../talking.ts";

const LOST = { operation: "sendMessage", status: 502, body: "html" as const };
const FOREVER_MS = 60_000;
const at = (id: string): FilePart => ({ file: { at: "gateway", id: id as never } });
const web = (url: string): FilePart => ({ file: { at: "web", url } });

describe("a message whose answer was lost", () => {
  it("and that has arrived is found in the dialog, and known from then on", async () => {
    const { emulator, send, sent, lookup, context } = await talking();
    emulator.plans.plan({ ...LOST, when: "after" });
    await expect(send({}, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const [message] = sent();
    const found = { found: "arrived", parts: [{ messengerMessageId: message?.mid, holds: "text" }] };
    expect(await lookup("doubt")).toEqual(found);
    expect(await context.notes.get("became:doubt")).toBe(message?.mid);
    emulator.switches.set({ history: "denied" });
    expect(await lookup("doubt")).toEqual(found);
  });

  it("and that has not arrived is absent only some time after the last try", async () => {
    const { emulator, send, sent, lookup, later } = await talking();
    later(FOREVER_MS);
    emulator.plans.plan({ ...LOST, when: "before" });
    await expect(send({}, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    expect(await lookup("doubt")).toEqual({ found: "unknown", askAgainMs: 5_000 });
    later(14_999);
    expect(await lookup("doubt")).toEqual({ found: "unknown", askAgainMs: 5_000 });
    later(1);
    expect(await lookup("doubt")).toEqual({ found: "absent" });
    expect(sent()).toEqual([]);
  });

  it("is looked for again from a new session's beginning on: the last process may have died with it on its way", async () => {
    const { session, context, step, target, later } = await talking();
    later(FOREVER_MS);
    const at = { ...target("doubt"), since: context.clock.now() - FOREVER_MS };
    expect(await session.lookup?.(step(), at, fresh())).toEqual({ found: "absent" });
    const next = max.open({ ...context, openedAt: context.clock.now() });
    expect(await next.lookup?.(step(), at, fresh())).toEqual({ found: "unknown", askAgainMs: 5_000 });
    later(15_000);
    expect(await next.lookup?.(step(), at, fresh())).toEqual({ found: "absent" });
  });

  it.each([
    ["a text", {}, 45_000],
    ["a file, which was uploaded first", { kind: "file" as const, files: [at("f1")] }, 165_000],
  ])(
    "is absent for an old session that takes the account over only once the other's try has ended: %s",
    async (...given) => {
      const [, more, ms] = given;
      const { session, context, step, target, later } = await talking();
      later(10 * FOREVER_MS);
      const tried = { ...target("doubt"), since: context.clock.now() };
      later(ms - 1);
      expect(await session.lookup?.(step(more), tried, fresh())).toEqual({ found: "unknown", askAgainMs: 5_000 });
      later(1);
      expect(await session.lookup?.(step(more), tried, fresh())).toEqual({ found: "absent" });
    },
  );

  it("is not absent because MAX shows a dialog of nothing, and who names no sender may be the bot", async () => {
    const { step, target, later, context } = await talking();
    const sender = { user_id: 5, is_bot: false };
    const told = { recipient: {}, timestamp: context.clock.now(), body: { mid: "mid.1", text: step().text } };
    for (const [messages, found] of [
      [[], "unknown"],
      [[told], "unknown"],
      [[{ ...told, sender }], "absent"],
    ] as const) {
      const bytes = Buffer.from(JSON.stringify({ messages }));
      Object.assign(context, { call: async () => ({ type: "answer", status: 200, headers: {}, bytes }) });
      const session = max.open(context);
      later(FOREVER_MS);
      const tried = { ...target("doubt"), since: context.clock.now() - FOREVER_MS };
      expect(await session.lookup?.(step(), tried, fresh())).toEqual({ found });
    }
  });

  it("is not taken for another with the same words, whose key is known", async () => {
    const { emulator, send, lookup, later } = await talking();
    later(FOREVER_MS);
    await send({}, "one");
    emulator.plans.plan({ ...LOST, when: "before" });
    await expect(send({}, "two")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    later(15_000);
    expect(await lookup("two")).toEqual({ found: "absent" });
    expect((await lookup("one"))?.found).toBe("arrived");
  });

  it("stays in doubt where another program writes as the same bot, or MAX does not show the dialog", async () => {
    const { emulator, lookup, dialog, later, context } = await talking();
    later(FOREVER_MS);
    const stranger = addMessage(dialog, context.clock.now(), { from: "bot", text: "Menu: 1, 2, 3" });
    expect(await lookup("doubt")).toEqual({ found: "unknown" });
    stranger.isDeleted = true;
    expect(await lookup("doubt")).toEqual({ found: "absent" });
    emulator.switches.set({ history: "denied" });
    expect(await lookup("doubt")).toEqual({ found: "unknown" });
  });

  it("is told from one with the same words but another number of files", async () => {
    const { emulator, send, lookup, later, has } = await talking();
    later(FOREVER_MS);
    has("a.png", PICTURE, "image/png");
    const files = [{ file: { at: "gateway" as const, id: "f1" as never } }];
    emulator.plans.plan({ ...LOST, when: "after" });
    await expect(send({ kind: "image", files }, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    later(15_000);
    expect(await lookup("other")).toEqual({ found: "unknown" });
    expect(await lookup("doubt", { kind: "image", files })).toMatchObject({
      found: "arrived",
      parts: [{ holds: "caption" }],
    });
  });

  const link = { type: "link" as const, offset: 0, length: 4, url: "https://shop.example/" };
  it.each<[string, Partial<SendStep>]>([
    ["a picture of the web", { kind: "image", files: [web("https://shop.invalid/rope.png")], text: "Rope" }],
    ["an album with a file as its address", { kind: "image", files: [at("f1"), at("f2")], text: "both" }],
    ["an album without words", { kind: "image", files: [at("f1"), at("f2")], text: "" }],
    ["formatting that is too long", { text: `shop${"&".repeat(900)}`, marks: [link] }],
  ])("is found in the form in which it went: %s", async (_, more) => {
    const { emulator, send, sent, lookup, later, has } = await talking();
    has("a.png", PICTURE, "image/png");
    has("b.svg", "<svg/>", "image/svg+xml", "f2");
    later(FOREVER_MS);
    // The picture that MAX cannot fetch is refused first.
    if (more.files?.[0]?.file.at === "web") emulator.plans.plan({ operation: "sendMessage", status: 400, code: "x" });
    emulator.plans.plan({ ...LOST, when: "after" });
    await expect(send(more, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    expect(await lookup("other", { text: "Rope" })).toMatchObject({ found: "unknown" });
    expect(await lookup("doubt", more)).toMatchObject({
      found: "arrived",
      parts: [{ messengerMessageId: sent()[0]?.mid }],
    });
  });

  it("is looked for on several pages, and stays in doubt where there are too many", async () => {
    const { emulator, lookup, dialog, context, send } = await talking();
    emulator.plans.plan({ ...LOST, when: "after" });
    await expect(send({}, "doubt")).rejects.toThrow();
    const write = (count: number) => {
      for (let n = 0; n < count; n++) addMessage(dialog, context.clock.now() + n + 1, { from: "customer", text: "…" });
    };
    write(250);
    expect((await lookup("doubt"))?.found).toBe("arrived");
    await context.notes.set([{ key: "became:doubt", value: "" }]);
    write(400);
    expect(await lookup("other")).toEqual({ found: "unknown" });
  });

  it("is asked about again while MAX does not answer", async () => {
    const { emulator, lookup } = await talking();
    emulator.plans.plan({ operation: "getMessages", status: 503 });
    await expect(lookup("doubt")).rejects.toMatchObject({ verdict: { type: "retry" } });
  });
});
