import type { InputMedia } from "../dictionary.ts";
import { newAlbumId } from "../drafts.ts";
import { captionContent } from "../entities.ts";
import { decoded, fieldsOf, itemsOf, withPrefix } from "../fields.ts";
import type { Marked } from "../formatting/marked.ts";
import { readText } from "../formatting/reading.ts";
import { mediaContent } from "../media.ts";
import type { MediaKind } from "../phone-wire.ts";
import { BotRefusal, badRequest, Malformed } from "../refusal.ts";
import type { Content, Message } from "../wire.ts";
import { asSeen, postAll, postOne } from "./posting.ts";
import type { BotRequest, Method } from "./request.ts";
import { targetOf } from "./targets.ts";
import { checkGiven, fileOf, thumbnailFor } from "./uploads.ts";

const RIGHTS: Record<MediaKind, string> = {
  photo: "photos",
  video: "videos",
  animation: "animations",
  audio: "music",
  document: "documents",
  voice: "voice notes",
  video_note: "video notes",
  sticker: "stickers",
};

export const captionOf = ({ args, raw }: BotRequest): Marked =>
  readText({ text: args.caption ?? "", mode: args.parse_mode, entities: raw.get("caption_entities") });

interface Look {
  show_caption_above_media?: boolean | undefined;
  has_spoiler?: boolean | undefined;
}
const looks = (kind: MediaKind, { show_caption_above_media: above, has_spoiler: spoiler }: Look): Content => ({
  ...(above && isVisual(kind) && { show_caption_above_media: true as const }),
  ...(spoiler && isVisual(kind) && { has_media_spoiler: true as const }),
});
export const isVisual = (kind: string): boolean => ["photo", "video", "animation"].includes(kind);

const media = (kind: MediaKind): Method => {
  return (request) => {
    const { args, world } = request;
    checkGiven(request, args[kind], `There is no ${kind.replace("_", " ")} in the request`);
    const caption = captionOf(request);
    return postOne(request, RIGHTS[kind], async () => {
      const found = await fileOf(request, args[kind], kind);
      const thumbnail = thumbnailFor(request, args.thumbnail ?? args.thumb);
      const details = {
        ...args,
        width: args.width ?? args.length,
        thumbnail,
        cover: await coverOf(request, kind, args),
      };
      const content = mediaContent(world, found.kind, found.file, details);
      return { ...content, ...captionContent(world, caption), ...looks(found.kind, args) };
    });
  };
};

/** Only videos have covers. */
async function coverOf(request: BotRequest, kind: MediaKind, { cover }: { cover?: Parameters<typeof fileOf>[1] }) {
  return kind === "video" && cover ? (await fileOf(request, cover, "photo")).file : undefined;
}

/** A replacement medium or an album part, read without fetching its file. */
export interface Input extends Look {
  given: InputMedia;
  type: Exclude<InputMedia["type"], "live_photo">;
  caption: Marked;
}

function readInput(request: BotRequest, value: unknown, isAlbum: boolean): Input {
  const fields = fieldsOf(value, "expected an Object");
  const input = { text: fields.optionalText("caption"), mode: fields.optionalText("parse_mode") };
  const caption = readText({ ...input, entities: fields.raw("caption_entities") });
  const above = fields.optionalFlag("show_caption_above_media");
  const spoiler = fields.optionalFlag("has_spoiler");
  const type = fields.text("type");
  checkGiven(request, fields.optionalText("media"), "media not found");
  if (type === "animation" && isAlbum) throw new Malformed(`type "${type}" can't be used in sendMediaGroup`);
  if (!isInputType(type)) throw new Malformed(`type "${type}" is unsupported`);
  return { given: value as InputMedia, type, caption, show_caption_above_media: above, has_spoiler: spoiler };
}

const isInputType = (type: string): type is Input["type"] =>
  ["photo", "video", "animation", "audio", "document"].includes(type);

export async function inputContent(request: BotRequest, input: Input): Promise<Content> {
  const { given, type, caption } = input;
  const { file, kind } = await fileOf(request, given.media, type);
  const thumbnail = thumbnailFor(request, given.thumbnail);
  const details = { ...given, thumbnail, cover: await coverOf(request, type, given) };
  return {
    ...mediaContent(request.world, kind, file, details),
    ...captionContent(request.world, caption),
    ...looks(kind, input),
  };
}

// TDLib's check_message_group_message_contents
const MAX_PARTS = 10;

function checkAlbum(parts: readonly Input[]): void {
  if (parts.length > MAX_PARTS) throw new Malformed("Too many messages to send as an album");
  if (parts.length === 0) throw new Malformed("There are no messages to send");
  const kinds = new Set(parts.map(({ type }) => type));
  for (const alone of ["document", "audio"] as const)
    if (kinds.has(alone) && kinds.size > 1) throw badRequest(`${alone} can't be mixed with other media types`);
}

function partsOf(request: BotRequest): Input[] {
  const given = request.raw.get("media");
  if (given === undefined || given === "") throw new Malformed('Parameter "media" is required');
  const value = decoded(given, "Can't parse media JSON object");
  return itemsOf(value, "InputMedia", (each) => readInput(request, each, true));
}

// The server's codes for a failed download in an album, by the words for a single message.
const CODES: Record<string, string> = {
  "Bad Request: failed to get HTTP URL content": "WEBPAGE_CURL_FAILED",
  "Bad Request: wrong type of the web page content": "WEBPAGE_MEDIA_EMPTY",
  "Bad Request: IMAGE_PROCESS_FAILED": "IMAGE_PROCESS_FAILED",
  "Bad Request: PHOTO_INVALID_DIMENSIONS": "PHOTO_INVALID_DIMENSIONS",
};

async function partContent(request: BotRequest, part: Input, number: number): Promise<Content> {
  try {
    return await inputContent(request, part);
  } catch (error) {
    const code = error instanceof BotRefusal ? CODES[error.message] : undefined;
    throw code ? badRequest(`failed to send message #${number} with the error message "${code}"`) : error;
  }
}

const album: Method = async (request): Promise<Message[]> => {
  const parts = partsOf(request);
  const made = await postAll(request, "photos", async () => {
    checkAlbum(parts);
    const group = parts.length > 1 ? { media_group_id: newAlbumId(request.world) } : {};
    const contents: Content[] = [];
    for (const [at, part] of parts.entries())
      contents.push({ ...(await partContent(request, part, at + 1)), ...group });
    return contents;
  });
  const target = targetOf(request);
  return made.map((each) => asSeen(request, target, each));
};

export function mediumOf(request: BotRequest): Input {
  const given = request.raw.get("media");
  if (given === undefined || given === "") throw new Malformed('Parameter "media" is required');
  const value = decoded(given, "Can't parse input media JSON object");
  return withPrefix("Can't parse InputMedia: ", () => readInput(request, value, false));
}

export const mediaMethods: Record<string, Method> = {
  sendPhoto: media("photo"),
  sendDocument: media("document"),
  sendVideo: media("video"),
  sendAnimation: media("animation"),
  sendAudio: media("audio"),
  sendVoice: media("voice"),
  sendVideoNote: media("video_note"),
  sendSticker: media("sticker"),
  sendMediaGroup: album,
};
