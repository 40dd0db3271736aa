import { withFiles } from "gangway-messenger/files";
import type { GatewayFile } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import * as z from "zod";
import type { MaxApi } from "../api.ts";

export type MediaKind = "image" | "video" | "audio" | "file";

const BY_EXTENSION: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  bmp: "image/bmp",
  webp: "image/webp",
  tif: "image/tiff",
  tiff: "image/tiff",
  heic: "image/heic",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  wav: "audio/wav",
};
const PICTURE = /^image\/(jpeg|png|gif|bmp|webp|tiff|heic)$/;
const VIDEO = /^video\/(mp4|quicktime|webm|x-matroska)$/;
const AUDIO = /^audio\/|^application\/ogg$/;

/** The gateway does not always give a media type; fall back to the extension. */
function typeOf({ mediaType, name = "" }: Pick<GatewayFile, "mediaType" | "name">): string {
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare && bare !== "application/octet-stream") return bare;
  return BY_EXTENSION[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? bare;
}

/** The kind as which a file is sent. A file that does not match its kind is sent as a plain file. */
export function mediaKindOf(as: SendStep["kind"], file: Pick<GatewayFile, "mediaType" | "name">): MediaKind {
  const type = typeOf(file);
  if (as === "image" && PICTURE.test(type)) return "image";
  if (as === "audio" && AUDIO.test(type)) return "audio";
  return as === "file" && VIDEO.test(type) ? "video" : "file";
}

const endpoint = z.object({ url: z.string(), token: z.string().nullish() });
const token = z.object({ token: z.string().min(1) });
const pictures = z.object({ photos: z.record(z.string(), token) });

/**
 * Uploads a file, and returns the attachment that names it; MAX may still be processing it. Undefined: MAX does not
 * accept it, or gave no token.
 */
export async function uploaded(
  api: MaxApi,
  type: MediaKind,
  source: GatewayFile,
  signal: AbortSignal,
): Promise<object | undefined> {
  const request = { method: "POST", path: "uploads", query: { type }, result: endpoint } as const;
  // Repeating an upload shows the customer nothing.
  const given = await api.ask({ ...request, what: "an upload", repeatable: true }, signal);
  const said = await withFiles(
    [{ field: "data", source }],
    async ([file]) => (file ? api.upload(given.url, file, signal) : undefined),
    signal,
  );
  if (said === undefined) return undefined;
  const found = tokenIn(type, said, given.token ?? undefined);
  return found ? { type, payload: { token: found } } : undefined;
}

/** For videos and audio the token came with the URL, and the upload answers in XML. */
function tokenIn(type: MediaKind, said: string, given: string | undefined): string | undefined {
  if (type === "image") return Object.values(pictures.safeParse(jsonOf(said)).data?.photos ?? {})[0]?.token;
  return token.safeParse(jsonOf(said)).data?.token ?? given;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
