import { DeliveryError } from "../../../domain/delivery/delivery.ts";
import type { SendStep } from "../../../domain/delivery/plan.ts";
import type { FilePart, GatewayFile } from "../../../domain/message/message.ts";
import type { Context } from "../server.ts";
import { PHOTO_BYTES } from "../wire.ts";

/** A file type of Telegram: selects method and field. */
type Kind = "photo" | "video" | "animation" | "audio" | "voice" | "document";

/** A file of a step, described before its bytes are fetched. */
export interface Media {
  kind: Kind;
  /** A public URL that Telegram fetches itself, or a file that we upload. */
  source: { url: string } | GatewayFile;
  caption?: string;
  /** A picture that has to go as a document. */
  demoted: boolean;
}

export const METHOD: Record<Kind, string> = {
  photo: "sendPhoto",
  video: "sendVideo",
  animation: "sendAnimation",
  audio: "sendAudio",
  voice: "sendVoice",
  document: "sendDocument",
};

/** Asks the gateway about the files of a step. Throws DeliveryError. */
export async function mediaOf(
  context: Pick<Context, "gatewayFile">,
  step: SendStep,
  signal: AbortSignal,
): Promise<Media[]> {
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
