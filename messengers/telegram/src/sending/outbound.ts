import { beforeSending, DeliveryError } from "gangway-messenger/errors";
import { type FileField, withFiles } from "gangway-messenger/files";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { FilePart, GatewayFile, Mark, Suggestion } from "gangway-messenger/message";
import type { Loss, SendStep, SentPart } from "gangway-messenger/plan";
import type { ChannelSession, MessageRef, Notes, SendTarget, Sent } from "gangway-messenger/port";
import * as z from "zod";
import { type BotApi, BotError, isGone, isNoPicture, isUnfetched, isUnmodified } from "../api.ts";
import { type Context, isGroupId, messageId, PHOTO_BYTES, parseChatRef, parseMessageId, TEXT_LENGTH } from "../wire.ts";

/** How Telegram shows a message's suggestions. */
interface Keyboard {
  /** `reply_markup` of the Bot API. */
  markup?: Record<string, unknown>;
  /** After this message the chat shows a keyboard instead of the phone's own. */
  open: boolean;
}

/** A message that opens or closes a keyboard cannot be edited (Bot API, "Updating messages"). */
const isFixed = ({ markup }: Keyboard): boolean => markup !== undefined && !("inline_keyboard" in markup);

/** Two buttons in a row are still readable on a phone. */
const KEYS_PER_ROW = 2;

/** Shown as a button under the message. A message has either such buttons or a keyboard; with keys, links go into the text. */
export const isLink = (suggestion: Suggestion): boolean =>
  suggestion.type === "url" && /^(https?|tg):\/\//i.test(suggestion.payload ?? suggestion.title);

/** Texts and phone requests become keys, links become buttons. A message without either closes an open keyboard. */
export function keyboardOf(suggestions: Suggestion[], open: boolean): Keyboard {
  const keys = suggestions.filter((suggestion) => !isLink(suggestion));
  if (keys.length > 0) {
    const markup = { keyboard: rows(keys.map(toKey)), resize_keyboard: true, one_time_keyboard: true };
    return { markup, open: true };
  }
  const markup = inlineOf(suggestions);
  if (markup) return { markup, open };
  return { markup: open ? { remove_keyboard: true } : undefined, open: false };
}

/** Buttons only: an edited message cannot have keys. */
export function inlineOf(suggestions: Suggestion[]): Record<string, unknown> | undefined {
  const links = suggestions.filter(isLink);
  if (links.length === 0) return undefined;
  return { inline_keyboard: links.map(({ title, payload }) => [{ text: title, url: payload ?? title }]) };
}

const toKey = ({ type, title }: Suggestion) =>
  type === "phone" ? { text: title, request_contact: true } : { text: title };

function rows<T>(keys: T[]): T[][] {
  const made: T[][] = [];
  for (let n = 0; n < keys.length; n += KEYS_PER_ROW) made.push(keys.slice(n, n + KEYS_PER_ROW));
  return made;
}

/** A file type of Telegram: selects method and field. */
type Kind = "photo" | "video" | "animation" | "audio" | "voice" | "document";

/** A file of a step, described before its bytes are fetched. */
interface Media {
  kind: Kind;
  /** A public URL that Telegram fetches itself, or a file that we upload. */
  source: { url: string } | GatewayFile;
  caption?: string;
  /** Whether a picture has to be sent as a document. */
  demoted: boolean;
}

const METHOD: Record<Kind, string> = {
  photo: "sendPhoto",
  video: "sendVideo",
  animation: "sendAnimation",
  audio: "sendAudio",
  voice: "sendVoice",
  document: "sendDocument",
};

/** Asks the gateway about the files of a step. Throws DeliveryError. */
async function mediaOf(context: Pick<Context, "gatewayFile">, step: SendStep, signal: AbortSignal): Promise<Media[]> {
  const all: Media[] = [];
  for (const part of step.files) all.push(await describe(context, step.kind, part, signal));
  const kinds = new Set(all.map(({ kind }) => kind));
  // An album holds pictures and videos, or documents only. Mixed files all go as documents (Bot API, sendMediaGroup).
  const mixed = all.length > 1 && [...kinds].some((kind) => kind !== "photo" && kind !== "video");
  if (!mixed) return all;
  return all.map((media) => ({ ...media, kind: "document", demoted: media.demoted || media.kind === "photo" }));
}

