import type { z } from "zod";
import { type CallRequest, expectSize, isHtmlPage, withBufferedBody } from "../domain/call/call.ts";
import type { Features } from "../domain/channel/channel.ts";
import { type Ack, DeliveryError } from "../domain/delivery/delivery.ts";
import {
  fitGatewayId,
  type GatewayChannelId,
  type GatewayFileId,
  type GatewayMessageId,
  type MessengerMessageId,
} from "../domain/ids.ts";
import { prefixed } from "../domain/message/content.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "../domain/message/message.ts";
import { cutText } from "../domain/text/text.ts";
import type { Priority } from "./limiter.ts";
import {
  answerError,
  createSend,
  failureError,
  foreignError,
  type GatewayParts,
  isDuplicate,
  isMissing,
  isRefused,
  isSuccess,
  type Operation,
  PROBE,
  type ReadAnswer,
  type Request,
  type Send,
  tooLarge,
  withBody,
} from "./sending.ts";
import { type TemplateCalls, templateCalls } from "./templates.ts";
import { toNoteRequest, toSendRequest, toSettings, toWireText } from "./translate.ts";
import {
  channelAnswer,
  channelList,
  fileAnswer,
  int64,
  readAnswer,
  sentAnswer,
  templateList,
  writeJson,
} from "./wire.ts";

type Of<Type extends ChannelEvent["type"]> = Extract<ChannelEvent, { type: Type }>;
/** A message by its gateway id if known, else by its messenger id. */
export interface MessageRef {
  gatewayMessageId?: GatewayMessageId;
  messengerMessageId: MessengerMessageId;
}
export interface Posted {
  /** Absent when the gateway reports a duplicate. */
  gatewayMessageId?: GatewayMessageId;
  warnings: string[];
}

/** The parts of the Transport API that the relay uses. Every method throws DeliveryError. */
export interface Gateway {
  activateChannel(
    channel: ChannelCard & { externalId: string },
    signal: AbortSignal,
  ): Promise<{ id: GatewayChannelId }>;
  updateChannel(id: GatewayChannelId, channel: ChannelCard, signal: AbortSignal): Promise<void>;
  /** A missing channel counts as deactivated. */
  deactivateChannel(id: GatewayChannelId, signal: AbortSignal): Promise<void>;
  uploadFile(file: OpenFile, signal: AbortSignal): Promise<GatewayFileId>;
  /** File metadata and URL; `open` downloads the bytes. */
  file(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  /** A duplicate counts as posted. If the gateway refuses the quote, the message goes without it. */
  sendMessage(id: GatewayChannelId, message: InboundPost, signal: AbortSignal): Promise<Posted>;
  /** Posts a note for the agent into an existing chat. */
  sendNote(id: GatewayChannelId, note: Of<"note">, signal: AbortSignal): Promise<Posted>;
  editMessage(id: GatewayChannelId, event: Of<"edited">, signal: AbortSignal): Promise<void>;
  deleteMessage(id: GatewayChannelId, event: MessageRef, signal: AbortSignal): Promise<void>;
  markRead(id: GatewayChannelId, message: MessageRef, signal: AbortSignal): Promise<void>;
  markReadUntil(id: GatewayChannelId, event: Of<"read-until">, signal: AbortSignal): Promise<void>;
  setReaction(id: GatewayChannelId, event: Of<"reaction">, signal: AbortSignal): Promise<void>;
  ack(id: GatewayChannelId, ack: Ack, signal: AbortSignal): Promise<void>;
  templates: TemplateCalls;
  /** Resolves when the account's token works; changes nothing. */
  check(signal: AbortSignal): Promise<void>;
}
export interface InboundPost {
  event: Of<"message">;
  files: GatewayFileId[];
  /** URL of the customer's picture. */
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
  const send = createSend(parts);
  const json = (
    operation: Operation,
    method: CallRequest["method"],
    path: string,
    body: unknown,
    priority?: Priority,
  ): Request => ({ operation, method, path, priority, body: writeJson(body) });
  const get = async <Schema extends z.ZodType>(request: Request, schema: Schema, signal: AbortSignal) =>
    read(request.operation, await send(request, signal), schema, parts.clock.now());
  /** Expects an empty success. */
  const expectDone = async (request: Request, signal: AbortSignal, or?: "or missing"): Promise<void> => {
    const { operation } = request;
    const answer = await send(request, signal);
    if (parts.isDone(operation, answer) || (or && isMissing(operation, answer))) return;
    throw answerError(operation, answer, parts.clock.now());
  };

