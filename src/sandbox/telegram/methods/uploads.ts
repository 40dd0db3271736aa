import { readCapped } from "../../capped.ts";
import { mediaTypeOf, type StoredFile, type Upload } from "../files.ts";
import { isUpload } from "../parameters.ts";
import type { MediaKind } from "../phone-wire.ts";
import { pictureSize } from "../picture.ts";
import { badRequest } from "../refusal.ts";
import { tooLarge } from "../request.ts";
import type { BotRequest } from "./request.ts";

const MB = 1024 * 1024;
// https://core.telegram.org/bots/api#sending-files
const MOST_PHOTO = 10 * MB;
const MOST_FILE = 50 * MB;
const MOST_PHOTO_BY_URL = 5 * MB;
const MOST_BY_URL = 20 * MB;
const FETCH_WITHIN_MS = 15_000;

/** What a file parameter means: an upload, `attach://<name>`, a file_id or an address. */
export async function fileOf(
  { world, uploads }: BotRequest,
  given: string | Upload | undefined,
  kind: MediaKind,
): Promise<StoredFile> {
  if (isUpload(given)) return keep(world.files, given, kind);
  if (!given) throw badRequest(`there is no ${kind.replace("_", " ")} in the request`);
  if (given.startsWith("attach://")) {
    const upload = uploads.get(given.slice("attach://".length));
    if (!upload) throw badRequest("file must be non-empty");
    return keep(world.files, upload, kind);
  }
  if (/^https?:\/\//i.test(given)) return keep(world.files, await fetched(given, kind), kind);
  const known = world.files.find(given);
  if (!known) throw badRequest("wrong file identifier/HTTP URL specified");
  if (known.kind !== kind && !areAlike(known.kind, kind))
    throw badRequest(`can't use file of type ${nameOf(known.kind)} as ${nameOf(kind)}`);
  return known.file;
}

const nameOf = (kind: MediaKind): string => {
  const words = kind.split("_").map((word) => word[0]?.toUpperCase() + word.slice(1));
  return words.join("");
};
/** Everything but a photo and a sticker may be sent again as a document. */
const areAlike = (was: MediaKind, is: MediaKind): boolean =>
  is === "document" ? was !== "photo" && was !== "sticker" : was === "document" && is === "animation";

function keep(files: BotRequest["world"]["files"], upload: Upload, kind: MediaKind): StoredFile {
  if (upload.bytes.byteLength === 0) throw badRequest("file must be non-empty");
  if (upload.bytes.byteLength > (kind === "photo" ? MOST_PHOTO : MOST_FILE)) throw tooLarge();
  if (kind === "photo") checkPicture(upload.bytes);
  // The form's memory is shared by all of its parts.
  return files.add({ ...upload, bytes: Uint8Array.from(upload.bytes) });
}

// "The photo's width and height must not exceed 10000 in total. Width and height ratio must be at most 20"
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

/** Only from this machine: the emulator asks no stranger for anything. */
async function fetched(address: string, kind: MediaKind): Promise<Upload> {
  const url = new URL(address);
  const failed = badRequest("failed to get HTTP URL content");
  if (!["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) throw failed;
  const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_WITHIN_MS) }).catch(() => undefined);
  if (!answer?.ok) throw failed;
  const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
  const mediaType = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() || mediaTypeOf(name);
  const most = kind === "photo" ? MOST_PHOTO_BY_URL : MOST_BY_URL;
  const bytes = await readCapped(answer, most).catch(() => undefined);
  if (!bytes || bytes.byteLength > most) throw failed;
  if (!BY_URL[kind].test(mediaType)) throw badRequest("wrong type of the web page content");
  return { name, mediaType, bytes };
}
