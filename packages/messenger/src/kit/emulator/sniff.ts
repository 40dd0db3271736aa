/** The type of unknown bytes. */
export const UNKNOWN_TYPE = "application/octet-stream";
/** Defaults that HTTP clients send when no type was set. */
const VAGUE = [UNKNOWN_TYPE, "binary/octet-stream", "application/json", "application/x-www-form-urlencoded"];

/** Leading bytes; `at` is their offset if not 0. */
const SIGNATURES: [bytes: string, mediaType: string, at?: number][] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["GIF8", "image/gif"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["WEBP", "image/webp", 8],
  ["WAVE", "audio/wav", 8],
  ["OggS", "audio/ogg"],
  ["fLaC", "audio/flac"],
  ["ID3", "audio/mpeg"],
  ["\xff\xfb", "audio/mpeg"],
  ["\xff\xf3", "audio/mpeg"],
  ["\xff\xe3", "audio/mpeg"],
  ["ftypM4A", "audio/mp4", 4],
  ["ftypqt", "video/quicktime", 4],
  ["ftyp", "video/mp4", 4],
  ["\x1aE\xdf\xa3", "video/webm"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["BM", "image/bmp"],
];
const HEAD = 512;

/** The declared type unless it is vague, else the sniffed one. */
export function mediaTypeOf(bytes: Uint8Array, declared = ""): string {
  const [type = ""] = declared.toLowerCase().split(";");
  return type.trim() === "" || VAGUE.includes(type.trim()) ? sniff(bytes) : declared;
}

export function sniff(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString("latin1");
  const known = SIGNATURES.find(([signature, , at = 0]) => head.startsWith(signature, at));
  return known?.[1] ?? textType(bytes, head) ?? UNKNOWN_TYPE;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no text has is looked for.
const BINARY = /[\x00-\x08\x0e-\x1f]/;

function textType(bytes: Uint8Array, head: string): string | undefined {
  if (bytes.length === 0 || BINARY.test(head)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text)) return "image/svg+xml";
    return isJson(text) ? "application/json" : "text/plain";
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
