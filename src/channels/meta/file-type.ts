import type { GatewayFile } from "../../../domain/message.ts";

const BY_EXTENSION: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  aac: "audio/aac",
  wav: "audio/wav",
  pdf: "application/pdf",
};

/** The gateway does not always give a media type; fall back to the extension. */
export function fileTypeOf({ mediaType, name = "" }: Pick<GatewayFile, "mediaType" | "name">): string {
  const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare && bare !== "application/octet-stream") return bare;
  return BY_EXTENSION[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? bare;
}
