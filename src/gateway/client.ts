import type { z } from "zod";
import { type Answer, answerText, type Call, type CallRequest } from "../domain/call.ts";
import type { Features } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import { type Ack, DeliveryError } from "../domain/delivery.ts";
import type { GatewayChannelId, GatewayFileId, GatewayMessageId, MessengerMessageId } from "../domain/ids.ts";
import type { ChannelEvent, GatewayFile, OpenFile } from "../domain/message.ts";
import { int64, parseJson, writeJson } from "./json.ts";
import type { Permits, Priority } from "./limiter.ts";
import { toNoteRequest, toSendRequest, toSettings, toWireText } from "./translate.ts";
import { answerError, failureError, isDuplicate, isMissing, ok, tooLarge } from "./verdict.ts";
import { channelAnswer, fileAnswer, sentAnswer } from "./wire.ts";

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

export interface GatewayParts {
  call: Call;
  clock: Clock;
  permits: Permits;
  /** Where the account's gateway is and how it is entered. */
  access: {
    url(): string;
    token(): string;
    /** Asks for another token after this one was refused; undefined when there is none. */
    renew(dead: string): Promise<string | undefined>;
  };
}

/** Deadlines of a request and of one that carries a file, ms; largest file (the gateway's own limit), bytes. */
const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
export const FILE_BYTES = 20 * 1024 * 1024;
/** Before an upload is begun anew with another token, ms: a gateway that refuses every token must not be asked in a circle. */
const RENEWED_MS = 1_000;
/** Longest channel name (contract). */
const NAME_LENGTH = 100;

type Request = Pick<CallRequest, "method" | "body" | "headers"> & {
  path: string;
  priority?: Priority;
  timeoutMs?: number;
};
type Send = (request: Request, signal: AbortSignal) => Promise<Answer>;

export function createGateway(parts: GatewayParts): Gateway {
  const ask = sending(parts);
  const json = (method: CallRequest["method"], path: string, body: unknown, priority?: Priority): Request => {
    return { method, path, priority, body: writeJson(body), headers: { "content-type": "application/json" } };
  };
  /** Asks, and throws unless the answer is a success or `allowed`. */
  const must = async (request: Request, signal: AbortSignal, allowed?: (answer: Answer) => boolean) => {
    const answer = await ask(request, signal);
    if (!ok(answer) && !allowed?.(answer)) throw answerError(answer, parts.clock.now());
    return answer;
  };

  return {
    async activateChannel(channel, signal) {
      const body = { ...card(channel), external_id: channel.externalId };
      return { id: read(await must(json("POST", "/channels", body, "bulk"), signal), channelAnswer).id };
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
      return read(await must(request, signal), fileAnswer).id;
    },
    file: (id, signal) => gatewayFile(parts, ask, id, signal),
    sendMessage: (id, message, signal) => {
      const body = (quote: boolean) => toSendRequest(id, message, { quote });
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
      await must(json("POST", "/messages/ack", ackBody(id, ack), "ack"), signal);
    },
  };
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

/** An answer that is a success but not as agreed leaves open what happened. */
function read<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.infer<Schema> {
  try {
    const result = schema.safeParse(parseJson(answerText(answer)));
    if (result.success) return result.data;
  } catch {
    // Not JSON: told below.
  }
  throw new DeliveryError({ type: "unsure" }, `gateway answered ${answer.status} with a body that is not as agreed`);
}

/** Every request takes a permit; a refused token is renewed once, and requests refused together share one renewal. */
function sending({ call, clock, permits, access }: GatewayParts): Send {
  let renewal: { dead: string; token: Promise<string | undefined> } | undefined;
  const renew = (dead: string) => {
    if (renewal?.dead !== dead) renewal = { dead, token: access.renew(dead) };
    const mine = renewal;
    const over = () => {
      if (renewal === mine) renewal = undefined;
    };
    void mine.token.then(over, over);
    return mine.token;
  };
  const once = (request: Request, token: string, signal: AbortSignal) => {
    const act = async () => {
      const result = await call({
        method: request.method,
        url: access.url() + request.path,
        headers: { ...request.headers, accept: "application/json", "x-transport-token": token },
        body: request.body,
        timeoutMs: request.timeoutMs ?? REQUEST_MS,
        signal,
      });
      if (result.type === "failure") throw failureError(result);
      if (result.status === 429) {
        const { verdict } = answerError(result, clock.now());
        if (verdict.type === "retry") permits.pauseFor(token, verdict.afterMs ?? 0);
      }
      return result;
    };
    return permits.run(token, request.priority ?? "message", act, signal);
  };
  return async (request, signal) => {
    const token = access.token();
    const answer = await once(request, token, signal);
    if (answer.status !== 401 && answer.status !== 403) return answer;
    // While this request was under way another may have renewed the token already.
    const newer = access.token();
    const fresh = newer === token ? await renew(token) : newer;
    // A stream that has been read cannot be sent twice: the job's next try opens it again.
    if (fresh && isStream(request.body))
      throw new DeliveryError({ type: "retry", afterMs: RENEWED_MS }, "the gateway's token was renewed");
    return fresh ? once(request, fresh, signal) : answer;
  };
}

const isStream = (body: CallRequest["body"]) => typeof body === "object" && "files" in body;

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
  if (answer.status === 400 && !isDuplicate(answer) && quoted) answer = await ask(request(false), signal);
  if (isDuplicate(answer)) return { warnings: [] };
  if (!ok(answer)) throw answerError(answer, clock.now());
  const sent = read(answer, sentAnswer);
  return { gatewayMessageId: sent.message_id, warnings: sent.warnings ?? [] };
}

async function gatewayFile(
  { call, clock, access }: GatewayParts,
  ask: Send,
  id: GatewayFileId,
  signal: AbortSignal,
): Promise<GatewayFile> {
  const answer = await ask({ method: "GET", path: `/files/${encodeURIComponent(id)}` }, signal);
  if (!ok(answer)) throw answerError(answer, clock.now());
  const file = read(answer, fileAnswer);
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
    if (!ok(bytes) || !bytes.stream) throw answerError(bytes, clock.now());
    return { ...known, body: bytes.stream, mediaType: bytes.headers["content-type"] ?? known.mediaType };
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