async function describe(
  { gatewayFile }: Pick<Context, "gatewayFile">,
  as: SendStep["kind"],
  { file, caption, name }: FilePart,
  signal: AbortSignal,
): Promise<Media> {
  if (file.at === "web") return { kind: "photo", source: { url: file.url }, caption, demoted: false };
  if (file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const found = await gatewayFile(file.id, signal);
  const source = { ...found, name: name ?? found.name };
  const kind = kindOf(as, source);
  return { kind, source, caption, demoted: as === "image" && kind === "document" };
}

const PHOTO = /^image\/(jpeg|png|webp)$/;
/** Types for sendVoice and sendAudio (Bot API). */
const VOICE = /^audio\/(ogg|opus)|application\/ogg/;
const MUSIC = /^audio\/(mpeg|mp3|mp4|m4a|x-m4a|aac)/;

function kindOf(
  as: SendStep["kind"],
  { mediaType, name = "", size = 0 }: Pick<GatewayFile, "mediaType" | "name" | "size">,
): Kind {
  const type = typeOf(mediaType, name);
  if (type === "image/gif") return "animation";
  if (as === "image" && PHOTO.test(type) && size <= PHOTO_BYTES) return "photo";
  if (as === "audio") return VOICE.test(type) ? "voice" : MUSIC.test(type) ? "audio" : "document";
  return type === "video/mp4" ? "video" : "document";
}

const BY_EXTENSION: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
};

/** The gateway does not always give a media type; fall back to the extension. */
function typeOf(mediaType: string, name: string): string {
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare && bare !== "application/octet-stream") return bare;
  return BY_EXTENSION[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? bare;
}

/** Destination of a call. */
interface Target {
  /** Parameters that all message methods share. */
  params: {
    chat_id: string;
    message_thread_id?: number;
    direct_messages_topic_id?: number;
    business_connection_id?: string;
  };
  /** Id of the chat at Telegram; message ids start with owner and chat id. */
  chatId: string;
  owner?: string;
}

/** The current target of a chat: its group may have been migrated, its owner may have reconnected the bot. */
async function targetOf(chat: ChatId, notes: Notes): Promise<Target> {
  const { chatId, topic, thread, owner } = parseChatRef(chat);
  const moved = (isGroupId(chatId) && (await notes.get(`moved:${chatId}`))) || chatId;
  const connection = owner && ((await notes.get(`connection:${owner}`)) || owner);
  return {
    params: {
      chat_id: moved,
      message_thread_id: thread,
      direct_messages_topic_id: topic === undefined ? undefined : Number(topic),
      business_connection_id: connection || undefined,
    },
    chatId: moved,
    owner,
  };
}

interface Sending {
  context: Context;
  api: BotApi;
  signal: AbortSignal;
}
type Outbound = Pick<ChannelSession, "send" | "revisions" | "reactions">;

const sentMessage = z.object({ message_id: z.number(), chat: z.object({ id: z.union([z.number(), z.string()]) }) });
type SentMessage = z.infer<typeof sentMessage>;
const anything = z.unknown();

/** Sends what agents write: one call per step. */
export function sending(context: Context, api: BotApi): Outbound {
  return {
    send: (step, to, signal) =>
      followingMigration(context, to, (target) => sendStep({ context, api, signal }, step, to, target)),
    revisions: {
      async edit({ part, text, marks, suggestions }, chat, signal) {
        const { params } = await messageParams(context, { chat, messengerMessageId: part.messengerMessageId });
        const markup = { reply_markup: inlineOf(suggestions) };
        const caption = { caption: text, caption_entities: entities(marks) };
        const content = part.holds === "text" ? { text, entities: entities(marks) } : caption;
        const method = part.holds === "text" ? "editMessageText" : "editMessageCaption";
        const request = { method, params: { ...params, ...content, ...markup }, result: anything, repeatable: true };
        await api.call(request, signal).catch(ignoring(isUnmodified));
      },
      async delete(target, signal) {
        const { params, business } = await messageParams(context, target);
        const { message_id: id, business_connection_id } = params;
        const request = business
          ? { method: "deleteBusinessMessages", params: { business_connection_id, message_ids: [id] } }
          : { method: "deleteMessage", params };
        await api.call({ ...request, result: anything, repeatable: true }, signal).catch(ignoring(isGone));
      },
    },
    reactions: {
      async set(target, reaction, signal) {
        const { params } = await messageParams(context, target);
        // Telegram's list has no variation selectors, but keyboards add one to a heart.
        const emoji = reaction?.replaceAll("\ufe0f", "");
        const set = { ...params, reaction: emoji ? [{ type: "emoji", emoji }] : [] };
        await api.call({ method: "setMessageReaction", params: set, result: anything, repeatable: true }, signal);
      },
    },
  };
}

