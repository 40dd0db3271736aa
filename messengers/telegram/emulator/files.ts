import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";
import { EXTENSIONS } from "gangway-messenger/kit/emulator/media-types";
import { paintPng, pictureSize } from "gangway-messenger/kit/emulator/picture";
import { randomText } from "gangway-messenger/kit/emulator/random";
import type { MediaKind } from "./phone-wire.ts";

export interface StoredFile {
  key: string;
  name: string;
  mediaType: string;
  size: number;
  /** May be read from disk. */
  readonly bytes: Uint8Array;
  width?: number;
  height?: number;
  number: number;
  /** Created once, so that its id stays the same. */
  thumbnail?: StoredFile;
}
export interface Upload {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

export interface Files {
  add(upload: Upload): StoredFile;
  get(key: string): StoredFile | undefined;
  /** By `file_id`, with the kind it was sent as. Ids never expire. */
  find(fileId: string): { file: StoredFile; kind: MediaKind } | undefined;
  /** A picture's or video's thumbnail. */
  thumbnailOf(file: StoredFile): StoredFile;
  /** Returns getFile's `file_path`, valid for an hour. */
  open(file: StoredFile, kind: MediaKind): string;
  opened(path: string): StoredFile | undefined;
  /** Deletes the files on disk. */
  close(): void;
}

// "It is guaranteed that the link will be valid for at least 1 hour": https://core.telegram.org/bots/api#getfile
const LINK_LIFE = 60 * 60 * 1000;
const THUMBNAIL = 90;

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

export function createFiles(now: () => number, random: () => number): Files {
  const files = new Map<string, StoredFile>();
  const links = new Map<string, { key: string; until: number }>();
  const shelf = createByteStore();
  const add = ({ name, mediaType, bytes }: Upload): StoredFile => {
    const key = randomText(40, random);
    shelf.put(key, bytes);
    const file: StoredFile = {
      key,
      name,
      mediaType,
      size: bytes.byteLength,
      get bytes() {
        return shelf.get(key);
      },
      number: files.size + 1,
      ...pictureSize(bytes),
    };
    files.set(key, file);
    return file;
  };
  return {
    add,
    get: (key) => files.get(key),
    find(id) {
      const file = files.get(id.slice(8));
      const kind = (Object.keys(PREFIX) as MediaKind[]).find((each) => PREFIX[each] === id.slice(0, 8));
      return file && kind && { file, kind };
    },
    thumbnailOf(file) {
      file.thumbnail ??= add({ name: "thumb.png", mediaType: "image/png", bytes: paintedSmall(file) });
      return file.thumbnail;
    },
    open(file, kind) {
      const path = `${FOLDER[kind]}/file_${file.number}${extensionOf(file)}`;
      links.set(path, { key: file.key, until: now() + LINK_LIFE });
      return path;
    },
    opened(path) {
      const link = links.get(path);
      if (!link || link.until < now()) return undefined;
      return files.get(link.key);
    },
    close: shelf.close,
  };
}

function paintedSmall({ width = 320, height = 240 }: StoredFile): Uint8Array {
  const scale = Math.min(1, THUMBNAIL / Math.max(width, height));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return paintPng(side(width), side(height), [120, 120, 120]);
}

const extensionOf = ({ name, mediaType }: StoredFile): string =>
  EXTENSIONS[mediaType] ?? /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
