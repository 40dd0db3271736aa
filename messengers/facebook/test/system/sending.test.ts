import type { MessengerMessageId } from "gangway-messenger/ids";
import type { FilePart, Suggestion } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { asLines } from "gangway-meta/messaging/buttons";
import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { fresh, talking } from "../../../meta/test/unit/talking.ts";
import { createEmulator } from "../../emulator/emulator.ts";
import facebook from "../../src/index.ts";

const page = (own: object = {}) => talking(facebook, createEmulator, own);
const HOUR = 3_600_000;
const calls = ({ emulator }: Awaited<ReturnType<typeof page>>) =>
  emulator.core.journal.entries().filter(({ operation }) => operation === "send");

describe("an answer on Messenger", () => {
  it("is refused after 24 hours without a call, and with Human Agent after seven days", async () => {
    const plain = await page();
    plain.later(24 * HOUR);
    const closed = { verdict: { type: "reject", code: "reply_timed_out" } };
    await expect(plain.send()).rejects.toMatchObject(closed);
    expect(calls(plain)).toEqual([]);
    const patient = await page({ humanAgent: true });
    await patient.send({}, "one");
    patient.later(25 * HOUR);
    await patient.send({}, "two");
    expect(calls(patient).map(({ request }) => (request as { tag?: string }).tag)).toEqual([undefined, "HUMAN_AGENT"]);
    patient.later(6 * 24 * HOUR);
    await expect(patient.send({}, "three")).rejects.toMatchObject(closed);
    expect(calls(patient)).toHaveLength(2);
  });

  it("has no tag of people when a bot writes it", async () => {
    const patient = await page({ humanAgent: true });
    patient.later(25 * HOUR);
    await expect(patient.send({ author: { name: "Bot", bot: true } })).rejects.toMatchObject({
      verdict: { code: "reply_timed_out" },
    });
  });

  it("is left to Meta when nobody knows when the customer wrote", async () => {
    const { context, chat, send, sent } = await page();
    await context.notes.set([{ key: `wrote:${chat.scopedId}`, value: "" }]);
    await send();
    expect(sent()).toHaveLength(1);
    chat.wroteAt = 1;
    await expect(send({}, "again")).rejects.toMatchObject({ verdict: { code: "reply_timed_out" } });
  });

  it("goes without its quote when Meta no longer has what is quoted", async () => {
    const { send, sent } = await page();
    await send({ quote: { messengerMessageId: "m_gone" as MessengerMessageId } });
    expect(sent().map(({ replyTo }) => replyTo)).toEqual([undefined]);
  });

  it("has the address of a picture that Meta cannot fetch", async () => {
    const { send, sent } = await page();
    const files: FilePart[] = [{ file: { at: "web", url: "https://shop.example/rope.png" } }];
    await send({ kind: "image", text: "", files });
    expect(sent().map(({ text }) => text)).toEqual(["https://shop.example/rope.png"]);
  });

  it("that perhaps arrived is settled by its echo, and asked about again until then", async () => {
    const { session, emulator, send, step, target, sent, eventsAfter } = await page();
    emulator.core.switches.set({ echoAfterMs: 0 });
    emulator.core.faults.plan({ operation: "send", code: 1, subcode: 1357046 } as never);
    await expect(send({}, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    expect(await session.lookup?.(step(), { ...target("doubt"), since: 0 }, fresh())).toEqual({
      found: "unknown",
      askAgainMs: 10_000,
    });
    // The same message arrives after all, by the key that it carries.
    expect(await eventsAfter(() => send({}, "doubt"))).toEqual([]);
    const [message] = sent();
    expect(await session.lookup?.(step(), { ...target("doubt"), since: 0 }, fresh())).toMatchObject({
      found: "arrived",
      parts: [{ messengerMessageId: message?.mid, holds: "text" }],
    });
  });

  it("that perhaps arrived is left to the policy three minutes after its try, or after its channel was opened again", async () => {
    const { session, step, target, context, later } = await page();
    const told = (since: number) => session.lookup?.(step(), { ...target("doubt"), since }, fresh());
    later(179_000);
    expect(await told(0)).toMatchObject({ askAgainMs: expect.any(Number) });
    later(2_000);
    expect(await told(0)).toEqual({ found: "unknown" });
    const now = context.clock.now();
    expect(await told(now - 179_000)).toEqual({ found: "unknown", askAgainMs: 1_000 });
    expect(await told(now - 180_000)).toEqual({ found: "unknown" });
  });
});

describe("a product on Messenger", () => {
  const product = {
    id: 1,
    name: "Rope",
    article: "R-7",
    image: "https://shop.example/rope.png",
    url: "https://shop.example/rope",
    cost: { value: 3, currency: "EUR" },
    unit: "m",
  };
  const stepsOf = (
    { settings }: Awaited<ReturnType<typeof page>>,
    more: object = {},
    suggestions: Suggestion[] = [],
  ) => {
    const content = { type: "product" as const, product: { ...product, ...more } };
    const message = { type: "message", gatewayMessageId: "1", chat: "c", content, suggestions } as OutboundMessage;
    return planMessage(message, facebook.capabilities(facebook.settings.parse(settings))).steps as SendStep[];
  };
  const link = (title: string): Suggestion => ({ type: "url", title, payload: `https://shop.example/${title}` });
  const sentWith = async (more: object = {}, suggestions: Suggestion[] = []) => {
    const stage = await page();
    const sent = [];
    for (const [n, step] of stepsOf(stage, more, suggestions).entries()) sent.push(await stage.send(step, `k${n}`));
    const judge = contractJudge("messenger");
    const messages = calls(stage).map((entry) => {
      if (judge) expect(judge(entry)).toEqual([]);
      return (entry.request as { message: { attachment?: { payload: { elements?: object[] } } } }).message;
    });
    return { ...stage, messages, holds: sent.map(({ parts: [part] }) => part.holds) };
  };

  it("is one card with its picture, price and a button to its page", async () => {
    const { messages } = await sentWith();
    const view = { type: "web_url", title: "View", url: product.url };
    expect(messages.map(({ attachment }) => attachment?.payload)).toEqual([
      {
        template_type: "generic",
        elements: [
          {
            title: "Rope",
            subtitle: "R-7 · €3 / m",
            image_url: product.image,
            default_action: { type: "web_url", url: product.url },
            buttons: [view],
          },
        ],
      },
    ]);
  });

  it("has an agent's links as buttons, of which there are three, and quick replies below", async () => {
    const [one, two, three] = ["one", "two", "three"].map(link) as [Suggestion, Suggestion, Suggestion];
    const titles = async (suggestions: Suggestion[]) => {
      const { messages } = await sentWith({}, suggestions);
      const [element] = messages[0]?.attachment?.payload.elements ?? [];
      return (element as { buttons: { title: string }[] }).buttons.map(({ title }) => title);
    };
    expect(await titles([one])).toEqual(["View", "one"]);
    expect(await titles([one, two, three])).toEqual(["one", "two", "three"]);
    const { messages } = await sentWith({}, [{ type: "text", title: "Yes" }]);
    expect(messages).toMatchObject([{ quick_replies: [{ title: "Yes" }], attachment: { type: "template" } }]);
  });

  it.each([
    ["without a picture", { image: undefined }, ["text"]],
    ["whose name is too long for a card", { name: "R".repeat(81) }, ["media", "text"]],
  ])("%s goes as before", async (_, more, holds) => {
    const stage = await page();
    expect(stepsOf(stage, more).map(({ kind }) => kind)).toEqual(
      holds.map((each) => (each === "text" ? "text" : "image")),
    );
    expect(stepsOf(stage, more).some(({ card }) => card)).toBe(false);
  });

  it("comes in words if Meta cannot show the card", async () => {
    const stage = await page();
    stage.emulator.core.faults.plan({ operation: "send", code: 100, subcode: 2018008 } as never);
    for (const step of stepsOf(stage)) await stage.send(step, "k");
    expect(stage.sent().map(({ text }) => text)).toEqual([
      "Rope (R-7)\n€3 / m\nhttps://shop.example/rope\nhttps://shop.example/rope.png",
    ]);
  });
});

it("a message is not sent again once its echo has come, although Meta had refused it with a 500", async () => {
  const { emulator, send, sent } = await page();
  emulator.core.faults.plan({ operation: "send", when: "after", status: 500, body: "contract" } as never);
  await expect(send({}, "refused")).rejects.toMatchObject({ verdict: { type: "retry" } });
  const { parts } = await send({}, "refused");
  expect(sent().map(({ mid }) => mid)).toEqual([parts[0].messengerMessageId]);
});

describe("suggestions on Messenger", () => {
  const links = (count: number): Suggestion[] =>
    Array.from({ length: count }, (_, n) => ({
      type: "url",
      title: `link ${n}`,
      payload: `https://shop.example/${n}`,
    }));

  it("become lines when they do not fit: long titles, a fourth link, a fourteenth reply, links below a long text", () => {
    const long: Suggestion = { type: "text", title: "x".repeat(21) };
    const short = Array.from({ length: 14 }, (_, n): Suggestion => ({ type: "text", title: `${n}` }));
    expect(asLines([long], "hello")).toEqual([long]);
    expect(asLines(short, "hello")).toEqual(short.slice(13));
    expect(asLines(links(4), "hello")).toEqual(links(4).slice(3));
    expect(asLines(links(1), "x".repeat(641))).toEqual(links(1));
    expect(asLines(links(1), "")).toEqual(links(1));
    expect(asLines([{ type: "url", title: "x", payload: "javascript:1" }], "hello")).toHaveLength(1);
    expect(asLines([{ type: "phone", title: "y".repeat(99) }], "")).toEqual([]);
  });
});

describe("what a refusal of Messenger means", () => {
  it.each([
    [4, undefined, { type: "retry", afterMs: 60_000 }],
    [613, undefined, { type: "retry", afterMs: 60_000 }],
    [80_006, undefined, { type: "retry", afterMs: 60_000 }],
    [1, undefined, { type: "retry" }],
    [2, undefined, { type: "retry" }],
    [1200, 2018024, { type: "retry" }],
    [1, 1357046, { type: "unsure" }],
    [10, 2018278, { type: "reject", code: "reply_timed_out" }],
    [10, 2534022, { type: "reject", code: "reply_timed_out" }],
    [10, 2018065, { type: "reject", code: "reply_timed_out" }],
    [100, 2018001, { type: "reject", code: "customer_not_exists" }],
    [551, 1545041, { type: "reject", code: "access_restricted" }],
    [200, 1545041, { type: "reject", code: "access_restricted" }],
    [10, 2018108, { type: "reject", code: "access_restricted" }],
    [10, 2018300, { type: "reject", code: "access_restricted" }],
    [368, undefined, { type: "reject", code: "spam_suspicion" }],
    [10, 1893063, { type: "reject", code: "spam_suspicion" }],
    [100, 2018047, { type: "reject", code: "general" }],
    [100, undefined, { type: "reject", code: "general" }],
    // The token works for another call: one refusal proves nothing.
    [190, 463, { type: "retry" }],
    [102, undefined, { type: "retry" }],
    [10, undefined, { type: "retry" }],
  ])("%i/%s is %o", async (code, subcode, verdict) => {
    const { emulator, send } = await page();
    emulator.core.faults.plan({ operation: "send", code, ...(subcode && { subcode }) } as never);
    await expect(send()).rejects.toMatchObject({ verdict });
  });

  it("ends the channel when the token lacks a right, in words that name it", async () => {
    const { emulator, settings, send } = await page();
    emulator.core.tokens.find((settings as { token: string }).token)?.rights.delete("pages_messaging");
    const error = await send().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      verdict: { type: "reconnect" },
      message: "the token lacks a permission: pages_messaging",
    });
  });
});

