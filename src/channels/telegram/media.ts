import { DeliveryError } from "../../domain/delivery.ts";
import type { FilePart, GatewayFile } from "../../domain/message.ts";
import type { SendStep } from "../../domain/plan.ts";
import type { Context } from "./server.ts";
import { PHOTO_BYTES } from "./wire.ts";

/** How Telegram takes a file: which method, and in which field. */
type Kind = "photo" | "video" | "animation" | "audio" | "voice" | "document";

/** A file of a step, known before its bytes are fetched. */
export interface Media {
  kind: Kind;
  /** A public address that Telegram fetches itself, or a file that we bring. */
  source: { url: string } | GatewayFile;
  caption?: string;
  /** A picture that Telegram would not take as one. */
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

/** What the files of a step are. Throws DeliveryError. */
export async function mediaOf(
  context: Pick<Context, "gatewayFile">,
  step: SendStep,
  signal: AbortSignal,
): Promise<Media[]> {
  const all: Media[] = [];
  for (const part of step.files) all.push(await describe(context, step.kind, part, signal));
  const kinds = new Set(all.map(({ kind }) => kind));
  // An album is of pictures and videos, or of documents: one odd file makes them all documents (Bot API, sendMediaGroup).
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
/** What plays as a voice message, and what as music (Bot API, sendVoice and sendAudio). */
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

const BY_ENDING: Record<string, string> = {
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

/** The gateway does not always tell what a file is; then its name does. */
function typeOf(mediaType: string, name: string): string {
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare && bare !== "application/octet-stream") return bare;
  return BY_ENDING[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? bare;
}
