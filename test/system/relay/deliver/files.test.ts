import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, CustomerId } from "gangway-messenger/ids";
import type { ChannelEvent, FilePart, OpenFile } from "gangway-messenger/message";
import type { ChannelAdapter } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { fileOf } from "../../../support/channel-context.ts";
import { readRows } from "../../../support/engine.ts";
import { customerSays } from "../../../support/events.ts";
import { answer, recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { bottles } from "../../contract/toy/bottles.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
type Open = (ref: string, signal: AbortSignal) => Promise<OpenFile>;

const failing: [string, Open][] = [
  ["a redirect", () => Promise.reject(DeliveryError.foreign("the answer is not from the messenger (status 302)", 302))],
  ["a page for a 404", () => Promise.reject(DeliveryError.foreign("the answer is not from the messenger", 404))],
  ["too few bytes", async () => ({ ...fileOf("x"), body: breaking() })],
  ["silence", (_, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(timeout())))],
  ["a stream that never ends", async (_, signal) => ({ ...fileOf("x"), body: silent(signal) })],
];
const timeout = () => new DeliveryError({ type: "retry" }, "timeout");
const breaking = () =>
  new ReadableStream<Uint8Array>({ pull: (stream) => stream.error(new DeliveryError({ type: "retry" }, "too few")) });
const silent = (signal: AbortSignal) =>
  new ReadableStream<Uint8Array>({
    start: (stream) => signal.addEventListener("abort", () => stream.error(new Error("aborted"))),
  });

const A_FILE: FilePart = { file: { at: "messenger", ref: "r" }, name: "a.pdf" };
const picture = (id: string): ChannelEvent => ({
  ...(customerSays(id) as Extract<ChannelEvent, { type: "message" }>),
  content: { type: "file", files: [A_FILE], note: "look" },
});

const takenBack = {
  ...{ type: "deleted", key: "gone", at: 0, chat: "chat-1", messengerMessageId: "m1" },
} as ChannelEvent;

/** A messenger whose files `open` serves, and a gateway that takes files, too. */
async function served(open: { now: Open }) {
  const files = { open: (ref: string, signal: AbortSignal) => open.now(ref, signal) };
  const adapter: ChannelAdapter = { ...bottles, open: (context) => ({ ...bottles.open(context), files }) };
  const gateway = recordingGateway();
  const at = { answersPosts: true, uploads: 0, uploadMs: 0, deleted: [] as string[] };
  const call = (clock: Clock): Call => {
    const messages = gateway.call(clock);
    return async (request) => {
      if (request.url.endsWith("/messages") && !at.answersPosts) {
        await messages(request);
        return { type: "failure", sent: "perhaps", reason: "timeout", detail: "no answer" };
      }
      if (request.method === "DELETE") {
        at.deleted.push(JSON.parse(String(request.body)).message.external_id);
        return answer(200, {});
      }
      if (!request.url.endsWith("/files/upload")) return messages(request);
      at.uploads += 1;
      if (at.uploadMs > 0) await pause(clock, at.uploadMs);
      const [file] = (request.body as { files: { bytes: ReadableStream<Uint8Array> }[] }).files;
      const whole = await new Response(file?.bytes).text().catch(() => undefined);
      if (whole === undefined) return { type: "failure", sent: "no", reason: "source", detail: "the file broke off" };
      return answer(200, { id: `file of ${whole}` });
    };
  };
  const relay = await relayLives({ adapter, call });
  await relay.begin();
  const texts = () => gateway.taken.map(({ body }) => JSON.stringify(body.message));
  return { ...relay, gateway, texts, at };
}

it.each(failing)("a file that cannot be fetched (%s) holds up its message for two minutes at most", async (_, open) => {
  const { channel, store, wake, clock, texts } = await served({ now: open });
  await store().outbox.acceptInbound(channel, { events: [picture("m1"), customerSays("m2", "still there?")] });
  wake();
  await clock.forward(2 * MINUTE);
  expect(texts()).toEqual([
    expect.stringContaining("[a.pdf: the file could not be passed on]"),
    expect.stringContaining("still there?"),
  ]);
  expect(texts()[0]).toContain("look");
});