const judge = contractJudge("messenger");
describe.skipIf(!judge)("the whole traffic with a page", () => {
  it("fits the published contract", async () => {
    const shop = await page();
    const { emulator, chat, session, send, target, atGateway } = shop;
    await session.inspect?.(fresh());
    await session.standing?.(fresh());
    await send({ quote: { messengerMessageId: chat.messages[0]?.mid as MessengerMessageId } }, "a");
    await send(
      {
        suggestions: [
          { type: "text", title: "Red" },
          { type: "phone", title: "Phone" },
        ],
      },
      "b",
    );
    await send({ suggestions: [{ type: "url", title: "Open", payload: "https://shop.example/" }] }, "c");
    atGateway.set("f1", () => ({
      body: new Blob(["%PDF-1.4"]).stream(),
      mediaType: "application/pdf",
      name: "a.pdf",
      size: 8,
    }));
    await send({ kind: "file", text: "", files: [{ file: { at: "gateway", id: "f1" as never } }] }, "d");
    const ref = { chat: target("x").chat, messengerMessageId: chat.messages[0]?.mid as MessengerMessageId };
    await session.reactions?.set(ref, "👍", fresh());
    await session.reactions?.set(ref, null, fresh());
    await session.readMarks?.read(ref, fresh());
    await emulator.customers.opens(chat);
    await session.avatars?.find(chat.scopedId as never, fresh());
    await session.disconnect(fresh());
    const entries = emulator.core.journal.entries();
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(6);
    expect(entries.filter(({ kind, status }) => kind === "call" && status >= 400)).toEqual([]);
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
  });
});

it.each([
  ["a picture", "image", "image/png", "offer.png", "file"],
  ["a voice message", "audio", "audio/mpeg", "voice.mp3", "file"],
] as const)("%s that is something else goes as a file without a type", async (_, kind, mediaType, name, type) => {
  const { send, sent, atGateway } = await page();
  atGateway.set("f1", () => ({ body: new Blob(["%PDF-1.4"]).stream(), mediaType, name, size: 8 }));
  const { losses } = await send({ kind, text: "", files: [{ file: { at: "gateway", id: "f1" as never } }] });
  expect(sent().map(({ attachments }) => attachments.map((each) => each.type))).toEqual([[type]]);
  expect(losses).toEqual(kind === "image" ? [{ code: "picture-as-file", about: name }] : []);
});
