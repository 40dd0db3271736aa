import { expect, it } from "vitest";
import type { ChannelAdapter } from "../../../src/channels/port.ts";
import type { Call } from "../../../src/domain/call.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import { DeliveryError } from "../../../src/domain/delivery.ts";
import type { ChannelEvent, OpenFile } from "../../../src/domain/message.ts";
import { bottles } from "../../contract/toy/bottles.ts";
import { fileOf } from "../../support/channel-context.ts";
import { customerSays } from "../../support/events.ts";
import { answer, recordingGateway } from "../../support/gateway.ts";
import { relayLives } from "../../support/lives.ts";

const MINUTE = 60_000;
type Open = (ref: string, signal: AbortSignal) => Promise<OpenFile>;

const failing: [string, Open][] = [
  ["a redirect", () => Promise.reject(DeliveryError.stray("the answer is not from the messenger (status 302)", 302))],
  ["a page for a 404", () => Promise.reject(DeliveryError.stray("the answer is not from the messenger", 404))],
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

const picture = (id: string): ChannelEvent => ({
  ...(customerSays(id) as Extract<ChannelEvent, { type: "message" }>),
  content: { type: "file", files: [{ file: { at: "messenger", ref: "r" }, name: "a.pdf" }], note: "look" },
});

/** A messenger whose files `open` serves, and a gateway that takes files, too. */
async function served(open: { now: Open }) {
  const files = { open: (ref: string, signal: AbortSignal) => open.now(ref, signal) };
  const adapter: ChannelAdapter = { ...bottles, open: (context) => ({ ...bottles.open(context), files }) };
  const gateway = recordingGateway();
  const call = (clock: Clock): Call => {
    const messages = gateway.call(clock);
    return async (request) => {
      if (!request.url.endsWith("/files/upload")) return messages(request);
      const [file] = (request.body as { files: { bytes: ReadableStream<Uint8Array> }[] }).files;
      const whole = await new Response(file?.bytes).text().catch(() => undefined);
      if (whole === undefined) return { type: "failure", sent: "no", reason: "source", detail: "the file broke off" };
      return answer(200, { id: `file of ${whole}` });
    };
  };
  const relay = await relayLives({ adapter, call });
  await relay.begin();
  const texts = () => gateway.taken.map(({ body }) => JSON.stringify(body.message));
  return { ...relay, gateway, texts };
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
