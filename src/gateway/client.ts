import type { z } from "zod";
import type { Answer, CallRequest } from "../domain/call.ts";
import type { Features } from "../domain/channel.ts";
import { prefixed } from "../domain/content.ts";
import { type Ack, DeliveryError } from "../domain/delivery.ts";
import { expectSize, isHtmlPage, withBufferedBody } from "../domain/fetched.ts";
import type { GatewayChannelId, GatewayFileId, GatewayMessageId, MessengerMessageId } from "../domain/ids.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "../domain/message.ts";
import { int64, writeJson } from "./json.ts";
import type { Priority } from "./limiter.ts";
import { type GatewayParts, PROBE, type Request, type Send, sending } from "./sending.ts";
import { toNoteRequest, toSendRequest, toSettings, toWireText } from "./translate.ts";
import { answerError, failureError, isDuplicate, isMissing, strayError, tooLarge } from "./verdict.ts";
import { channelAnswer, channelList, fileAnswer, sentAnswer } from "./wire.ts";
import { bodyOf, errorsOf, isSuccess } from "./word.ts";

type Of<Type extends ChannelEvent["type"]> = Extract<ChannelEvent, { type: Type }>;
/** A message by whichever of its names is known; the gateway's own wins. */
export interface MessageRef {
  gatewayMessageId?: GatewayMessageId;
  messengerMessageId: MessengerMessageId;
}
export interface Posted {
  /** Absent when the gateway said that it has the message already. */
  gatewayMessageId?: GatewayMessageId;
  warnings: string[];
}