const ignoring = (isHarmless: (error: unknown) => boolean) => (error: unknown) => {
  if (!isHarmless(error)) throw error;
};

async function messageParams({ notes }: Context, { chat, messengerMessageId }: MessageRef) {
  const target = await targetOf(chat, notes);
  const { messageId: id, chatId } = parseMessageId(messengerMessageId);
  const { business_connection_id } = target.params;
  const params = { business_connection_id, chat_id: chatId || target.chatId, message_id: Number(id) };
  return { params, business: target.owner !== undefined };
}

/** If the group was migrated to a supergroup, notes the new id and sends there; once. */
async function followingMigration(
  context: Context,
  { chat }: SendTarget,
  act: (target: Target) => Promise<Sent>,
): Promise<Sent> {
  const target = await beforeSending(() => targetOf(chat, context.notes));
  try {
    return await act(target);
  } catch (error) {
    const movedTo = error instanceof BotError ? error.refusal.movedTo : undefined;
    if (!movedTo || movedTo === target.chatId) throw error;
    const next = await beforeSending(async () => {
      await context.notes.set([
        { key: `moved:${target.chatId}`, value: movedTo },
        { key: `was:${movedTo}`, value: target.chatId },
      ]);
      return targetOf(chat, context.notes);
    });
    return act(next);
  }
}

const entities = (marks: Mark[]) =>
  marks.length > 0
    ? marks.map(({ type, ...mark }) => ({ type: type === "link" ? "text_link" : type, ...mark }))
    : undefined;

async function sendStep(sending: Sending, step: SendStep, { chat }: SendTarget, target: Target): Promise<Sent> {
  const { notes } = sending.context;
  const wasOpen = Boolean(await beforeSending(() => notes.get(`keyboard:${chat}`)));
  // An album cannot have markup, so it leaves the keyboard as it is.
  const keyboard = step.files.length > 1 ? { open: wasOpen } : keyboardOf(step.suggestions, wasOpen);
  const shared = {
    reply_parameters: await beforeSending(() => quoteOf(sending.context, step, chat, target)),
    reply_markup: keyboard.markup,
    ...target.params,
  };
  const sent = await (step.kind === "text" ? sendText : sendFiles)(sending, step, shared);
  const noted = { key: `keyboard:${chat}`, value: keyboard.open ? "1" : "" };
  // A failure must not make a sent message look unsent: at worst a keyboard stays open.
  if (keyboard.open !== wasOpen) await notes.set([noted]).catch(() => undefined);
  const { messages, losses, holds } = sent;
  const parts = messages.map(
    (message, n): SentPart => ({
      messengerMessageId: idOf(message, target),
      holds: n === 0 ? holds : "media",
      ...(isFixed(keyboard) && { fixed: true }),
    }),
  );
  const [first, ...others] = parts;
  if (!first) throw new DeliveryError({ type: "unsure" }, "Telegram returned no message");
  return { parts: [first, ...others], losses };
}

const idOf = ({ message_id: id, chat }: SentMessage, { owner }: Target): MessengerMessageId =>
  messageId(String(chat.id), id, owner);

