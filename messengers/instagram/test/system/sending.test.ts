import type { MessengerMessageId } from "gangway-messenger/ids";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { fresh, talking } from "../../../meta/test/unit/talking.ts";
import { APP, createEmulator, TOKEN } from "../../emulator/emulator.ts";
import instagram from "../../src/index.ts";

const account = (own: object = {}) => talking(instagram, createEmulator, own, APP.id);
const HOUR = 3_600_000;

describe("an answer on Instagram", () => {
  it("is refused after 24 hours without a call, and with Human Agent after seven days", async () => {
    const closed = { verdict: { type: "reject", code: "reply_timed_out" } };
    const plain = await account();
    plain.later(25 * HOUR);
    await expect(plain.send()).rejects.toMatchObject(closed);
    const patient = await account({ humanAgent: true });
    patient.later(25 * HOUR);
    await patient.send({}, "one");
    patient.later(6 * 24 * HOUR);
    await expect(patient.send({}, "two")).rejects.toMatchObject(closed);
    expect([plain.sent().length, patient.sent().length]).toEqual([0, 1]);
  });

  it.each([
    ["emoji of families", "👨‍👩‍👧‍👦".repeat(120)],
    ["Cyrillic words", "причал ".repeat(400).trim()],
    ["one Cyrillic word", "ж".repeat(2_500)],
    ["flags and accents", "🇪🇸é".repeat(300)],
  ])("of %s is taken in pieces of 1,000 bytes, cut inside no grapheme", async (_, text) => {
    const { settings, send, sent } = await account();
    const content = { type: "text" as const, text };
    const message = { type: "message", gatewayMessageId: "1", chat: "c", content, suggestions: [] };
    const capabilities = instagram.capabilities(instagram.settings.parse(settings));
    const { steps } = planMessage(message as unknown as OutboundMessage, capabilities);
    for (const [n, step] of (steps as SendStep[]).entries()) await send(step, `k${n}`);
    const pieces = sent().map((each) => each.text ?? "");
    expect(pieces.length).toBeGreaterThan(1);
    expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).toBeLessThanOrEqual(1_000);
    const graphemes = (words: string) => [...new Intl.Segmenter().segment(words)].map(({ segment }) => segment);
    expect(pieces.flatMap(graphemes).filter((each) => each !== " ")).toEqual(
      graphemes(text).filter((each) => each !== " "),
    );
  });

  it("has a quick reply whose long payload is cut inside no character", async () => {
    const { emulator, send } = await account();
    await send({ suggestions: [{ type: "text", title: "Red", payload: `${"x".repeat(995)}🪢🪢` }] });
    const [entry] = emulator.core.journal.entries().filter(({ operation }) => operation === "send");
    const message = (entry?.request as { message?: { quick_replies: { payload: string }[] } })?.message;
    expect(message?.quick_replies.map(({ payload }) => payload)).toEqual([`say:${"x".repeat(995)}🪢`]);
  });

  it("that Meta refuses for want of a right ends no login while nobody can tell whether the right is lost", async () => {
    const { emulator, send } = await account();
    emulator.core.faults.plan({ operation: "send", code: 200 } as never);
    emulator.core.faults.plan({ operation: "conversations", status: 503, body: "html" } as never);
    await expect(send()).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it("that perhaps arrived is settled by an echo of the same text, and by no other", async () => {
    const { session, emulator, send, step, target, sent, eventsAfter } = await account();
    emulator.core.faults.plan({ operation: "send", status: 502, body: "html" } as never);
    await expect(send({ text: "blue" }, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const found = () => session.lookup?.(step({ text: "blue" }), { ...target("doubt"), since: 0 }, fresh());
    await eventsAfter(() => send({ text: "red" }, "other"));
    expect(await found()).toMatchObject({ found: "unknown" });
    expect(await eventsAfter(() => send({ text: "blue" }, "doubt"))).toEqual([]);
    expect(await found()).toMatchObject({ found: "arrived", parts: [{ messengerMessageId: sent()[1]?.mid }] });
  });
});

it("a picture on Instagram that is something else goes as a link", async () => {
  const { send, sent, atGateway } = await account();
  const known = { mediaType: "image/png", name: "offer.png", size: 8 };
  atGateway.set("f1", () => ({ body: new Blob(["%PDF-1.4"]).stream(), ...known }));
  const { losses } = await send({ kind: "image", text: "", files: [{ file: { at: "gateway", id: "f1" as never } }] });
  expect(losses).toEqual([{ code: "file-as-link", about: "offer.png" }]);
  expect(sent().map(({ text }) => text)).toEqual([expect.stringContaining("https://")]);
});

describe("what a refusal of Instagram means", () => {
  it.each([
    [4, undefined, { type: "retry", afterMs: 60_000 }],
    [613, undefined, { type: "retry", afterMs: 60_000 }],
    [1, undefined, { type: "retry" }],
    [2, undefined, { type: "retry" }],
    [1200, undefined, { type: "retry" }],
    [10, 2018278, { type: "reject", code: "reply_timed_out" }],
    [10, 2534022, { type: "reject", code: "reply_timed_out" }],
    [100, 2018001, { type: "reject", code: "customer_not_exists" }],
    [551, 1545041, { type: "reject", code: "access_restricted" }],
    [200, 1545041, { type: "reject", code: "access_restricted" }],
    [10900, undefined, { type: "reject", code: "access_restricted" }],
    [10903, undefined, { type: "reject", code: "reply_timed_out" }],
    [368, undefined, { type: "reject", code: "spam_suspicion" }],
    [100, undefined, { type: "reject", code: "general" }],
    // The token works for another call: one refusal proves nothing.
    [190, 463, { type: "retry" }],
    [102, undefined, { type: "retry" }],
  ])("%i/%s is %o", async (code, subcode, verdict) => {
    const { emulator, send } = await account();
    emulator.core.faults.plan({ operation: "send", code, ...(subcode && { subcode }) } as never);
    await expect(send()).rejects.toMatchObject({ verdict });
  });
});

const judge = contractJudge("instagram");
describe.skipIf(!judge)("the whole traffic with an account", () => {
  it("fits the published contract", async () => {
    const { emulator, chat, session, send, target, atGateway } = await account();
    const [hello] = chat.messages;
    const ref = { chat: target("x").chat, messengerMessageId: hello?.mid as MessengerMessageId };
    await session.inspect?.(fresh());
    const token = emulator.core.tokens.find(TOKEN);
    if (token) token.issuedAt -= 48 * HOUR;
    await session.renew?.(fresh());
    await send({ quote: ref }, "a");
    await send({ suggestions: [{ type: "text", title: "Red" }] }, "b");
    await send({ suggestions: [{ type: "url", title: "Open", payload: "https://shop.example/" }] }, "c");
    const known = { mediaType: "application/pdf", name: "a.pdf", size: 8 };
    atGateway.set("f1", () => ({ body: new Blob(["%PDF-1.4"]).stream(), ...known }));
    const files = [{ file: { at: "gateway" as const, id: "f1" as never } }];
    await send({ kind: "file", text: "", files }, "d");
    await session.reactions?.set(ref, "❤️", fresh());
    await session.reactions?.set(ref, null, fresh());
    await session.readMarks?.read(ref, fresh());
    await emulator.customers.opens(chat);
    await session.avatars?.find(chat.scopedId as never, fresh());
    await session.disconnect(fresh());
    const entries = emulator.core.journal.entries();
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(5);
    expect(entries.filter(({ kind, status }) => kind === "call" && status >= 400)).toEqual([]);
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
  });
});