it("a file that is there again within a minute comes with its message", async () => {
  const open = { now: failing[0]?.[1] as Open };
  const { channel, store, wake, clock, texts } = await served(open);
  await store().outbox.acceptInbound(channel, { events: [picture("m1"), customerSays("m2", "still there?")] });
  wake();
  await clock.forward(MINUTE);
  expect(texts()).toEqual([]);
  open.now = async () => fileOf("bytes");
  await clock.forward(MINUTE);
  expect(texts()).toEqual([expect.stringContaining("file of bytes"), expect.stringContaining("still there?")]);
});

it.each([
  ["three files go with their message", 3, [3]],
  ["of six, those that fit into the attempt; the others come later", 6, [3, 3]],
])("a gateway that takes files slowly costs none: %s", async (_, count, posts) => {
  const { channel, store, wake, clock, texts, at } = await served({ now: async () => fileOf("bytes") });
  at.uploadMs = 40_000;
  const files = Array.from({ length: count }, () => A_FILE);
  const event = { ...picture("m1"), content: { type: "file", files } } as ChannelEvent;
  await store().outbox.acceptInbound(channel, { events: [event] });
  wake();
  await clock.forward(10 * MINUTE);
  expect(texts().map((text) => text.split("file of bytes").length - 1)).toEqual(posts);
});

it("many files that cannot be fetched hold up their message for two minutes at most, too", async () => {
  const { channel, store, wake, clock, texts } = await served({ now: failing[3]?.[1] as Open });
  const files = Array.from({ length: 8 }, () => A_FILE);
  const event = { ...picture("m1"), content: { type: "file", files } } as ChannelEvent;
  await store().outbox.acceptInbound(channel, { events: [event] });
  wake();
  await clock.forward(2 * MINUTE);
  expect(texts().length).toBe(1);
});