/** If the quoted message is gone, Telegram sends without it; one of another chat is left out here. */
async function quoteOf({ notes }: Context, { quote }: SendStep, chat: SendTarget["chat"], target: Target) {
  const member = parseChatRef(chat).member;
  const quoted = quote?.messengerMessageId ?? (member && (await notes.get(`last:${chat}`)));
  if (!quoted) return undefined;
  const { chatId, messageId: id } = parseMessageId(quoted as MessengerMessageId);
  if ((chatId || target.chatId) !== target.chatId || !/^\d+$/.test(String(id))) return undefined;
  return { message_id: Number(id), allow_sending_without_reply: true };
}

interface Result {
  messages: SentMessage[];
  losses?: Loss[];
  holds: SentPart["holds"];
}
type Shared = Record<string, unknown>;

async function sendText({ api, signal }: Sending, { text, marks }: SendStep, shared: Shared): Promise<Result> {
  const params = { text, entities: entities(marks), ...shared };
  return { messages: [await api.call({ method: "sendMessage", params, result: sentMessage }, signal)], holds: "text" };
}

async function sendFiles(sending: Sending, step: SendStep, shared: Shared): Promise<Result> {
  const media = await mediaOf(sending.context, step, sending.signal);
  try {
    return await sendMedia(sending, step, media, shared);
  } catch (error) {
    if (!isNoPicture(error)) throw error;
    // Nothing was sent. Try again as documents.
    const plain = media.map(
      (each): Media => ({ ...each, kind: "document", demoted: each.demoted || each.kind === "photo" }),
    );
    return sendMedia(sending, step, plain, shared);
  }
}

async function sendMedia(sending: Sending, step: SendStep, media: Media[], shared: Shared): Promise<Result> {
  const losses = media.flatMap((each): Loss[] =>
    each.demoted ? [{ code: "picture-as-file", about: "name" in each.source ? each.source.name : undefined }] : [],
  );
  const [first] = media;
  if (first && media.length === 1) return { ...(await sendOne(sending, step, first, shared)), losses };
  return { ...(await sendAlbum(sending, step, media, shared)), losses };
}

async function sendOne(sending: Sending, step: SendStep, media: Media, shared: Shared): Promise<Result> {
  const { api, signal } = sending;
  const caption = captionOf(step, media);
  const request = { method: METHOD[media.kind], result: sentMessage };
  if (!("open" in media.source)) {
    const params = { ...shared, ...caption, [media.kind]: media.source.url };
    try {
      return { messages: [await api.call({ ...request, params }, signal)], holds: "caption" };
    } catch (error) {
      if (!isUnfetched(error)) throw error;
      // Telegram could not fetch the picture: send the text, with the URL if it fits.
      const text = [step.text, media.source.url].filter(Boolean).join("\n");
      return sendText(sending, text.length > TEXT_LENGTH ? step : { ...step, text }, shared);
    }
  }
  const params = { ...shared, ...caption, [media.kind]: "attach://file" };
  const messages = [
    await withFiles(
      fileFields([{ ...media, field: "file" }]),
      (files) => api.call({ ...request, params, files }, signal),
      signal,
    ),
  ];
  return { messages, holds: "caption" };
}

async function sendAlbum(sending: Sending, step: SendStep, media: Media[], shared: Shared): Promise<Result> {
  const { api, signal } = sending;
  const named = media.map((each, n) => ({ ...each, field: `file${n}` }));
  const items = named.map((each, n) => {
    const caption = captionOf(n === 0 ? step : { text: "", marks: [] }, each);
    return { type: each.kind, media: "open" in each.source ? `attach://${each.field}` : each.source.url, ...caption };
  });
  const { reply_markup: _, ...rest } = shared;
  const request = { method: "sendMediaGroup", params: { ...rest, media: items }, result: z.array(sentMessage).min(1) };
  const messages = await withFiles(fileFields(named), (files) => api.call({ ...request, files }, signal), signal);
  return { messages, holds: "caption" };
}

/** The text of the message, or else the caption of the file. */
function captionOf({ text, marks }: Pick<SendStep, "text" | "marks">, { caption = "" }: Media) {
  if (text) return { caption: text, caption_entities: entities(marks) };
  return caption ? { caption } : {};
}

/** Files that we upload, not those that Telegram fetches. */
const fileFields = (media: (Media & { field: string })[]): FileField[] =>
  media.flatMap(({ field, source }) => ("open" in source ? [{ field, source }] : []));
