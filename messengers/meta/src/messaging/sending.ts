import type { FormFile } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { withFiles } from "gangway-messenger/files";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { FilePart, GatewayFile } from "gangway-messenger/message";
import type { Loss, SendStep, SentPart } from "gangway-messenger/plan";
import type { ChannelContext, ChannelSession, Note, SendTarget, Sent } from "gangway-messenger/port";
import { lengthOf, linkLine, type TextUnit } from "gangway-messenger/text";
import * as z from "zod";
import { unknownUntilTold } from "../doubt.ts";
import { fileTypes } from "../file-type.ts";
import { GraphError } from "../verdict.ts";
import { cardMessage } from "./cards.ts";
import type { Login } from "./network.ts";
import { sentKey } from "./notes.ts";
import { messagingType, RESPONSE } from "./window.ts";

export type AttachmentType = "image" | "video" | "audio" | "file";

/** What a network accepts, and how our messages are recognized. */
export interface Outlet {
  text: number;
  textUnit?: TextUnit;
  /** Undefined: the network has no such files, so the file is sent as a link. */
  typeOf(kind: SendStep["kind"], file: Pick<GatewayFile, "mediaType" | "name" | "size">): AttachmentType | undefined;
  /** A file that does not match its type is sent without a type; otherwise as a link. */
  takesAnyFile?: true;
  /** Buttons below the text: more fields of the message, or a template in place of the text. */
  buttons(step: SendStep): object;
  /** In the network's form. */
  reaction(emoji: string): string;
  /** Comes back in the echo. */
  metadata?(key: string): string;
  /** Default: the chat's customer. */
  recipient?(chat: string): Promise<Recipient>;
  /** Stored before the call. */
  before?(message: OutMessage, target: SendTarget): Note[];
  /** Stored once the message has this id, or (undefined) was surely refused. */
  after(message: OutMessage, target: SendTarget, mid: string | undefined): Note[];
}
/** A comment is answered in private, whenever its author last wrote. */
export type Recipient = { id: string } | { comment_id: string };
export interface OutMessage {
  text?: string;
  attachment?: { type: string; payload: object };
}
type Sender = Login & { context: Pick<ChannelContext<unknown>, "gatewayFile" | "openedAt"> };
type Outbound = Required<Pick<ChannelSession, "send" | "lookup" | "reactions" | "readMarks">>;

export const fileTypeOf = fileTypes({
  gif: "image/gif",
  mov: "video/quicktime",
  webm: "video/webm",
  oga: "audio/ogg",
  wav: "audio/wav",
});

const answer = z.object({ message_id: z.string().min(1) });
const uploaded = z.object({ attachment_id: z.union([z.string(), z.number()]).transform(String) });
const acted = z.unknown();
/** How long to wait for an echo, and how often to check, ms. */
const ECHO = { withinMs: 180_000, askMs: 10_000 };

/** Sends what agents write: one message a step. */
export function sending(login: Sender, outlet: Outlet): Outbound {
  const { graph, ownId, context } = login;
  const act = async (chat: string, sender_action: string, payload: object | undefined, signal: AbortSignal) => {
    const body = { recipient: { id: chat }, sender_action, ...(payload && { payload }) };
    const what = "a reaction or read mark";
    await graph.call(
      { method: "POST", path: `${ownId}/messages`, body, result: acted, what, repeatable: true },
      signal,
    );
  };
  return {
    send: (step, target, signal) => sendStep(login, outlet, step, target, signal),
    async lookup(step, { key, since }, signal) {
      signal.throwIfAborted();
      const mid = await context.notes.get(sentKey(key));
      if (mid) return { found: "arrived", ...sentAs(step, mid) };
      return unknownUntilTold(ECHO, { since, openedAt: context.openedAt, now: context.clock.now() });
    },
    reactions: {
      set: ({ chat, messengerMessageId: message_id }, reaction, signal) =>
        reaction === null
          ? act(chat, "unreact", { message_id }, signal)
          : act(chat, "react", { message_id, reaction: outlet.reaction(reaction) }, signal),
    },
    readMarks: {
      read: ({ chat }, signal) => act(chat, "mark_seen", undefined, signal),
      // Meta does this itself.
      delivered: async () => {},
    },
  };
}

async function sendStep(
  login: Sender,
  outlet: Outlet,
  step: SendStep,
  target: SendTarget,
  signal: AbortSignal,
): Promise<Sent> {
  signal.throwIfAborted();
  const { context } = login;
  // Meta sometimes reports an error ("an unknown error") for a message that it sends: the echo has shown that
  // meanwhile.
  const known = await context.notes.get(sentKey(target.key));
  if (known) return sentAs(step, known);
  const recipient = (await outlet.recipient?.(target.chat)) ?? { id: target.chat };
  const type = "id" in recipient ? await messagingType(login, target.chat, step) : RESPONSE;
  const { message, losses } = await messageOf(login, outlet, step, signal);
  const metadata = outlet.metadata?.(target.key);
  const body = {
    recipient,
    ...type,
    message: { ...message, ...(metadata && { metadata }) },
  };
  const before = outlet.before?.(message, target) ?? [];
  if (before.length > 0) await context.notes.set(before);
  const mid = await postedOrLinked(login, body, step, signal).catch(async (error: unknown) => {
    const isSurelyNot = error instanceof DeliveryError && error.verdict.type !== "unsure";
    if (isSurelyNot && before.length > 0) await context.notes.set(outlet.after(message, target, undefined));
    throw error;
  });
  // Store at once: then a crash before the step is recorded leaves no doubt.
  await context.notes.set(outlet.after(message, target, mid));
  return { ...sentAs(step, mid), losses };
}

