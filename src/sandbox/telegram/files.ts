import type { MediaKind } from "./phone-wire.ts";
import { pictureSize } from "./picture.ts";

export interface StoredFile {
  key: string;
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  width?: number;
  height?: number;
  number: number;
}
export interface Upload {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

export interface Files {
  add(upload: Upload): StoredFile;
  get(key: string): StoredFile | undefined;
  /** By a `file_id`, with the kind it was sent as. */
  find(fileId: string): { file: StoredFile; kind: MediaKind } | undefined;
  /** The `file_path` that getFile tells; it lives for an hour. */
  open(file: StoredFile, kind: MediaKind): string;
  opened(path: string): StoredFile | undefined;
}

// The oldest go when more is kept.
const MOST_BYTES = 64 * 1024 * 1024;
// "It is guaranteed that the link will be valid for at least 1 hour": https://core.telegram.org/bots/api#getfile
const LINK_LIFE = 60 * 60 * 1000;

const PREFIX: Record<MediaKind, string> = {
  photo: "AgACAgIA",
  document: "BQACAgIA",
  video: "BAACAgIA",
  animation: "CgACAgIA",
  audio: "CQACAgIA",
  voice: "AwACAgIA",
  video_note: "DQACAgIA",
  sticker: "CAACAgIA",
};
const FOLDER: Record<MediaKind, string> = {
  photo: "photos",
  document: "documents",
  video: "videos",
  animation: "animations",
  audio: "music",
  voice: "voice",
  video_note: "video_notes",
  sticker: "stickers",
};

export const fileId = (file: StoredFile, kind: MediaKind): string => `${PREFIX[kind]}${file.key}`;
export const uniqueId = (file: StoredFile): string => `AQAD${file.key.slice(0, 12)}`;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export const randomText = (length: number, random: () => number): string =>
  Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)] ?? "A").join("");

export function createFiles(now: () => number, random: () => number): Files {
  const files = new Map<string, StoredFile>();
  const links = new Map<string, { key: string; until: number }>();
  let total = 0;
  let last = 0;
  const drop = (file: StoredFile) => {
    files.delete(file.key);
    total -= file.bytes.byteLength;
  };
  return {
    add({ name, mediaType, bytes }) {
      last += 1;
      const file = { key: randomText(40, random), name, mediaType, bytes, number: last, ...pictureSize(bytes) };
      files.set(file.key, file);
      total += bytes.byteLength;
      for (const old of files.values()) if (total > MOST_BYTES && old !== file) drop(old);
      return file;
    },
    get: (key) => files.get(key),
    find(id) {
      const file = files.get(id.slice(8));
      const kind = (Object.keys(PREFIX) as MediaKind[]).find((each) => PREFIX[each] === id.slice(0, 8));
      return file && kind && { file, kind };
    },
    open(file, kind) {
      const path = `${FOLDER[kind]}/file_${file.number}${endingOf(file)}`;
      links.set(path, { key: file.key, until: now() + LINK_LIFE });
      return path;
    },
    opened(path) {
      const link = links.get(path);
      if (!link || link.until < now()) return undefined;
      return files.get(link.key);
    },
  };
}

const ENDINGS: Record<string, string> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "audio/ogg": ".oga",
  "audio/mpeg": ".mp3",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
  "application/x-tgsticker": ".tgs",
  "application/pdf": ".pdf",
};
const endingOf = ({ name, mediaType }: StoredFile): string =>
  ENDINGS[mediaType] ?? /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";

/** By the end of a name, for an upload that tells no type of its own. */
export function mediaTypeOf(name: string): string {
  const ending = /\.[^.]+$/.exec(name)?.[0].toLowerCase() ?? "";
  const more: Record<string, string> = { ".jpeg": "image/jpeg", ".ogg": "audio/ogg", ".gif": "image/gif" };
  const found = Object.entries(ENDINGS).find(([, each]) => each === ending)?.[0];
  return found ?? more[ending] ?? (ending === ".txt" ? "text/plain" : "application/octet-stream");
}
