export const EXTENSIONS: Record<string, string> = {
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

/** Media type by file extension. */
export function mediaTypeOf(name: string): string {
  const ending = /\.[^.]+$/.exec(name)?.[0].toLowerCase() ?? "";
  const more: Record<string, string> = { ".jpeg": "image/jpeg", ".ogg": "audio/ogg", ".gif": "image/gif" };
  const found = Object.entries(EXTENSIONS).find(([, each]) => each === ending)?.[0];
  return found ?? more[ending] ?? (ending === ".txt" ? "text/plain" : "application/octet-stream");
}
