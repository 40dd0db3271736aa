import { type CallRequest, expectSize, isHtmlPage, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { Features, Way } from "gangway-messenger/features";
import { fingerprint, type GatewayFileId, type MessengerMessageId } from "gangway-messenger/ids";
import type { Content, Customer, GatewayFile, Mark, MarkedText, OpenFile } from "gangway-messenger/message";
import { cutText, marksOf, plainText, prefixed, readable } from "gangway-messenger/text";
import type { z } from "zod";
import type { Ack } from "../domain/delivery.ts";
import { fitGatewayId, type GatewayChannelId, type GatewayMessageId } from "../domain/ids.ts";
import { fromMarkdown, type Markup, toMarkdown, type Writing } from "../domain/markdown.ts";
import { type EventOf, type InboundMessage, leavesLast, type OutboundAct } from "../domain/message.ts";
import type { Priority } from "./limiter.ts";
import { type RecordCalls, recordCalls } from "./records.ts";
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
import { type TemplateCalls, templateCalls } from "./webhook.ts";
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

/** The gateway's `send` means module to gateway, `receive` gateway to module; only this table translates. */
const DIRECTION: Record<Way, string> = { inbound: "send", outbound: "receive", both: "both", none: "none" };

const direction = (value: Way | undefined) => value && DIRECTION[value];

/** The gateway's names of formats (contract: MarkupFormat). */
const FORMAT: Record<Mark["type"], string> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "inline_monospace",
  pre: "block_monospace",
  link: "link",
};

type FileFeatures = NonNullable<Features["image"]>;
const ACTIONS = ["creating", "editing", "quoting", "deleting", "reaction"] as const;
const SUGGESTIONS = ["text", "phone", "email", "url"] as const;
const ways = <Name extends string>(names: readonly Name[], of: Partial<Record<Name, Way>>) =>
  Object.fromEntries(names.map((name) => [name, direction(of[name])]));
const actions = (d: Partial<Record<(typeof ACTIONS)[number], Way>>) => ways(ACTIONS, d);
const fileActions = (d: Partial<FileFeatures> | undefined) =>
  d && { ...actions(d), max_items_count: d.maxCount, max_item_size: d.maxSize, note_max_chars_count: d.maxNote };

/** Features as the gateway's channel settings (contract: ChannelSettings). */
export function toSettings(f: Features): Record<string, unknown> {
  return {
    text: {
      ...actions(f.text),
      max_chars_count: f.text.maxLength,
      markup_formats: f.text.formats?.map((format) => FORMAT[format]),
    },
    image: fileActions(f.image),
    file: fileActions(f.file),
    audio: fileActions(f.audio),
    product: f.product && actions(f.product),
    order: f.order && actions(f.order),
    status: { delivered: direction(f.delivered), read: direction(f.read) },
    suggestions: f.suggestions && ways(SUGGESTIONS, f.suggestions),
    reactions: f.reactions && { dictionary: f.reactions.dictionary, max_count: f.reactions.maxCount },
    sending_policy: { new_customer: f.firstContact, after_reply_timeout: f.afterReplyTimeout },
    template: f.templates,
    customer_external_id: f.customerId,
    whatsapp: f.whatsapp && {
      tier: f.whatsapp.tier,
      channel_quality: f.whatsapp.quality,
      channel_status: f.whatsapp.status,
    },
  };
}

/** A digest; the gateway needs an update exactly when it changes. */
export const announcement = (name: string, features: Features): string =>
  fingerprint(JSON.stringify([name, features.type, toSettings(features)]));

/** Maximum characters of a name, text, note and caption, and maximum number of files (contract). */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 65_535;
const NOTE_LENGTH = 64_000;
const CAPTION_LENGTH = 1_024;
const MAX_FILES = 20;
/** From the visitor's browser, so untrusted: the gateway refuses a message whose page link is not a web URL. */
const webAddress = (page: string | undefined) =>
  page && URL.canParse(page) && /^https?:$/.test(new URL(page).protocol) ? new URL(page).href : undefined;
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
      page_link: webAddress(event.page),
      ...toWireContent(event.content, files),
    },
    quote: options.quote && event.quote ? { external_id: event.quote } : undefined,
    reply_deadline: event.replyUntil === undefined ? undefined : new Date(event.replyUntil).toISOString(),
  };
}

