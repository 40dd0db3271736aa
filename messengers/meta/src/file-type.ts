import type { GatewayFile } from "gangway-messenger/message";

const BY_EXTENSION: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  aac: "audio/aac",
  pdf: "application/pdf",
};

type TypeOf = (file: Pick<GatewayFile, "mediaType" | "name">) => string;

/**
 * The gateway does not always give a media type; fall back to the extension. `own`: types by extension that only this
 * network accepts.
 */
export function fileTypes(own: Record<string, string>): TypeOf {
  const known = { ...BY_EXTENSION, ...own };
  return ({ mediaType, name = "" }) => {
    const bare = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
    if (bare && bare !== "application/octet-stream") return bare;
    return known[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? bare;
  };
}
