import { type CallRequest, expectSize, isHtmlPage, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import type { Content, Customer, GatewayFile, Mark, MarkedText, OpenFile } from "gangway-messenger/message";
import { cutText, marksOf, prefixed, readable } from "gangway-messenger/text";
import type { z } from "zod";
import type { Ack } from "../domain/delivery.ts";
import type { GatewayChannelId, GatewayMessageId } from "../domain/ids.ts";
import { fromMarkdown, type Markup, toMarkdown, type Writing } from "../domain/markdown.ts";
import { type EventOf, fitGatewayId, type InboundMessage, leavesLast, type OutboundAct } from "../domain/message.ts";
import { type ChannelCalls, channelCalls } from "./channels.ts";
import type { Priority } from "./limiter.ts";
import {
  answerError,
  createSend,
  failureError,
  foreignError,
  type GatewayDeps,
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
import { type TemplateCalls, templateCalls } from "./webhook.ts";
import { channelList, fileAnswer, int64, readAnswer, sentAnswer, templateList, writeJson } from "./wire.ts";

// Truncates what the gateway would refuse: the agent would get nothing.

/** Maximum characters of a name, text, note and caption, and maximum number of files (contract). */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 65_535;
const NOTE_LENGTH = 64_000;
const CAPTION_LENGTH = 1_024;
const MAX_FILES = 20;
/** From the visitor's browser, so untrusted: the gateway refuses a message whose page link is not a web URL. */
const webAddress = (page: string) => {
  const url = URL.parse(page);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
};
const cut = (value: string | undefined, max: number) => value && cutText(value, max);

/** A customer's message as the body of `POST /messages`. */
export function toSendRequest(
  channel: GatewayChannelId,
  { event, files, avatar }: InboundPost,
  options: { quote: boolean },
): Record<string, unknown> {
  return {
    channel: int64(channel),
    originator: event.originator,
    external_chat_id: fitGatewayId(event.chat),
    customer: toCustomer(event.customer, avatar),
    message: {
      external_id: event.messengerMessageId,
      created_at: new Date(event.at).toISOString(),
      page_link: event.page && webAddress(event.page),
      ...toWireContent(event.content, files),
    },
    quote: options.quote && event.quote ? { external_id: event.quote } : undefined,
    reply_deadline: event.replyUntil === undefined ? undefined : new Date(event.replyUntil).toISOString(),
  };
}

/** The body for `POST /messages/history`, which names the channel differently and takes no reply deadline. */
const toHistoryRequest = ({ channel, reply_deadline: _, ...message }: Record<string, unknown>) => ({
  channel_id: channel,
  ...message,
});

const toCustomer = (customer: Customer, avatar: string | undefined) => ({
  external_id: fitGatewayId(customer.id),
  secondary_external_ids: customer.otherIds?.map(fitGatewayId),
  nickname: cut(customer.nickname, NAME_LENGTH) || "Customer",
  first_name: cut(customer.firstName, NAME_LENGTH),
  last_name: cut(customer.lastName, NAME_LENGTH),
  language: customer.language,
  phone: customer.phone,
  email: customer.email,
  profile_url: customer.profileUrl,
  avatar,
  utm: customer.utm && toUtm(customer.utm),
});

const toUtm = ({ source, medium, campaign, term, content }: NonNullable<Customer["utm"]>) => ({
  source: cut(source, NAME_LENGTH) || undefined,
  medium: cut(medium, NAME_LENGTH) || undefined,
  campaign: cut(campaign, NAME_LENGTH) || undefined,
  term: cut(term, NAME_LENGTH) || undefined,
  content: cut(content, NAME_LENGTH) || undefined,
});

/** A message from the channel itself. The chat exists, so `customer` is not needed. */
const toNoteRequest = (channel: GatewayChannelId, note: EventOf<"note">) => ({
  channel: int64(channel),
  originator: "channel",
  external_chat_id: fitGatewayId(note.chat),
  message: {
    external_id: note.messengerMessageId,
    created_at: new Date(note.at).toISOString(),
    type: "text",
    text: cutText(note.text, TEXT_LENGTH),
  },
});

function toWireContent(content: Content, files: GatewayFileId[]): Record<string, unknown> {
  switch (content.type) {
    case "text":
      return { type: "text", text: cutText(content.text, TEXT_LENGTH) };
    case "image":
    case "file":
    case "audio":
      return {
        type: content.type,
        items: files
          .slice(0, MAX_FILES)
          .map((id, n) => ({ id, caption: cut(content.files[n]?.caption, CAPTION_LENGTH) })),
        note: cut(content.note, NOTE_LENGTH),
      };
    // The gateway takes no cards from customers: send their text.
    case "product":
    case "order":
      return { type: "text", text: cutText(content.text ?? "", TEXT_LENGTH) };
  }
}

/** Renders marked text for the gateway. If the markup makes it too long, drops the last marks. */
function render({ text, marks }: MarkedText, markup: Markup, max: number): string {
  const write = markup === "markdown" ? toMarkdown : readable;
  for (let kept = marks.length; kept > 0; kept >>= 1) {
    const rendered = write({ text, marks: marks.slice(0, kept) });
    if (rendered.length <= max) return rendered;
  }
  return write({ text, marks: [] });
}

/** Renders the text of an edit or a note for the gateway. */
export const renderText = <Marked extends { text: string; marks?: Mark[] }>(
  marked: Marked,
  { markup, text }: Writing,
): Marked => ({
  ...marked,
  text: render({ text: marked.text, marks: marked.marks ?? [] }, markup, text),
  marks: undefined,
});

/** Renders a customer's content for the gateway. File captions are always plain. */
export function renderContent(content: Content, writing: Writing): Content {
  const { marks = [] } = content;
  if (!("files" in content)) {
    const text = render({ text: content.text ?? "", marks }, writing.markup, writing.text);
    return { ...content, text, marks: undefined } as Content;
  }
  const note = content.note && render({ text: content.note, marks }, writing.markup, writing.note);
  return { ...content, note, marks: undefined };
}

export const readAct = (act: OutboundAct, markupOf: () => Markup): OutboundAct =>
  "content" in act ? { ...act, content: readContent(act.content, markupOf()) } : act;

/** Parses the markup of an agent's content into marks. */
export function readContent(content: Content, markup: Markup): Content {
  if (markup === "none") return content;
  if ("files" in content) {
    const { text, ...read } = readText(content.note);
    return { ...content, ...read, note: text };
  }
  return { ...content, ...readText(content.text) } as Content;
}

function readText(text: string | undefined): { text?: string; marks?: Mark[] } {
  if (!text) return { text };
  const read = fromMarkdown(text);
  return { text: read.text, ...marksOf(read) };
}

/** A message by its gateway id if known, else by its messenger id. */
interface MessageRef {
  gatewayMessageId?: GatewayMessageId;
  messengerMessageId: MessengerMessageId;
}
interface Posted {
  /** Absent when the gateway reports a duplicate. */
  gatewayMessageId?: GatewayMessageId;
}

/** The parts of the Transport API that the relay uses. Every method throws DeliveryError. */
export interface Gateway extends ChannelCalls {
  uploadFile(file: OpenFile, signal: AbortSignal, priority?: Priority): Promise<GatewayFileId>;
  /** File metadata and URL; `open` downloads the bytes. */
  file(id: GatewayFileId, signal: AbortSignal): Promise<GatewayFile>;
  /** A duplicate counts as posted. If the gateway refuses the quote, the message goes without it. */
  sendMessage(id: GatewayChannelId, message: InboundPost, signal: AbortSignal): Promise<Posted>;
  /** Posts a note for the agent into an existing chat. */
  sendNote(id: GatewayChannelId, note: EventOf<"note">, signal: AbortSignal): Promise<Posted>;
  editMessage(id: GatewayChannelId, event: EventOf<"edited">, signal: AbortSignal): Promise<void>;
  deleteMessage(id: GatewayChannelId, event: MessageRef, signal: AbortSignal): Promise<void>;
  markRead(id: GatewayChannelId, message: MessageRef, signal: AbortSignal): Promise<void>;
  markReadUntil(id: GatewayChannelId, event: EventOf<"read-until">, signal: AbortSignal): Promise<void>;
  setReaction(id: GatewayChannelId, event: EventOf<"reaction">, signal: AbortSignal): Promise<void>;
  ack(id: GatewayChannelId, ack: Ack, signal: AbortSignal): Promise<void>;
  templates: TemplateCalls;
  /** Resolves when the account's token works; changes nothing. */
  check(signal: AbortSignal): Promise<void>;
}
export interface InboundPost {
  event: InboundMessage;
  files: GatewayFileId[];
  /** URL of the customer's picture. */
  avatar?: string;
}

/** Deadline of a request that carries a file, ms; largest file (the gateway's own limit), bytes. */
const FILE_MS = 120_000;
const FILE_BYTES = 20 * 1024 * 1024;

export function createGateway(deps: GatewayDeps): Gateway {
  const send = createSend(deps);
  const json = (
    operation: Operation,
    method: CallRequest["method"],
    path: string,
    body: unknown,
    priority?: Priority,
  ): Request => ({ operation, method, path, priority, body: writeJson(body) });
  const get = async <Schema extends z.ZodType>(request: Request, schema: Schema, signal: AbortSignal) =>
    read(request.operation, await send(request, signal), schema, deps.clock.now());
  /** Expects an empty success. */
  const expectDone = async (request: Request, signal: AbortSignal, or?: "or missing"): Promise<void> => {
    const { operation } = request;
    const answer = await send(request, signal);
    if (deps.isDone(operation, answer) || (or && isMissing(operation, answer))) return;
    throw answerError(operation, answer, deps.clock.now());
  };

  return {
    ...channelCalls({ get, json, done: expectDone }),
    async uploadFile(file, signal, priority) {
      const { name = "file", mediaType, body: bytes } = file;
      const body = { files: [{ field: "file", fileName: name, mediaType, bytes }] };
      const request = { method: "POST", path: "/files/upload", body, timeoutMs: FILE_MS, priority } as const;
      return (await get({ operation: "uploadFile", ...request }, fileAnswer, signal)).id;
    },
    file: (id, signal) => gatewayFile(deps, send, id, signal),
    sendMessage: (id, message, signal) => {
      const { event } = message;
      const request = (quote: boolean) => {
        const body = toSendRequest(id, quote ? message : unquoted(message), { quote });
        return event.past
          ? json("sendHistoryMessage", "POST", "/messages/history", toHistoryRequest(body), "bulk")
          : json("sendMessage", "POST", "/messages", body, leavesLast(event) ? "bulk" : undefined);
      };
      return post(deps, send, request, event.quote, signal);
    },
    sendNote: (id, note, signal) =>
      post(deps, send, () => json("sendMessage", "POST", "/messages", toNoteRequest(id, note)), undefined, signal),
    async editMessage(id, { messengerMessageId, text, at }, signal) {
      const message = { external_id: messengerMessageId, text: cutText(text, TEXT_LENGTH), edited_at: at };
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
    check: (signal) => get(PROBE, channelList, signal).then(() => undefined),
  };
}

/** Without the quote reference; the quoted text becomes a prefix instead. */
function unquoted(message: InboundPost): InboundPost {
  const { quoted, content } = message.event;
  if (!quoted || quoted.always) return message;
  return { ...message, event: { ...message.event, content: prefixed(content, quoted.head) } };
}

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
  { clock }: GatewayDeps,
  send: Send,
  request: QuotableRequest,
  quoted: MessengerMessageId | undefined,
  signal: AbortSignal,
): Promise<Posted> {
  const first = request(true);
  const { operation } = first;
  let answer = await send(first, signal);
  // The gateway may not know the quoted message (older than the connection, or deleted): retry without the quote.
  if (quoted && isRefused(operation, answer) && !isDuplicate(answer)) answer = await send(request(false), signal);
  if (isDuplicate(answer)) return {};
  return { gatewayMessageId: read(operation, answer, sentAnswer, clock.now()).message_id };
}

async function gatewayFile(
  { call, clock, access }: GatewayDeps,
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
