import type { FormFile } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { withFiles } from "gangway-messenger/files";
import type { ChatId } from "gangway-messenger/ids";
import type { FilePart, GatewayFile } from "gangway-messenger/message";
import type { Loss, SendStep } from "gangway-messenger/plan";
import { linkLine } from "gangway-messenger/text";
import * as z from "zod";
import type { Login } from "../login.ts";
import { openMedia } from "../media.ts";
import { VkError } from "../verdict.ts";
import { PHOTO_BYTES } from "../wire.ts";

/** A step's files, by VK's names of attachments; those that it does not accept become lines with their URLs. */
export interface Attached {
  /** Such as `photo-1_2_key`. */
  names: string[];
  lines: string[];
  losses: Loss[];
}
type Source = Pick<GatewayFile, "mediaType" | "name"> & { open: GatewayFile["open"]; url: string };

const server = z.object({ upload_url: z.url({ protocol: /^https?$/ }) });
const uploadedPhoto = z.object({ server: z.union([z.string(), z.int()]), photo: z.string(), hash: z.string() });
const uploadedDoc = z.object({ file: z.string().min(1) });
const saved = z.object({ id: z.int(), owner_id: z.int(), access_key: z.string().nullish() });
type Saved = z.infer<typeof saved>;
const savedDoc = z.object({ doc: saved.nullish(), audio_message: saved.nullish() });

const nameOf = (type: string, { owner_id: owner, id, access_key: key }: Saved): string =>
  [`${type}${owner}_${id}`, key].filter(Boolean).join("_");

/** Uploads in order. Upload URLs belong to one community, so they are requested each time. */
export async function attach(login: Login, step: SendStep, chat: ChatId, signal: AbortSignal): Promise<Attached> {
  const all: Attached = { names: [], lines: [], losses: [] };
  for (const part of step.files) await attachOne(login, { step, chat, part, all }, signal);
  return all;
}

interface Attaching {
  step: SendStep;
  chat: ChatId;
  part: FilePart;
  all: Attached;
}

async function attachOne(login: Login, { step, chat, part, all }: Attaching, signal: AbortSignal): Promise<void> {
  const source = await sourceOf(login, part, signal);
  const about = source.name;
  if (step.kind === "image") {
    const photo = await upload.photo(login, source, chat, signal).catch(refusedAs(part));
    if (photo) return void all.names.push(photo);
  }
  const isVoice = step.kind === "audio" && isOgg(source);
  const voice =
    isVoice && (await upload.doc(login, source, { chat, type: "audio_message" }, signal).catch(refusedAs(part)));
  const doc = voice || (part.file.at === "web" ? undefined : await asDoc(login, source, chat, signal));
  if (doc) all.names.push(doc);
  else
    all.lines.push(part.file.at === "web" ? part.file.url : linkLine({ name: about, caption: part.caption }, source));
  if (step.kind === "image" && part.file.at !== "web")
    all.losses.push({ code: doc ? "picture-as-file" : "file-as-link", about });
  else if (!doc && part.file.at !== "web") all.losses.push({ code: "file-as-link", about });
}

const asDoc = (login: Login, source: Source, chat: ChatId, signal: AbortSignal) =>
  upload.doc(login, source, { chat, type: "doc" }, signal).catch(refusedAs());

const isOgg = ({ mediaType, name = "" }: Source): boolean =>
  /^(audio\/(ogg|opus)|application\/ogg)/i.test(mediaType) || /\.(ogg|oga|opus)$/i.test(name);

/** Undefined in place of a picture that VK, or the picture's own site, does not give or accept. */
const refusedAs =
  (part?: FilePart) =>
  (error: unknown): undefined => {
    const isRefused = error instanceof DeliveryError && error.verdict.type === "reject";
    const isAboutFile = error instanceof VkError ? !OF_THE_CHAT.includes(error.code) : part?.file.at === "web";
    if (isRefused && isAboutFile) return undefined;
    throw error;
  };
/** Refusals that would also apply to the message. */
const OF_THE_CHAT = [7, 18, 900, 901, 902, 936, 950];

/** How long the text waits for a product's picture, ms. */
const PICTURE_MS = 20_000;
/** Problems of a picture's site are not VK's, and may last: the text is sent without it. */
const notGiven =
  (stop: AbortSignal) =>
  (error: unknown): never => {
    if (stop.aborted || !(error instanceof DeliveryError)) throw error;
    throw new DeliveryError({ type: "reject", code: "general" }, "the picture's site does not give it");
  };

async function sourceOf({ context }: Login, { file, name }: FilePart, signal: AbortSignal): Promise<Source> {
  if (file.at === "web") {
    const { url } = file;
    const picture = name ?? "picture.jpg";
    const open = async (stop: AbortSignal) => {
      const limits = { maxBytes: PHOTO_BYTES, timeoutMs: PICTURE_MS };
      const { stream: body, headers } = await openMedia(context, url, limits, stop).catch(notGiven(stop));
      return { body, mediaType: headers["content-type"] ?? "image/jpeg", name: picture };
    };
    return { url, name: picture, mediaType: "image/jpeg", open };
  }
  if (file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const found = await context.gatewayFile(file.id, signal);
  return { ...found, name: name ?? found.name, open: (stop) => found.open(stop) };
}

const posted = (login: Login, url: string, field: string, source: Source, signal: AbortSignal): Promise<unknown> =>
  withFiles(
    [{ field, source: source as GatewayFile }],
    ([file]) => login.api.upload(url, file as FormFile, signal),
    signal,
  );

const upload = {
  /** Undefined: it is not a picture. */
  async photo(login: Login, source: Source, chat: ChatId, signal: AbortSignal): Promise<string | undefined> {
    const { api } = login;
    const params = { peer_id: chat };
    const { upload_url: url } = await api.call(
      { method: "photos.getMessagesUploadServer", params, result: server },
      signal,
    );
    const given = uploadedPhoto.safeParse(await posted(login, url, "photo", source, signal)).data;
    if (!given || given.photo === "" || given.photo === "[]") return undefined;
    const [photo] = await api.call(
      { method: "photos.saveMessagesPhoto", params: { ...given }, result: z.array(saved).min(1) },
      signal,
    );
    return photo && nameOf("photo", photo);
  },
  /** Undefined: VK accepts no such files. */
  async doc(
    login: Login,
    source: Source,
    { chat, type }: { chat: ChatId; type: "doc" | "audio_message" },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { api } = login;
    const params = { peer_id: chat, type };
    const { upload_url: url } = await api.call(
      { method: "docs.getMessagesUploadServer", params, result: server },
      signal,
    );
    const given = uploadedDoc.safeParse(await posted(login, url, "file", source, signal)).data;
    if (!given) return undefined;
    const request = { method: "docs.save", params: { file: given.file, title: source.name }, result: savedDoc };
    const { doc, audio_message: voice } = await api.call(request, signal);
    if (voice) return nameOf("audio_message", voice);
    return doc ? nameOf("doc", doc) : undefined;
  },
};
