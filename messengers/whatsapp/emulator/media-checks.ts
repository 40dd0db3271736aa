import { sniff } from "gangway-messenger/kit/emulator/sniff";
import type { Medium } from "gangway-meta/emulator/media";
import { badParam, type StatusError, statusError, waRefusal } from "./codes.ts";

// Types and sizes: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media#supported-media-types

type Kind = "audio" | "image" | "video" | "sticker" | "document";

const TYPES: Record<Exclude<Kind, "document">, readonly string[]> = {
  audio: ["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"],
  image: ["image/jpeg", "image/png"],
  video: ["video/mp4", "video/3gpp"],
  sticker: ["image/webp"],
};
const DOCUMENTS = [
  "application/pdf",
  "text/plain",
  "application/msword",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.ms-powerpoint",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];
const UPLOADABLE = [...Object.values(TYPES).flat(), ...DOCUMENTS];

const MB = 1_000_000;
const MAX_BYTES: Record<Kind, number> = {
  audio: 16 * MB,
  image: 5 * MB,
  video: 16 * MB,
  sticker: MB / 2,
  document: 100 * MB,
};
const MAX_STILL_STICKER = MB / 10;

export const bare = (mediaType: string): string => (mediaType.split(";")[0] ?? "").trim().toLowerCase();

const kindOf = (mediaType: string): Kind =>
  (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((kind) => TYPES[kind].includes(bare(mediaType))) ?? "document";

/** An upload. Throws GraphRefusal. */
export function checkUpload(mediaType: string, bytes: Uint8Array): void {
  const type = bare(mediaType);
  if (!UPLOADABLE.includes(type))
    throw badParam(
      `Param file must be a file with one of the following types: ${UPLOADABLE.join(", ")}. Received file of type '${type}'.`,
    );
  const kind = kindOf(type);
  if (bytes.byteLength === 0) throw waRefusal(131053, "The file is empty.");
  const max = MAX_BYTES[kind];
  if (bytes.byteLength > max)
    throw waRefusal(131053, `File size ${bytes.byteLength} bytes exceeds the limit of ${max} bytes for ${kind}.`);
}

/** Why a file cannot be sent as this kind; found out after the 200. */
export function sendingError(
  kind: Kind,
  { mediaType, bytes }: Pick<Medium, "mediaType" | "bytes">,
): StatusError | undefined {
  const type = bare(mediaType);
  const allowed = kind === "document" ? undefined : TYPES[kind];
  if (allowed && !allowed.includes(type))
    return statusError(
      131053,
      `Unsupported ${capital(kind)} mime type ${type}. Please use one of ${allowed.join(", ")}.`,
    );
  if (bytes.byteLength > (kind === "sticker" && !isAnimated(bytes) ? MAX_STILL_STICKER : MAX_BYTES[kind]))
    return statusError(131053, `${capital(kind)} file size is too big.`);
  if (kind === "document") return undefined;
  const real = realType(kind, bytes);
  return real === undefined ? undefined : statusError(131053, `Media file of type ${type} is really ${real}.`);
}

/** The type that the bytes have, if it does not fit the kind. */
function realType(kind: Exclude<Kind, "document">, bytes: Uint8Array): string | undefined {
  const found = sniff(bytes);
  if (found === "audio/ogg") return kind === "audio" && isOpus(bytes) ? undefined : "audio/ogg without opus";
  // Raw AAC, AMR and 3GPP have no signature that the sandbox knows.
  const isVague = /^(application\/octet-stream|text\/plain)$/.test(found);
  if (isVague) return kind === "audio" || kind === "video" ? undefined : found;
  const isFamily = found.split("/")[0] === (kind === "sticker" ? "image" : kind);
  return isFamily || (kind === "audio" && found === "video/mp4") ? undefined : found;
}

const isOpus = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 512)).includes("OpusHead");
const isAnimated = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 64)).includes("ANIM");
const capital = (word: string): string => word[0]?.toUpperCase() + word.slice(1);
