import { fileId, type StoredFile, uniqueId } from "./files.ts";
import type { MediaKind } from "./phone-wire.ts";
import type { Content, FileRef, PhotoSize } from "./wire.ts";
import type { World } from "./world.ts";

export interface MediaDetails {
  duration?: number;
  width?: number;
  height?: number;
  performer?: string;
  title?: string;
  emoji?: string;
  animated?: boolean;
  /** Uploaded beside the file. */
  thumbnail?: StoredFile;
  cover?: StoredFile;
  start_timestamp?: number;
}

/** A message's field for a file of this kind. */
export function mediaContent(world: World, kind: MediaKind, file: StoredFile, details: MediaDetails): Content {
  const ref: FileRef = { file_id: fileId(file, kind), file_unique_id: uniqueId(file), file_size: file.size };
  const thumbnail = thumbnailOf(world, kind, file, details.thumbnail);
  const thumbed = { ...ref, ...(thumbnail && { thumbnail }) };
  const named = { ...thumbed, ...(file.name && { file_name: file.name }), mime_type: file.mediaType };
  const size = { width: details.width ?? file.width ?? 640, height: details.height ?? file.height ?? 480 };
  const duration = details.duration ?? 0;
  const credits = {
    ...(details.performer && { performer: details.performer }),
    ...(details.title && { title: details.title }),
  };
  switch (kind) {
    case "photo":
      return { photo: photoSizes(world, file) };
    case "video":
      return { video: { ...named, ...size, duration, ...videoParts(world, details) } };
    case "animation":
      // "For backward compatibility, when this field is set, the document field will also be set"
      return { animation: { ...named, ...size, duration }, document: named };
    case "audio":
      return { audio: { ...named, duration, ...credits } };
    case "voice":
      return { voice: { ...ref, mime_type: file.mediaType, duration } };
    case "video_note":
      return { video_note: { ...thumbed, length: Math.min(640, size.width), duration } };
    case "sticker":
      return { sticker: { ...thumbed, type: "regular", width: 512, height: 512, ...stickerKind(file, details) } };
    case "document":
      return { document: named };
  }
}

const videoParts = (world: World, { cover, start_timestamp }: MediaDetails) => ({
  ...(cover && { cover: photoSizes(world, cover) }),
  ...(start_timestamp && { start_timestamp }),
});

const stickerKind = (file: StoredFile, { animated, emoji }: MediaDetails) => ({
  is_animated: animated ?? file.mediaType === "application/x-tgsticker",
  is_video: file.mediaType === "video/webm",
  ...(emoji && { emoji }),
});

const MOVING: readonly MediaKind[] = ["video", "animation", "video_note", "sticker"];

/** The given thumbnail, or the one Telegram makes of visual media. */
function thumbnailOf(world: World, kind: MediaKind, file: StoredFile, given?: StoredFile): PhotoSize | undefined {
  const isSeen = MOVING.includes(kind) || (kind === "document" && /^(?:image|video)\//.test(file.mediaType));
  const thumbnail = given ?? (isSeen ? world.files.thumbnailOf(file) : undefined);
  return thumbnail && sizeOf(thumbnail);
}

/** Smallest first, as Telegram lists them; the thumbnail is a file of its own. */
export function photoSizes({ files }: World, file: StoredFile): PhotoSize[] {
  const small = sizeOf(files.thumbnailOf(file));
  const whole = sizeOf(file);
  return whole.width > small.width || whole.height > small.height ? [small, whole] : [whole];
}

const sizeOf = (file: StoredFile): PhotoSize => ({
  file_id: fileId(file, "photo"),
  file_unique_id: uniqueId(file),
  width: file.width ?? 800,
  height: file.height ?? 600,
  file_size: file.size,
});

const KINDS = ["animation", "photo", "video", "audio", "voice", "video_note", "sticker", "document"] as const;

/** A message's media kind and its largest file. */
export function mediaOf(content: Content): { kind: MediaKind; ref: FileRef } | undefined {
  const kind = KINDS.find((each) => content[each] !== undefined);
  const ref = kind === "photo" ? content.photo?.at(-1) : kind && content[kind];
  return kind && ref && { kind, ref };
}