const sentAs = ({ files }: SendStep, mid: string): { parts: [SentPart] } => ({
  parts: [{ messengerMessageId: mid as MessengerMessageId, holds: files.length > 0 ? "media" : "text" }],
});

/** A picture from the web that Meta cannot fetch is sent as its URL. */
async function postedOrLinked(login: Login, body: object, step: SendStep, signal: AbortSignal): Promise<string> {
  const [part] = step.files;
  try {
    return await posted(login, body, step, signal);
  } catch (error) {
    const isUnfetched = error instanceof GraphError && UNFETCHED.includes(error.refusal.subcode ?? 0);
    if (part?.file.at !== "web" || !isUnfetched) throw error;
    const { message } = body as { message: { metadata?: string } };
    const words = step.card ? `${step.text}\n${part.file.url}` : part.file.url;
    const text = { text: words, ...(message.metadata && { metadata: message.metadata }) };
    return posted(login, { ...body, message: text }, step, signal);
  }
}

/** A file that does not match its type. */
const NOT_ITS_TYPE = 2018047;
/** Missing, not matching its type, or too large. */
const UNFETCHED = [2018008, NOT_ITS_TYPE, 2018109];

/** With the quote; without it if Meta no longer has the quoted message. */
async function posted(
  { graph, ownId }: Login,
  body: object,
  { quote }: SendStep,
  signal: AbortSignal,
): Promise<string> {
  const post = async (more: object) => {
    const request = { method: "POST" as const, path: `${ownId}/messages`, result: answer, what: "a message" };
    return (await graph.call({ ...request, body: { ...body, ...more } }, signal)).message_id;
  };
  const mid = quote?.messengerMessageId;
  if (!mid) return post({});
  try {
    return await post({ reply_to: { mid } });
  } catch (error) {
    if (!(error instanceof GraphError) || !isAboutQuote(error)) throw error;
    return post({});
  }
}

/** An invalid parameter without a subcode of its own. */
const isAboutQuote = ({ refusal, verdict }: GraphError): boolean =>
  verdict.type === "reject" && refusal.code === 100 && !refusal.subcode;

interface Made {
  message: OutMessage;
  losses: Loss[];
}

async function messageOf(login: Sender, outlet: Outlet, step: SendStep, signal: AbortSignal): Promise<Made> {
  const [part] = step.files;
  if (!part) {
    if (!step.text) throw refused("there is nothing to send");
    return { message: { text: step.text, ...outlet.buttons(step) }, losses: [] };
  }
  if (step.card) return { message: cardMessage(step.card, step), losses: [] };
  if (part.file.at === "web") return { message: pictureAt(part.file.url, outlet, step), losses: [] };
  return uploadedFile(login, outlet, step, part, signal);
}

const pictureAt = (url: string, outlet: Outlet, step: SendStep) => ({
  attachment: { type: "image", payload: { url } },
  ...outlet.buttons(step),
});

async function uploadedFile(
  login: Sender,
  outlet: Outlet,
  step: SendStep,
  { file, name, caption }: FilePart,
  signal: AbortSignal,
): Promise<Made> {
  if (file.at !== "gateway") throw refused("the file is not at the gateway");
  const found = await login.context.gatewayFile(file.id, signal);
  const source = { ...found, name: name ?? found.name };
  const link = () => asLink(outlet, step, linkLine({ name: source.name, caption }, found), source.name);
  const type = outlet.typeOf(step.kind, source);
  if (!type) return link();
  const sentAs = async (as: AttachmentType): Promise<Made> => {
    const payload = { attachment_id: await upload(login, source, as, signal) };
    const losses: Loss[] =
      step.kind === "image" && as === "file" ? [{ code: "picture-as-file", about: source.name }] : [];
    return { message: { attachment: { type: as, payload }, ...outlet.buttons(step) }, losses };
  };
  try {
    return await sentAs(type);
  } catch (error) {
    if (!(error instanceof GraphError) || error.refusal.subcode !== NOT_ITS_TYPE) throw error;
    return outlet.takesAnyFile && type !== "file" ? sentAs("file") : link();
  }
}

async function upload(
  { graph, ownId }: Sender,
  source: GatewayFile,
  type: AttachmentType,
  signal: AbortSignal,
): Promise<string> {
  const message = JSON.stringify({ attachment: { type, payload: { is_reusable: true } } });
  const request = {
    method: "POST",
    path: `${ownId}/message_attachments`,
    result: uploaded,
    what: "an upload",
    // Repeating an upload shows the customer nothing.
    repeatable: true,
  } as const;
  const post = async (files: FormFile[]) =>
    (await graph.call({ ...request, form: { fields: { message }, files } }, signal)).attachment_id;
  return withFiles([{ field: "filedata", source }], post, signal);
}

function asLink({ text, textUnit, buttons }: Outlet, step: SendStep, line: string, about: string | undefined): Made {
  if (lengthOf(line, textUnit) > text) throw refused("the URL is too long for a message of this messenger");
  return { message: { text: line, ...buttons(step) }, losses: [{ code: "file-as-link", about }] };
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);
