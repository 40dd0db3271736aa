import { fileId, type StoredFile, uniqueId } from "./files.ts";
import type { MediaKind } from "./phone-wire.ts";
import { paintPng } from "./picture.ts";
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
}

/** A file as the part of a message that its kind is. */
export function mediaContent(world: World, kind: MediaKind, file: StoredFile, details: MediaDetails): Content {
  const ref: FileRef = {
    file_id: fileId(file, kind),
    file_unique_id: uniqueId(file),
    file_size: file.bytes.byteLength,
  };
  const named = { ...ref, ...(file.name && { file_name: file.name }), mime_type: file.mediaType };
  const size = { width: details.width ?? file.width ?? 640, height: details.height ?? file.height ?? 480 };
  const duration = details.duration ?? 0;
  const said = {
    ...(details.performer && { performer: details.performer }),
    ...(details.title && { title: details.title }),
  };
  switch (kind) {
    case "photo":
      return { photo: photoSizes(world, file) };
    case "video":
      return { video: { ...named, ...size, duration } };
    case "animation":
      // "For backward compatibility, when this field is set, the document field will also be set"
      return { animation: { ...named, ...size, duration }, document: named };
    case "audio":
      return { audio: { ...named, duration, ...said } };
    case "voice":
      return { voice: { ...ref, mime_type: file.mediaType, duration } };
    case "video_note":
      return { video_note: { ...ref, length: Math.min(640, size.width), duration } };
    case "sticker":
      return { sticker: { ...ref, type: "regular", width: 512, height: 512, ...stickerKind(file, details) } };
    case "document":
      return { document: named };
  }
}

const stickerKind = (file: StoredFile, { animated, emoji }: MediaDetails) => ({
  is_animated: animated ?? file.mediaType === "application/x-tgsticker",
  is_video: file.mediaType === "video/webm",
  ...(emoji && { emoji }),
});

const THUMB = 90;

/** Smallest first, as Telegram lists them; the small one has bytes of its own. */
export function photoSizes({ files }: World, file: StoredFile): PhotoSize[] {
  const width = file.width ?? 800;
  const height = file.height ?? 600;
  const scale = Math.min(1, THUMB / Math.max(width, height));
  const small = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const bytes = paintPng(small.width, small.height, [120, 120, 120]);
  const thumb = files.add({ name: "thumb.png", mediaType: "image/png", bytes });
  return [sizeOf(thumb, small.width, small.height), sizeOf(file, width, height)];
}

const sizeOf = (file: StoredFile, width: number, height: number): PhotoSize => ({
  file_id: fileId(file, "photo"),
  file_unique_id: uniqueId(file),
  width,
  height,
  file_size: file.bytes.byteLength,
});

const KINDS = ["animation", "photo", "video", "audio", "voice", "video_note", "sticker", "document"] as const;

/** The kind and file of a message, at its largest. */
export function mediaOf(content: Content): { kind: MediaKind; ref: FileRef } | undefined {
  const kind = KINDS.find((each) => content[each] !== undefined);
  const ref = kind === "photo" ? content.photo?.at(-1) : kind && content[kind];
  return kind && ref && { kind, ref };
}