/** The Transport API as far as the relay uses it. Every method throws DeliveryError. */
export interface Gateway {
  activateChannel(
    channel: ChannelCard & { externalId: string },
    signal: AbortSignal,
  ): Promise<{ id: GatewayChannelId }>;
  updateChannel(id: GatewayChannelId, channel: ChannelCard, signal: AbortSignal): Promise<void>;
  /** One that is gone already counts as done. */
  deactivateChannel(id: GatewayChannelId, signal: AbortSignal): Promise<void>;
  uploadFile(file: OpenFile, signal: AbortSignal): Promise<GatewayFileId>;
  /** What a file is and where; its bytes come when it is opened. */
  file(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  /** A message the gateway has already counts as posted; one whose quote it does not know goes without the quote. */
  sendMessage(id: GatewayChannelId, message: InboundPost, signal: AbortSignal): Promise<Posted>;
  /** Writes a line for the agent into a chat that is known already. */
  sendNote(id: GatewayChannelId, note: Of<"note">, signal: AbortSignal): Promise<Posted>;
  editMessage(id: GatewayChannelId, event: Of<"edited">, signal: AbortSignal): Promise<void>;
  deleteMessage(id: GatewayChannelId, event: MessageRef, signal: AbortSignal): Promise<void>;
  markRead(id: GatewayChannelId, message: MessageRef, signal: AbortSignal): Promise<void>;
  setReaction(id: GatewayChannelId, event: Of<"reaction">, signal: AbortSignal): Promise<void>;
  ack(id: GatewayChannelId, ack: Ack, signal: AbortSignal): Promise<void>;
  /** Resolves when the account's token is good; changes nothing. */
  check(signal: AbortSignal): Promise<void>;
}
export interface InboundPost {
  event: Of<"message">;
  files: GatewayFileId[];
  /** Address of the customer's picture. */
  avatar?: string;
}
export interface ChannelCard {
  name: string;
  features: Features;
}

/** Deadline of a request that carries a file, ms; largest file (the gateway's own limit), bytes. */
const FILE_MS = 120_000;
export const FILE_BYTES = 20 * 1024 * 1024;
/** Longest channel name (contract). */
const NAME_LENGTH = 100;

export function createGateway(parts: GatewayParts): Gateway {
  const ask = sending(parts);
  const json = (method: CallRequest["method"], path: string, body: unknown, priority?: Priority): Request => {
    return { method, path, priority, body: writeJson(body), headers: { "content-type": "application/json" } };
  };
  /** Asks for what `schema` reads. */
  const get = async <Schema extends z.ZodType>(request: Request, schema: Schema, signal: AbortSignal) =>
    read(await ask(request, signal), schema, parts.clock.now());
  /** Asks for something to be done; what `already` is said of counts as done. */
  const must = async (request: Request, signal: AbortSignal, already?: (answer: Answer) => boolean): Promise<void> => {
    const answer = await ask(request, signal);
    // Of one channel or another: the operation is the same.
    const operation = `${request.method} ${request.path.replace(/\/\d+$/, "")}`;
    if (!parts.isDone(operation, answer) && !already?.(answer)) throw answerError(answer, parts.clock.now());
  };

  return {
    async activateChannel(channel, signal) {
      const body = { ...card(channel), external_id: channel.externalId };
      return { id: (await get(json("POST", "/channels", body, "bulk"), channelAnswer, signal)).id };
    },
    async updateChannel(id, channel, signal) {
      await must(json("PUT", `/channels/${id}`, card(channel), "bulk"), signal);
    },
    async deactivateChannel(id, signal) {
      await must({ method: "DELETE", path: `/channels/${id}`, priority: "bulk" }, signal, isMissing);
    },
    async uploadFile(file, signal) {
      const { name = "file", mediaType, body: bytes } = file;
      const body = { files: [{ field: "file", fileName: name, mediaType, bytes }] };
      const request = { method: "POST", path: "/files/upload", body, timeoutMs: FILE_MS } as const;
      return (await get(request, fileAnswer, signal)).id;
    },
    file: (id, signal) => gatewayFile(parts, ask, id, signal),
    sendMessage: (id, message, signal) => {
      const body = (quote: boolean) => toSendRequest(id, quote ? message : unquoted(message), { quote });
      return post(parts, ask, (quote) => json("POST", "/messages", body(quote)), message.event.quote, signal);
    },
    sendNote: (id, note, signal) =>
      post(parts, ask, () => json("POST", "/messages", toNoteRequest(id, note)), undefined, signal),
    async editMessage(id, { messengerMessageId, text, at }, signal) {
      const message = { external_id: messengerMessageId, text: toWireText(text), edited_at: at };
      await must(json("PUT", "/messages", { channel: int64(id), message }), signal);
    },
    async deleteMessage(id, message, signal) {
      await must(json("DELETE", "/messages", { channel: int64(id), message: reference(message) }), signal, isMissing);
    },
    async markRead(id, message, signal) {
      await must(json("POST", "/messages/read", { channel_id: int64(id), message: reference(message) }), signal);
    },
    async setReaction(id, { messengerMessageId, reaction }, signal) {
      const body = { channel: int64(id), message: { external_id: messengerMessageId } };
      if (reaction) await must(json("POST", "/messages/reaction", { ...body, reaction }), signal);
      else await must(json("DELETE", "/messages/reaction", body), signal, isMissing);
    },
    async ack(id, ack, signal) {
      await must(json("POST", "/messages/ack", ackBody(id, ack)), signal);
    },
    async check(signal) {
      await get(PROBE, channelList, signal);
    },
  };
}

/** What it answers is then said in words. */
function unquoted(message: InboundPost): InboundPost {
  const { quoted, content } = message.event;
  if (!quoted || quoted.always) return message;
  return { ...message, event: { ...message.event, content: prefixed(content, quoted.head) } };
}

const card = ({ name, features }: ChannelCard) => ({
  type: features.type,
  name: [...name].slice(0, NAME_LENGTH).join(""),
  settings: toSettings(features),
});

const reference = ({ gatewayMessageId, messengerMessageId }: MessageRef) =>
  gatewayMessageId ? { id: int64(gatewayMessageId) } : { external_id: messengerMessageId };

/** Longest `external_code` (contract). */
const CODE_LENGTH = 100;
const ackBody = (id: GatewayChannelId, { gatewayMessageId, messengerMessageId, error }: Ack) => ({
  channel: int64(id),
  message: { id: int64(gatewayMessageId) },
  transport_message_id: messengerMessageId,
  error: error && {
    code: error.code,
    message: error.message,
    external_code: error.externalCode?.slice(0, CODE_LENGTH),
  },
});

/** Throws unless the answer is a success in the contract's shape: one in another leaves open what happened. */
function read<Schema extends z.ZodType>(answer: Answer, schema: Schema, now: number): z.infer<Schema> {
  if (!isSuccess(answer)) throw answerError(answer, now);
  const result = schema.safeParse(bodyOf(answer));
  if (!result.success) throw strayError(answer);
  return result.data;
}

type Toward = (quote: boolean) => Request;

async function post(
  { clock }: GatewayParts,
  ask: Send,
  request: Toward,
  quoted: MessengerMessageId | undefined,
  signal: AbortSignal,
): Promise<Posted> {
  let answer = await ask(request(true), signal);
  // The gateway may not know the quoted message (older than the connection, or deleted): better said than lost.
  if (quoted && answer.status === 400 && errorsOf(answer) && !isDuplicate(answer))
    answer = await ask(request(false), signal);
  if (isDuplicate(answer)) return { warnings: [] };
  const sent = read(answer, sentAnswer, clock.now());
  return { gatewayMessageId: sent.message_id, warnings: sent.warnings ?? [] };
}

async function gatewayFile(
  { call, clock, access }: GatewayParts,
  ask: Send,
  id: GatewayFileId,
  signal: AbortSignal,
): Promise<GatewayFile> {
  const answer = await ask({ method: "GET", path: `/files/${encodeURIComponent(id)}` }, signal);
  const file = read(answer, fileAnswer, clock.now());
  const address = file.url ?? file.Url;
  if (!address || !URL.canParse(address, access.url()))
    throw new DeliveryError({ type: "reject", code: "general" }, "the gateway gave no address for the file");
  const url = new URL(address, access.url());
  const name = fileName(url);
  const known = { name, mediaType: file.mime_type ?? "application/octet-stream", size: file.size };
  const open = async (within: AbortSignal): Promise<OpenFile> => {
    const fetching = { timeoutMs: FILE_MS, maxBytes: FILE_BYTES, stream: true, signal: within };
    const bytes = await call({ method: "GET", url: url.href, ...fetching });
    if (bytes.type === "failure") throw bytes.reason === "too-large" ? tooLarge(bytes) : failureError(bytes);
    if (!isSuccess(bytes) || !bytes.stream) throw answerError(await withBufferedBody(bytes), clock.now());
    if (isHtmlPage(bytes, known)) {
      await bytes.stream.cancel();
      throw strayError(bytes);
    }
    const body = expectSize(bytes.stream, known.size);
    return { ...known, body, mediaType: bytes.headers["content-type"] ?? known.mediaType };
  };
  return { ...known, url: url.href, open };
}

/** The last piece of the path. A percent sign that encodes nothing ("100%.pdf") is taken as it stands. */
function fileName(url: URL): string | undefined {
  const piece = url.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(piece) || undefined;
  } catch {
    return piece;
  }
}