describe("a file that comes after its message", () => {
  /** Its message has gone without it. */
  async function late() {
    const open = { now: failing[1]?.[1] as Open };
    const made = await served(open);
    await made.store().outbox.acceptInbound(made.channel, { events: [picture("m1")] });
    made.wake();
    await made.clock.forward(2 * MINUTE);
    expect(made.texts().length).toBe(1);
    const rows = async () => (await readRows(made.folder, ["message"])).message ?? [];
    const ledger = async () => (await made.store().ledger(made.account.id))[0];
    return { ...made, open, rows, ledger };
  }

  it("is a message of its own, which quotes and names the one that it belongs to, and holds up nobody meanwhile", async () => {
    const { open, channel, store, wake, clock, gateway, texts, ledger } = await late();
    await store().outbox.acceptInbound(channel, { events: [customerSays("m2", "still there?")] });
    wake();
    await clock.forward(MINUTE);
    expect(texts()[1]).toContain("still there?");
    await clock.forward(HOUR);
    expect(texts().length).toBe(2);
    open.now = async () => fileOf("bytes");
    await clock.forward(15 * MINUTE);
    expect(texts().length).toBe(3);
    expect(texts()[2]).toContain("[a.pdf: belongs to an earlier message: look]");
    expect(gateway.taken[2]?.body).toMatchObject({
      message: { items: [{ id: "file of bytes" }] },
      quote: { external_id: "m1" },
    });
    expect(await ledger()).toMatchObject({ accepted: 2, delivered: 2, waiting: 0, hole: 0, jobs: 0 });
  });

  it("comes also if the gateway did not answer when its message went, and the file was there for the repeat", async () => {
    const open = { now: failing[1]?.[1] as Open };
    const { channel, store, wake, clock, texts, at } = await served(open);
    at.answersPosts = false;
    await store().outbox.acceptInbound(channel, { events: [picture("m1")] });
    wake();
    await clock.forward(2 * MINUTE);
    expect(texts()).toEqual([expect.stringContaining("could not be passed on")]);
    at.answersPosts = true;
    open.now = async () => fileOf("bytes");
    await clock.forward(HOUR);
    expect(texts().slice(1)).toEqual([expect.stringContaining("file of bytes")]);
  });

  it("does not come if the gateway had it from an attempt that it did not answer, and only the repeat went without", async () => {
    const open = { now: (async () => fileOf("bytes")) as Open };
    const { channel, store, wake, clock, texts, at } = await served(open);
    at.answersPosts = false;
    await store().outbox.acceptInbound(channel, { events: [picture("m1")] });
    wake();
    await clock.forward(100);
    expect(texts()).toEqual([expect.stringContaining("file of bytes")]);
    at.answersPosts = true;
    open.now = failing[1]?.[1] as Open;
    await clock.forward(5 * MINUTE);
    open.now = async () => fileOf("bytes");
    await clock.forward(HOUR);
    expect(texts().length).toBe(1);
  });

  it("is a picture if its bytes are, as it would have been in its message", async () => {
    const open = { now: failing[1]?.[1] as Open };
    const { channel, store, wake, clock, gateway } = await served(open);
    const files = [{ ...A_FILE, mayBePicture: true }];
    const event = { ...picture("m1"), content: { type: "file", files, note: "look" } } as ChannelEvent;
    await store().outbox.acceptInbound(channel, { events: [event] });
    wake();
    await clock.forward(2 * MINUTE);
    open.now = async () => fileOf("bytes", "image/png");
    await clock.forward(HOUR);
    expect(gateway.taken[1]?.body.message).toMatchObject({ type: "image", items: [{ id: "file of bytes" }] });
  });

  it.each([
    ["does not come if that is taken back before", true],
    ["is taken back with it", false],
  ])("%s", async (_, before) => {
    const { open, channel, store, wake, clock, at, texts, ledger } = await late();
    const comes = async () => {
      open.now = async () => fileOf("bytes");
      await clock.forward(HOUR);
    };
    if (!before) await comes();
    await store().outbox.acceptInbound(channel, {
      events: [takenBack],
    });
    wake();
    await clock.forward(MINUTE);
    if (before) await comes();
    expect(texts().join().includes("file of bytes")).toBe(!before);
    expect(at.deleted).toEqual(before ? ["m1"] : ["m1", expect.stringMatching(/^late:/)]);
    expect(await ledger()).toMatchObject({ waiting: 0, hole: 0, jobs: 0 });
  });

  it("is taken back also if that came while it was on its way", async () => {
    const { open, channel, store, wake, clock, at, texts } = await late();
    open.now = async () => fileOf("bytes");
    at.uploadMs = MINUTE;
    while (at.uploads === 0) await clock.forward(5_000);
    expect(texts().length).toBe(1);
    await store().outbox.acceptInbound(channel, { events: [takenBack] });
    wake();
    await clock.forward(HOUR);
    expect([texts().length, at.deleted]).toEqual([1, ["m1"]]);
  });

  it("is tried for a day, and survives a restart", async () => {
    const { begin, crash, clock, open, rows, texts, ledger } = await late();
    await crash();
    await begin();
    clock.leap(24 * HOUR);
    await clock.forward(15 * MINUTE);
    open.now = async () => fileOf("bytes");
    await clock.forward(HOUR);
    expect(texts().length).toBe(1);
    expect((await rows()).map(({ state }) => state)).toEqual(["done", "dead"]);
    expect(await ledger()).toMatchObject({ accepted: 1, delivered: 1, waiting: 0, hole: 0, jobs: 0 });
  });

  it.each([
    ["of a customer", "chat-1"],
    ["of a group", undefined],
  ])("goes with the erasure %s", async (_, customer) => {
    const { store, account, channel, rows } = await late();
    expect((await rows()).length).toBe(2);
    const person = { channelId: channel.id, chat: "chat-1" as ChatId, customer: customer as CustomerId | undefined };
    await store().erasure.customer(account.id, person, { actor: "operator", action: "erased" });
    expect(await rows()).toEqual([]);
  });
});
