import { readCapped } from "gangway-messenger/kit/emulator/capped";
import { mediaTypeOf } from "gangway-messenger/kit/emulator/media-types";
import { pictureSize } from "gangway-messenger/kit/emulator/picture";
import { isUpload } from "../dictionary.ts";
import type { StoredFile, Upload } from "../files.ts";
import type { MediaKind } from "../phone-wire.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { tooLarge } from "../request.ts";
import type { BotRequest } from "./request.ts";

const MB = 1024 * 1024;
// https://core.telegram.org/bots/api#sending-files
const MAX_PHOTO = 10 * MB;
const MAX_FILE = 50 * MB;
const MAX_PHOTO_BY_URL = 5 * MB;
const MAX_BY_URL = 20 * MB;
const FETCH_WITHIN_MS = 15_000;
// "The thumbnail should be in JPEG format and less than 200 kB in size. A thumbnail's width and height should not
// exceed 320": https://core.telegram.org/bots/api#sendvideo
const MAX_THUMBNAIL = 200 * 1000;
const MAX_THUMBNAIL_SIDE = 320;

type Given = string | Upload | undefined;

/** A file of the form, directly or by `attach://<name>`. */
export function uploaded({ uploads }: BotRequest, given: Given): Upload | undefined {
  if (isUpload(given)) return given;
  return given?.startsWith("attach://") ? uploads.get(given.slice("attach://".length)) : undefined;
}

/** Throws when the parameter cannot be a file. */
export function checkGiven(request: BotRequest, given: Given, missing: string): void {
  const isNamed = typeof given === "string" && given !== "" && !given.startsWith("attach://");
  if (!isNamed && !uploaded(request, given)) throw new Malformed(missing);
}

/** Resolves a file parameter: an upload, `attach://<name>`, a file_id or a URL; with the kind it is sent as. */
export async function fileOf(
  request: BotRequest,
  given: Given,
  kind: MediaKind,
): Promise<{ file: StoredFile; kind: MediaKind }> {
  const { files } = request.world;
  const upload = uploaded(request, given);
  if (upload) return { file: keep(files, upload, kind), kind };
  const named = String(given);
  const known = files.find(named);
  if (!known) return { file: keep(files, await fetched(addressOf(named), kind), kind), kind };
  if (known.kind !== kind && [known.kind, kind].includes("photo"))
    throw new Malformed(`Can't use file of type ${nameOf(known.kind)} as ${nameOf(kind)}`);
  // "It is not possible to change the file type when resending by file_id": a voice message stays one.
  return known;
}

/** The URL, if it is no known file_id. Throws TDLib's errors (FileManager.cpp). */
function addressOf(named: string): string {
  const protocol = /^([^:/?#@[\]]*):\/\//.exec(named)?.[1]?.toLowerCase();
  if (protocol === "http" || protocol === "https") return named;
  if (!named.includes(".")) throw new Malformed(`Wrong remote file identifier specified: ${unreadable(named)}`);
  if (protocol !== undefined) throw new Malformed("Invalid file HTTP URL specified: Unsupported URL protocol");
  return `http://${named}`;
}

/** Why an id cannot be decoded: TDLib's base64.cpp. */
function unreadable(id: string): string {
  const encoded = id.replace(/={1,64}$/, "");
  const padding = id.length - encoded.length;
  if (padding >= 3) return "Wrong string padding";
  if (padding > 0 && id.length % 4 !== 0) return "Wrong padding length";
  if (encoded.length % 4 === 1) return "Wrong string length";
  if (/[^\w-]/.test(encoded)) return "Wrong character in the string";
  const bytes = Buffer.from(encoded, "base64url");
  if (bytes.toString("base64url") !== encoded) return "Wrong padding in the string";
  // The last byte is the id's version.
  return [2, 3, 4].includes(bytes.at(-1) ?? 0) ? "can't unserialize it" : "can't unserialize it. Wrong last symbol";
}

/** Only small uploads are used. */
export function thumbnailFor(request: BotRequest, given: Given): StoredFile | undefined {
  const upload = uploaded(request, given);
  if (!upload || upload.bytes.byteLength > MAX_THUMBNAIL) return undefined;
  const size = pictureSize(upload.bytes);
  if (!size || Math.max(size.width, size.height) > MAX_THUMBNAIL_SIDE) return undefined;
  return request.world.files.add({ ...upload, bytes: Uint8Array.from(upload.bytes) });
}

const nameOf = (kind: MediaKind): string => {
  const words = (kind === "voice" ? "voice_note" : kind).split("_");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("");
};
function keep(files: BotRequest["world"]["files"], upload: Upload, kind: MediaKind): StoredFile {
  if (upload.bytes.byteLength === 0) throw badRequest("file must be non-empty");
  if (upload.bytes.byteLength > (kind === "photo" ? MAX_PHOTO : MAX_FILE)) throw tooLarge();
  if (kind === "photo") checkPicture(upload.bytes);
  // Copied: all parts of a form share its buffer.
  return files.add({ ...upload, bytes: Uint8Array.from(upload.bytes) });
}

// "The photo's width and height must not exceed 10000 in total. Width and height ratio must be at max 20"
function checkPicture(bytes: Uint8Array): void {
  const size = pictureSize(bytes);
  if (!size) throw badRequest("IMAGE_PROCESS_FAILED");
  const { width, height } = size;
  if (width + height > 10_000 || Math.max(width, height) > 20 * Math.min(width, height))
    throw badRequest("PHOTO_INVALID_DIMENSIONS");
}

// "When sending by URL the target file must have the correct MIME type ... sending by URL will currently only work
// for PDF and ZIP files" and GIF: https://core.telegram.org/bots/api#sending-files
const BY_URL: Record<MediaKind, RegExp> = {
  photo: /^image\//,
  video: /^video\//,
  animation: /^(image\/gif|video\/mp4)$/,
  audio: /^audio\/(mpeg|mp4|x-m4a|mp3)$/,
  voice: /^audio\/(ogg|mpeg|mp4)$/,
  document: /^(application\/pdf|application\/zip|image\/gif)$/,
  sticker: /^image\/webp$/,
  video_note: /^$/,
};

/** Only from this machine: the emulator contacts no other host. */
async function fetched(address: string, kind: MediaKind): Promise<Upload> {
  const failed = badRequest("failed to get HTTP URL content");
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) throw failed;
  const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_WITHIN_MS) }).catch(() => undefined);
  if (!answer?.ok) throw failed;
  const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
  const mediaType = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() || mediaTypeOf(name);
  const max = kind === "photo" ? MAX_PHOTO_BY_URL : MAX_BY_URL;
  const bytes = await readCapped(answer, max).catch(() => undefined);
  if (!bytes || bytes.byteLength > max) throw failed;
  if (!BY_URL[kind].test(mediaType)) throw badRequest("wrong type of the web page content");
  return { name, mediaType, bytes };
}