/** As `POST /messages/history` takes it: the channel has another name there, and the time to answer is that of newer messages. */
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
    text: toWireText(note.text),
  },
});

function toWireContent(content: Content, files: GatewayFileId[]): Record<string, unknown> {
  switch (content.type) {
    case "text":
      return { type: "text", text: toWireText(content.text) };
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
      return { type: "text", text: toWireText(content.text ?? "") };
  }
}

/** Truncates: the gateway refuses a longer text, and the agent would get nothing. */
const toWireText = (text: string): string => cut(text, TEXT_LENGTH) ?? "";

/** Renders marked text for the gateway. If the markup makes it too long, drops the last marks. */
function render({ text, marks }: MarkedText, markup: Markup, max: number): string {
  const write = markup === "markdown" ? toMarkdown : readable;
  for (let kept = marks.length; kept > 0; kept >>= 1) {
    const rendered = write({ text, marks: marks.slice(0, kept) });
    if (rendered.length <= max) return rendered;
  }
  return write(plainText(text));
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
  if (!("files" in content)) return renderText({ ...content, text: content.text ?? "" }, writing);
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
export interface Gateway extends RecordCalls {
  activateChannel(
    channel: ChannelCard & { externalId: string },
    signal: AbortSignal,
  ): Promise<{ id: GatewayChannelId }>;
  updateChannel(id: GatewayChannelId, channel: ChannelCard, signal: AbortSignal): Promise<void>;
  /** A missing channel counts as deactivated. */
  deactivateChannel(id: GatewayChannelId, signal: AbortSignal): Promise<void>;
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
export interface ChannelCard {
  name: string;
  features: Features;
}

/** Deadline of a request that carries a file, ms; largest file (the gateway's own limit), bytes. */
const FILE_MS = 120_000;
const FILE_BYTES = 20 * 1024 * 1024;
/** Longest channel name (contract). */
const CHANNEL_NAME_LENGTH = 100;

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
    ...recordCalls({ get, json, done: expectDone }),
    updateChannel: (id, channel, signal) =>
      expectDone(json("updateChannel", "PUT", `/channels/${id}`, card(channel), "bulk"), signal),
    async deactivateChannel(id, signal) {
      const request = { method: "DELETE", path: `/channels/${id}`, priority: "bulk" } as const;
      await expectDone({ operation: "deactivateChannel", ...request }, signal, "or missing");
    },
    async uploadFile(file, signal, priority) {
      const { name = "file", mediaType, body: bytes } = file;
      const body = { files: [{ field: "file", fileName: name, mediaType, bytes }] };
      const request = { method: "POST", path: "/files/upload", body, timeoutMs: FILE_MS, priority } as const;
      return (await get({ operation: "uploadFile", ...request }, fileAnswer, signal)).id;
    },
    file: (id, signal) => gatewayFile(parts, send, id, signal),
    sendMessage: (id, message, signal) => {
      const { event } = message;
      const body = (quote: boolean) => toSendRequest(id, quote ? message : unquoted(message), { quote });
      const request = (quote: boolean) =>
        event.past
          ? json("sendHistoryMessage", "POST", "/messages/history", toHistoryRequest(body(quote)), "bulk")
          : json("sendMessage", "POST", "/messages", body(quote), leavesLast(event) ? "bulk" : undefined);
      return post(parts, send, request, event.quote, signal);
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
    check: (signal) => get(PROBE, channelList, signal).then(() => undefined),
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
  name: cutText(name, CHANNEL_NAME_LENGTH),
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
  const first = request(true);
  const { operation } = first;
  let answer = await send(first, signal);
  // The gateway may not know the quoted message (older than the connection, or deleted): retry without the quote.
  if (quoted && isRefused(operation, answer) && !isDuplicate(answer)) answer = await send(request(false), signal);
  if (isDuplicate(answer)) return {};
  return { gatewayMessageId: read(operation, answer, sentAnswer, clock.now()).message_id };
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
