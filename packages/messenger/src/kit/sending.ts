import { crc32, deflateSync } from "node:zlib";
import type { MessageKind } from "../features.ts";
import type { ChatId, GatewayFileId } from "../ids.ts";
import type { Content, OpenFile } from "../message.ts";
import type { SendStep, SentPart } from "../plan.ts";
import { planMessage, type ToSend } from "../planning.ts";
import type { ChannelAdapter, ChannelSession } from "../port.ts";
import { linkLine } from "../text.ts";
import { streamOf } from "./context.ts";

export const HELLO: Content = { type: "text", text: "hello" };

interface Speaker {
  adapter: ChannelAdapter;
  settings: unknown;
  session: ChannelSession;
}

/** Sends a message as the relay does: plans it, then sends each step. */
export async function sendMessage(
  { adapter, settings, session }: Speaker,
  message: Partial<ToSend> & { chat: ChatId; content: Content },
  key: string,
  signal: AbortSignal,
): Promise<SentPart[]> {
  const { steps } = planMessage(
    { suggestions: [], ...message },
    adapter.capabilities(adapter.settings.parse(settings)),
  );
  const parts: SentPart[] = [];
  for (const [n, step] of steps.entries()) {
    if (step.do !== "send") continue;
    const lines = step.links.map((part) => linkLine(part, { url: "https://gateway.example/file" }));
    const text = [step.text, ...lines].filter(Boolean).join("\n");
    const sent = await session.send(
      { ...step, text },
      { chat: message.chat, key: n === 0 ? key : `${key}.${n}` },
      signal,
    );
    parts.push(...sent.parts);
  }
  return parts;
}

/** The step of a short text. */
export function textStep(adapter: ChannelAdapter, settings: unknown): SendStep {
  const capabilities = adapter.capabilities(adapter.settings.parse(settings));
  const [step] = planMessage({ content: HELLO, suggestions: [] }, capabilities).steps;
  if (step?.do !== "send") throw new Error("a text is a step");
  return step;
}

/** A message of the given kind; its file is at the gateway. */
export function contentOf(kind: MessageKind, atGateway: Map<string, () => OpenFile>, files = FILES): Content {
  if (kind === "text") return HELLO;
  if (kind === "product")
    return { type: "product", product: { id: 1, name: "Rope", cost: { value: 3, currency: "EUR" } } };
  if (kind === "order") return { type: "order", order: { number: "7", items: [{ name: "Rope" }] } };
  const { bytes, mediaType, name } = files[kind];
  atGateway.set("f1", () => ({ body: streamOf(bytes), mediaType, name, size: bytes.length }));
  return { type: kind, files: [{ file: { at: "gateway", id: "f1" as GatewayFileId } }], note: "note" };
}

const chunk = (type: string, body: Uint8Array) => {
  const head = Buffer.from(type, "latin1");
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(Buffer.concat([head, body])));
  return Buffer.concat([size, head, body, sum]);
};
/** A valid picture of 8 × 8 grey pixels. */
export const PICTURE = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk("IHDR", Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0])),
  chunk("IDAT", deflateSync(Buffer.alloc(8 * 9, 0x80))),
  chunk("IEND", Buffer.alloc(0)),
]);

export const FILES = {
  image: { bytes: PICTURE, mediaType: "image/png", name: "rope.png" },
  file: { bytes: Buffer.from("terms of delivery"), mediaType: "text/plain", name: "Условия.txt" },
  audio: { bytes: Buffer.from("OggS OpusHead voice"), mediaType: "audio/ogg", name: "voice.ogg" },
};
