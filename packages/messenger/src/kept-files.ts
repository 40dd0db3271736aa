import type { FileOwner, KeptFiles } from "./hosted.ts";
import type { OpenFile } from "./message.ts";

// Files that this server keeps for a hosted network. A file's type is sniffed from its first bytes; the declared type is not trusted.

const SIGNATURES: [string, number[], number?][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46]],
];
const SNIFF_BYTES = 16;

const sniff = (head: Uint8Array) =>
  SIGNATURES.find(([, bytes, at = 0]) => bytes.every((byte, n) => head[at + n] === byte))?.[0];

/** The image types that every browser shows and that cannot contain scripts. */
export const isPicture = (mediaType: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(mediaType);

/** The declared type if browsers handle it safely, else plain bytes. Images must be proven by their bytes. */
const safeType = (declared: string) =>
  /^(audio|video|text\/plain|text\/csv|application\/(pdf|zip|msword|vnd\.[\w.+-]+))/.test(declared) &&
  /^[\w.+-]+\/[\w.+-]+$/.test(declared)
    ? declared
    : "application/octet-stream";

type Incoming = Pick<OpenFile, "body" | "mediaType"> & { name: string };

/** Stores a file under its sniffed type, streaming. `limits` in bytes. Throws FileTooLarge, Overload. */
export async function keepSniffed(
  store: KeptFiles,
  file: Incoming,
  limits: { image: number; file: number },
  of: FileOwner,
) {
  const { head, whole } = await peek(file.body);
  const declared = file.mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  const mediaType = sniff(head) ?? safeType(declared);
  const image = isPicture(mediaType);
  const content = { body: whole, name: file.name, mediaType };
  const { id, size } = await store.keep(content, image ? limits.image : limits.file, of);
  return { id, size, name: file.name, mediaType, image };
}

async function peek(
  body: ReadableStream<Uint8Array>,
): Promise<{ head: Uint8Array; whole: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const first: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (size < SNIFF_BYTES && !ended) {
    const { value, done } = await reader.read();
    ended = done;
    if (value) first.push(value);
    size += value?.byteLength ?? 0;
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = first.shift() ?? (ended ? undefined : (await reader.read()).value);
      if (next) controller.enqueue(next);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { head: Buffer.concat(first), whole };
}

/** Serves a stored file: pictures inline, all else as a download; no scripts run in it. */
export function fileReply(file: OpenFile): Response {
  const picture = isPicture(file.mediaType);
  // encodeURIComponent throws on a lone surrogate.
  const whole = (file.name ?? "file").replace(/\p{Cs}/gu, "_");
  const name = encodeURIComponent(whole).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const headers: Record<string, string> = {
    "content-type": file.mediaType,
    "content-disposition": `${picture ? "inline" : "attachment"}; filename*=UTF-8''${name}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "private, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  };
  if (file.size !== undefined) headers["content-length"] = String(file.size);
  return new Response(file.body, { headers });
}