  return {
    async activateChannel(channel, signal) {
      const body = { ...card(channel), external_id: channel.externalId };
      return { id: (await get(json("activateChannel", "POST", "/channels", body, "bulk"), channelAnswer, signal)).id };
    },
    async updateChannel(id, channel, signal) {
      await expectDone(json("updateChannel", "PUT", `/channels/${id}`, card(channel), "bulk"), signal);
    },
    async deactivateChannel(id, signal) {
      const request = { method: "DELETE", path: `/channels/${id}`, priority: "bulk" } as const;
      await expectDone({ operation: "deactivateChannel", ...request }, signal, "or missing");
    },
    async uploadFile(file, signal) {
      const { name = "file", mediaType, body: bytes } = file;
      const body = { files: [{ field: "file", fileName: name, mediaType, bytes }] };
      const request = { method: "POST", path: "/files/upload", body, timeoutMs: FILE_MS } as const;
      return (await get({ operation: "uploadFile", ...request }, fileAnswer, signal)).id;
    },
    file: (id, signal) => gatewayFile(parts, send, id, signal),
    sendMessage: (id, message, signal) => {
      const body = (quote: boolean) => toSendRequest(id, quote ? message : unquoted(message), { quote });
      return post(
        parts,
        send,
        (quote) => json("sendMessage", "POST", "/messages", body(quote)),
        message.event.quote,
        signal,
      );
    },
    sendNote: (id, note, signal) =>
      post(parts, send, () => json("sendMessage", "POST", "/messages", toNoteRequest(id, note)), undefined, signal),
    async editMessage(id, { messengerMessageId, text, at }, signal) {
      const message = { external_id: messengerMessageId, text: toWireText(text), edited_at: at };
      await expectDone(json("editMessage", "PUT", "/messages", { channel: int64(id), message }), signal);
    },
    async deleteMessage(id, message, signal) {
      const body = { channel: int64(id), message: reference(message) };
      await expectDone(json("deleteMessage", "DELETE", "/messages", body), signal, "or missing");
    },
    async markRead(id, message, signal) {
      const body = { channel_id: int64(id), message: reference(message) };
      await expectDone(json("markMessageRead", "POST", "/messages/read", body), signal);
    },
    async markReadUntil(id, { customer, at }, signal) {
      const until = { customer_external_id: fitGatewayId(customer), until: new Date(at).toISOString() };
      const body = { channel_id: int64(id), ...until };
      await get(json("markMessagesReadUntil", "POST", "/messages/read_until", body), readAnswer, signal);
    },
    async setReaction(id, { messengerMessageId, reaction }, signal) {
      const body = { channel: int64(id), message: { external_id: messengerMessageId } };
      const path = "/messages/reaction";
      if (reaction) await expectDone(json("addMessageReaction", "POST", path, { ...body, reaction }), signal);
      else await expectDone(json("deleteMessageReaction", "DELETE", path, body), signal, "or missing");
    },
    ack: (id, ack, signal) => expectDone(json("ackMessage", "POST", "/messages/ack", ackBody(id, ack)), signal),
    templates: templateCalls({
      list: (request, signal) => get(request, templateList, signal),
      json: (operation, method, path, body) => json(operation, method, path, body, "bulk"),
      done: expectDone,
    }),
    async check(signal) {
      await get(PROBE, channelList, signal);
    },
  };
}

/** Without the quote reference; the quoted text becomes a prefix instead. */
function unquoted(message: InboundPost): InboundPost {
  const { quoted, content } = message.event;
  if (!quoted || quoted.always) return message;
  return { ...message, event: { ...message.event, content: prefixed(content, quoted.head) } };
}

const card = ({ name, features }: ChannelCard) => ({
  type: features.type,
  name: cutText(name, NAME_LENGTH),
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
    external_code: error.externalCode && cutText(error.externalCode, CODE_LENGTH),
  },
});

/** Throws DeliveryError unless the answer is a success in the contract's shape; any other success is unsure. */
function read<Schema extends z.ZodType>(
  operation: Operation,
  answer: ReadAnswer,
  schema: Schema,
  now: number,
): z.infer<Schema> {
  if (!isSuccess(answer)) throw answerError(operation, answer, now);
  const result = schema.safeParse(answer.body);
  if (!result.success) throw foreignError(answer);
  return result.data;
}

type QuotableRequest = (quote: boolean) => Request;

async function post(
  { clock }: GatewayParts,
  send: Send,
  request: QuotableRequest,
  quoted: MessengerMessageId | undefined,
  signal: AbortSignal,
): Promise<Posted> {
  let answer = await send(request(true), signal);
  // The gateway may not know the quoted message (older than the connection, or deleted): retry without the quote.
  if (quoted && isRefused("sendMessage", answer) && !isDuplicate(answer)) answer = await send(request(false), signal);
  if (isDuplicate(answer)) return { warnings: [] };
  const sent = read("sendMessage", answer, sentAnswer, clock.now());
  return { gatewayMessageId: sent.message_id, warnings: sent.warnings ?? [] };
}

async function gatewayFile(
  { call, clock, access }: GatewayParts,
  send: Send,
  id: GatewayFileId,
  signal: AbortSignal,
): Promise<GatewayFile> {
  const answer = await send(
    { operation: "getFileUrl", method: "GET", path: `/files/${encodeURIComponent(id)}` },
    signal,
  );
  const file = read("getFileUrl", answer, fileAnswer, clock.now());
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
    if (!isSuccess(bytes) || !bytes.stream)
      throw answerError("downloadFile", withBody(await withBufferedBody(bytes)), clock.now());
    if (isHtmlPage(bytes, known)) {
      await bytes.stream.cancel();
      throw foreignError(bytes);
    }
    const body = expectSize(bytes.stream, known.size);
    return { ...known, body, mediaType: bytes.headers["content-type"] ?? known.mediaType };
  };
  return { ...known, url: url.href, open };
}

/** The last path segment. A stray percent sign ("100%.pdf") is taken literally. */
function fileName(url: URL): string | undefined {
  const segment = url.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment) || undefined;
  } catch {
    return segment;
  }
}
